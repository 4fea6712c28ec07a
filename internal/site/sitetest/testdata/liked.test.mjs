// The pages of a registry that people like, in a browser.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { accessible, clean, found, search, shoot, site, sizes, stop, visitor } from './look.mjs';

after(stop);

const { home } = site;

test('search as one types', async () => {
  const v = await visitor();
  const { page } = v;
  await page.goto(home);
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'q');
  await page.keyboard.type('csv to j');
  await page.waitForSelector('#results li');
  assert.equal((await found(page))[0], 'csv_to_json');
  assert.equal(await page.isVisible('#home'), false);
  assert.match(await page.textContent('#status'), /tool/);
  // It stays at an address.
  await page.waitForURL(/\?q=csv\+to\+j$/);
  await page.reload();
  await page.waitForSelector('#results li');
  assert.equal(await page.inputValue('#q'), 'csv to j');
  assert.equal((await found(page))[0], 'csv_to_json');
  await page.fill('#q', '');
  await page.waitForSelector('#home', { state: 'visible' });
  assert.equal((await found(page)).length, 0);
  await page.waitForURL((u) => u.search === '');
  assert.deepEqual(await clean(v, home), []);
  await v.context.close();
});

test('keys: down, up, copy, open, back', async () => {
  const v = await visitor();
  const { page } = v;
  await page.goto(home);
  await search(page, 'pdf');
  const names = await found(page);
  assert.ok(names.length >= 3, names.join());
  const here = () => page.evaluate(() => document.activeElement.textContent);
  await page.keyboard.press('ArrowDown');
  assert.equal(await here(), names[0]);
  await page.keyboard.press('ArrowDown');
  assert.equal(await here(), names[1]);
  await page.keyboard.press('j');
  assert.equal(await here(), names[2]);
  await page.keyboard.press('k');
  assert.equal(await page.$$eval('#results li.active', (all) => all.length), 1);
  assert.equal(await page.$eval('#results li.active [data-slot=name]', (a) => a.textContent), names[1]);
  await page.keyboard.press('y');
  await page.waitForSelector('.copied:not(:empty)');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `patch-git pull ${names[1]}`);
  await shoot(page, 'copied');
  await page.keyboard.press('Enter');
  await page.waitForSelector(`main[data-tool=${names[1]}]`);
  await page.goBack();
  await page.waitForSelector('#results li');
  assert.equal(await page.inputValue('#q'), 'pdf');
  assert.deepEqual(await found(page), names);
  // Up from the first result is the field again, and Enter there opens the best.
  await page.focus('#results a');
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'q');
  await page.keyboard.press('Enter');
  await page.waitForSelector(`main[data-tool=${names[0]}]`);
  // A key with a modifier is the browser's, and text that is typed is text.
  await page.goto(home);
  await page.keyboard.press('Control+/');
  assert.notEqual(await page.evaluate(() => document.activeElement.id), 'q');
  await page.keyboard.press('/');
  await page.keyboard.type('a/y');
  assert.equal(await page.inputValue('#q'), 'a/y');
  assert.deepEqual(await clean(v, home), []);
  await v.context.close();
});

test('operators, facets, corrections, nothing found', async () => {
  const v = await visitor();
  const { page } = v;
  await page.goto(home);
  await search(page, 'tag:pdf');
  assert.deepEqual(await found(page), ['extract_pdf_table', 'pdf_merge', 'pdf_split']);
  await search(page, 'pdf -name:split');
  assert.ok(!(await found(page)).includes('pdf_split'));
  await search(page, '"pages each"');
  assert.deepEqual(await found(page), ['pdf_split']);
  await search(page, 'convrt');
  assert.match(await page.textContent('#status'), /convert/);
  await search(page, 'zzzzqqqq');
  assert.match(await page.textContent('#status'), /No tool/);
  assert.deepEqual(await found(page), []);
  await shoot(page, 'nothing');
  await search(page, 'network:maybe pdf');
  assert.match(await page.textContent('#status'), /network:/);
  // A facet is an operator that is put in and taken out.
  await search(page, 'convert');
  const before = await found(page);
  await page.waitForSelector('#facets button');
  await page.click('#facets button:has-text("network") >> nth=1');
  await page.waitForFunction((n) => document.querySelectorAll('#results [data-slot=name]').length !== n, before.length);
  assert.match(await page.inputValue('#q'), /^convert \w+:yes$/);
  await page.waitForSelector('#facets button[aria-pressed=true]');
  await shoot(page, 'facets');
  await page.click('#facets button[aria-pressed=true] >> nth=0');
  await page.waitForFunction((n) => document.querySelectorAll('#results [data-slot=name]').length === n, before.length);
  assert.deepEqual(await found(page), before);
  // What is taken back is not found.
  await search(page, 'shadow_copy');
  assert.ok(!(await found(page)).includes('shadow_copy'));
  assert.deepEqual(await clean(v, home), []);
  await v.context.close();
});

test('what is typed before the scripts are here is searched for', async () => {
  for (const [address, want] of [['', 'pdf'], ['?q=csv', 'pdf']]) {
    const { page, context } = await visitor();
    let here;
    const late = new Promise((done) => { here = done; });
    await page.route('**/find.js', async (r) => { await late; await r.continue(); });
    await page.goto(home + address);
    await page.fill('#q', want);
    here();
    await page.waitForSelector('#results li');
    assert.equal(await page.inputValue('#q'), want);
    assert.match((await found(page))[0], /pdf_/);
    await page.waitForURL(/\?q=pdf$/);
    await context.close();
  }
});

