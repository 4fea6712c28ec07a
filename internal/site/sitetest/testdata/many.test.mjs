// What the pages of ten thousand tools weigh, and how long they take.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { after, test } from 'node:test';
import { found, search, shoot, site, stop, visitor } from './look.mjs';

after(stop);

const { home } = site;

// counted is a visitor whose bytes are counted as they travel: those of the files,
// compressed, because what a host says in headers is the host's.
async function counted() {
  const v = await visitor();
  const devtools = await v.context.newCDPSession(v.page);
  await devtools.send('Network.enable');
  v.bytes = 0;
  devtools.on('Network.dataReceived', (e) => { v.bytes += e.encodedDataLength; });
  return v;
}

const settle = (page) => page.waitForLoadState('networkidle');
const figures = {};

test('the start page is below 20 KB', async () => {
  const v = await counted();
  await v.page.goto(home);
  await settle(v.page);
  figures.start = v.bytes;
  await shoot(v.page, 'many');
  assert.ok(v.bytes < 20_000, `${v.bytes} bytes`);
  await v.context.close();
});

test('with all of its scripts it is below 20 KB, too', async () => {
  const v = await counted();
  await v.page.goto(home);
  await v.page.route('**/v1/**', (r) => r.abort());
  await v.page.focus('#q');
  await settle(v.page);
  figures.scripts = v.bytes;
  assert.ok(v.bytes < 20_000, `${v.bytes} bytes`);
  await v.context.close();
});

// first is one search of somebody who has never been here.
async function first(query) {
  const v = await counted();
  await v.page.goto(home);
  await settle(v.page);
  const before = v.bytes;
  await v.page.focus('#q'); // as a person does before the first key
  await settle(v.page);
  const devtools = await v.context.newCDPSession(v.page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const work = async () => (await devtools.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value * 1000;
  const idle = await work();
  // From the key to the results on the screen, measured inside the page.
  const cold = await v.page.evaluate((q) => new Promise((done) => {
    const field = document.querySelector('#q');
    const results = document.querySelector('#results');
    const began = performance.now();
    new MutationObserver((_, o) => {
      if (!results.children.length) return;
      o.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)));
    }).observe(results, { childList: true });
    field.value = q;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }), query);
  const bytes = v.bytes - before;
  const cpu = await work() - idle;
  await settle(v.page);
  const out = { query, bytes, all: v.bytes - before, cold, cpu, found: (await found(v.page)).length };
  await v.context.close();
  return out;
}

// Of several visitors the fastest counts, and where this machine has more to do
// than it has cores, only the time that the page itself takes: the rest is not its doing.
const busy = loadavg()[0] > availableParallelism();
test('the first result takes at most 130 KB and 100 ms', async () => {
  const rows = [];
  for (const query of ['csv', 'convert csv to json', 'resize image', 'send mail with attachments', 'tag:csv network:no', 'extract table from pdf quickly', 'conver', 'trnslate text', '"sort the table"']) {
    let best;
    for (let n = 0; n < 5 && !(best?.cold < 100); n++) {
      const one = await first(query);
      if (!best || one.cold < best.cold) best = one;
    }
    rows.push(best);
  }
  Object.assign(figures, { busy, first: rows });
  for (const r of rows) {
    assert.ok(r.found > 0, r.query);
    assert.ok(r.bytes <= 130_000, `${r.query}: ${r.bytes} bytes`);
    assert.ok(r.cpu < 100, `${r.query}: ${r.cpu} ms of the page's own`);
    // A phrase is looked up in one file of tools after the other.
    assert.ok(busy || r.cold < 200, `${r.query}: ${r.cold} ms`);
  }
  const middle = rows.map((r) => r.cold).sort((a, b) => a - b)[rows.length >> 1];
  assert.ok(busy || middle < 100, `the middle of all is ${middle} ms`);
});

test('while one types, an answer takes less than 100 ms', async () => {
  const { page, context } = await visitor();
  await page.goto(home);
  await search(page, 'csv');
  const times = await page.evaluate(async () => {
    const field = document.querySelector('#q');
    const results = document.querySelector('#results');
    const out = [];
    const text = 'convert the columns of a csv file to json';
    for (let n = 1; n <= text.length; n++) {
      const began = performance.now();
      const shown = new Promise((done) => { new MutationObserver((_, o) => { o.disconnect(); done(); }).observe(results, { childList: true }); });
      field.value = text.slice(0, n);
      field.dispatchEvent(new Event('input', { bubbles: true }));
      await Promise.race([shown, new Promise((r) => { setTimeout(r, 1000); })]);
      out.push(performance.now() - began);
    }
    return out.sort((a, b) => a - b);
  });
  figures.typing = { p50: times[Math.floor(times.length / 2)], p95: times[Math.floor(times.length * 0.95)] };
  assert.ok(figures.typing.p50 < 100, `${figures.typing.p50} ms`);
  await context.close();
});

test('a tool page is below 30 KB', async () => {
  const v = await counted();
  await v.page.goto(home);
  await search(v.page, 'csv');
  const [name] = await found(v.page);
  v.bytes = 0;
  const fresh = await counted();
  await fresh.page.goto(`${home}t/${name}/index.html`);
  await settle(fresh.page);
  figures.tool = fresh.bytes;
  assert.ok(fresh.bytes < 30_000, `${fresh.bytes} bytes`);
  await v.context.close();
  await fresh.context.close();
});

after(() => {
  writeFileSync(`${site.out}/weight.json`, `${JSON.stringify(figures, null, 1)}\n`);
  console.log(JSON.stringify(figures));
});
