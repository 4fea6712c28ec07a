// What the tests see of a page: everything that it asks for, says on the console,
// and is refused by its own policy.

import { mkdirSync } from 'node:fs';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

export const site = JSON.parse(process.env.PATCH_GIT_SITE);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

mkdirSync(site.out, { recursive: true });

export const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

let browser;
export async function start() {
  // A container has no rights for Chromium's own sandbox; all pages are ours.
  browser ??= await chromium.launch({ executablePath: site.chromium, args: ['--no-sandbox', '--disable-gpu'] });
  return browser;
}
export const stop = () => browser?.close();

// visitor opens a tab that notes what goes wrong in it.
export async function visitor(options = {}) {
  const context = await (await start()).newContext({ viewport: sizes.desktop, ...options });
  if (options.javaScriptEnabled !== false) {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await context.addInitScript(() => {
      globalThis.violations = [];
      globalThis.attacked = 0;
      globalThis.pwned = () => { globalThis.attacked++; };
      document.addEventListener('securitypolicyviolation', (e) => globalThis.violations.push(`${e.violatedDirective} ${e.blockedURI} ${e.sample}`));
    });
  }
  const page = await context.newPage();
  const seen = { console: [], requests: [], failed: [] };
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) seen.console.push(`${m.type()}: ${m.text()}`); });
  page.on('pageerror', (e) => seen.console.push(`uncaught: ${e.message}`));
  page.on('dialog', (d) => { seen.console.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on('request', (r) => seen.requests.push(r.url()));
  page.on('response', (r) => { if (r.status() >= 400) seen.failed.push(`${r.status()} ${r.url()}`); });
  return { page, context, seen };
}

// clean returns what is wrong with what a visitor saw; nothing, if all is well.
export async function clean({ page, seen }, home) {
  const own = new URL(home).origin;
  const wrong = [...seen.console, ...seen.failed, ...seen.requests.filter((u) => new URL(u).origin !== own && !u.startsWith('data:'))];
  const { violations, attacked } = await page.evaluate(() => ({ violations: globalThis.violations ?? [], attacked: globalThis.attacked ?? 0 }));
  if (attacked) wrong.push(`a stranger's script ran ${attacked} times`);
  return wrong.concat(violations);
}

// accessible returns what axe holds against a page.
export async function accessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }));
  return violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)}: ${n.failureSummary.replace(/\s+/g, ' ').slice(0, 200)}`));
}

// shoot keeps what a person would see.
export const shoot = (page, name, whole = false) => page.screenshot({ path: `${site.out}/${name}.png`, fullPage: whole });

// search types a query and waits for its answer.
export async function search(page, query) {
  await page.fill('#q', query);
  await page.waitForSelector('#results[aria-busy=false]', { state: 'attached' });
}

export const found = (page) => page.$$eval('#results [data-slot=name]', (all) => all.map((a) => a.textContent));