test('without a network it says so, and goes on when there is one', async () => {
  const { page, context } = await visitor();
  await page.goto(home);
  await context.setOffline(true);
  await search(page, 'pdf');
  assert.match(await page.textContent('#status'), /offline/i);
  assert.equal(await page.isVisible('#home'), true);
  await shoot(page, 'offline');
  await context.setOffline(false);
  await page.waitForSelector('#results li');
  assert.match((await found(page))[0], /pdf_/);
  await context.close();
});

test('an index that is not there, damaged or of another edition is told, and nothing else breaks', async () => {
  for (const [name, body] of [['gone', null], ['damaged', '{"edition":1,"tools":-5}'], ['newer', '{"edition":99}'], ['no JSON', '<html>']]) {
    const { page, context, seen } = await visitor();
    await page.route('**/v1/search/**', (r) => (body === null ? r.fulfill({ status: 404, body: 'no' }) : r.fulfill({ body })));
    await page.goto(home);
    await search(page, 'pdf');
    assert.match(await page.textContent('#status'), /did not load/, name);
    assert.equal(await page.isVisible('#home'), true, name);
    assert.deepEqual(seen.console.filter((c) => c.startsWith('uncaught')), [], name);
    await context.close();
  }
  // A bomb and a list that leads outside, in place of each file.
  const bomb = Buffer.from(await new Response(new Blob([new Uint8Array(200 << 20)]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer());
  const odd = Buffer.from(await new Response(new Blob([new Uint8Array([0, 3, 112, 100, 102, 1, 200, 255, 255, 255, 255, 255, 255, 255, 255])]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer());
  for (const data of [bomb, odd, Buffer.from('not gzip')]) {
    const { page, context, seen } = await visitor();
    await page.route('**/v1/search/**/t*.bin', (r) => r.fulfill({ body: data }));
    await page.goto(home);
    await search(page, 'pdf');
    assert.match(await page.textContent('#status'), /did not load/);
    assert.deepEqual(seen.console.filter((c) => c.startsWith('uncaught')), []);
    await context.close();
  }
});

test('without scripts everything can be read', async () => {
  const { page, context, seen } = await visitor({ javaScriptEnabled: false });
  await page.goto(home);
  assert.equal(await page.isVisible('#search'), false, 'a search that cannot work is shown');
  assert.equal(await page.isVisible('[data-copy]:not([hidden])').catch(() => false), false);
  await shoot(page, 'no-script');
  await page.goto(`${home}t/csv_to_json/index.html`);
  const text = await page.textContent('main');
  for (const want of ['csv_to_json', 'patch-git pull csv_to_json']) assert.ok(text.includes(want), want);
  assert.deepEqual(seen.console, []);
  await context.close();
});

test('every page, every size, light and dark', async (t) => {
  const pages = {
    start: '', tool: 't/csv_to_json/index.html', version: 't/csv_to_json/1.2.0/index.html', source: 't/send_mail/1.0.0/source.html',
    changes: 't/csv_to_json/1.2.0/changes.html', yanked: 't/pdf_merge/index.html', revoked: 't/shadow_copy/index.html', deprecated: 't/old_hash/index.html',
    publisher: 'by/ada/index.html', registry: 'registry/index.html', recent: 'changes/index.html', results: '?q=convert',
  };
  for (const [name, address] of Object.entries(pages)) {
    await t.test(name, async () => {
      for (const [size, viewport] of Object.entries(sizes)) {
        for (const colorScheme of ['light', 'dark']) {
          const v = await visitor({ viewport, colorScheme, hasTouch: size === 'phone', isMobile: size === 'phone' });
          const answer = await v.page.goto(home + address);
          assert.equal(answer.status(), 200, address);
          if (name === 'results') await v.page.waitForSelector('#facets button');
          assert.deepEqual(await clean(v, home), []);
          await shoot(v.page, `${name}-${size}-${colorScheme}`, true);
          const wide = await v.page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `${size}: ${wide} px wider than the screen`);
          assert.deepEqual(await accessible(v.page), [], `${size} ${colorScheme}`);
          await v.context.close();
        }
      }
    });
  }
});

test('every link leads somewhere, and what is not there is told at any depth', async () => {
  const v = await visitor();
  const { page } = v;
  const seen = new Set();
  const left = [home];
  while (left.length && seen.size < 400) {
    const address = left.pop();
    if (seen.has(address)) continue;
    seen.add(address);
    const answer = await page.request.get(address);
    assert.ok(answer.ok(), `${answer.status()} ${address}`);
    if (!answer.headers()['content-type'].startsWith('text/html')) continue;
    await page.goto(address);
    const links = await page.$$eval('a[href], link[href]', (all) => all.map((a) => a.href));
    for (const l of links) if (l.startsWith(home)) left.push(l.split('#')[0].split('?')[0]);
  }
  assert.ok(seen.size > 60, `${seen.size} pages`);
  assert.deepEqual(await clean(v, home), []);
  await v.context.close();
  for (const address of ['nothing', 't/none/index.html', 't/none/1.0.0/deeper/index.html']) {
    const lost = await visitor();
    const answer = await lost.page.goto(home + address);
    assert.equal(answer.status(), 404);
    assert.deepEqual(lost.seen.console.filter((c) => !c.includes('404')), []);
    await shoot(lost.page, '404');
    assert.deepEqual(await accessible(lost.page), []);
    await lost.context.close();
  }
});
