// A registry whose people write markup wherever they can.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { accessible, clean, found, search, shoot, site, stop, visitor } from './look.mjs';

after(stop);

const { home } = site;

test('what strangers wrote is text, on every page', async () => {
  const v = await visitor();
  const { page } = v;
  const seen = new Set();
  const left = [home];
  let attacked = 0;
  while (left.length && seen.size < 400) {
    const address = left.pop();
    if (seen.has(address)) continue;
    seen.add(address);
    if (!/(?:\/|\.html)$/.test(address)) continue; // a document or a download
    const answer = await page.goto(address);
    assert.ok(answer.ok(), `${answer.status()} ${address}`);
    if ((await page.textContent('main')).includes('pwned()')) attacked++;
    const foreign = await page.evaluate(() => [...document.querySelectorAll('*')].filter((e) => ['IFRAME', 'BASE', 'STYLE', 'IMG', 'OBJECT', 'EMBED'].includes(e.tagName)
      || (e.tagName === 'SCRIPT' && !e.src.startsWith(location.origin)) || (e.tagName === 'META' && /refresh/i.test(e.httpEquiv))
      || [...e.attributes].some((a) => /^on/i.test(a.name) || /^\s*javascript:/i.test(a.value))).map((e) => e.outerHTML.slice(0, 200)));
    assert.deepEqual(foreign, [], address);
    const links = await page.$$eval('a[href]', (all) => all.map((a) => a.href));
    for (const l of links) if (l.startsWith(home)) left.push(l.split('#')[0].split('?')[0]);
  }
  assert.ok(attacked > 15, `the attacks are on ${attacked} pages: is anything tested?`);
  assert.deepEqual(await clean(v, home), []);
  await v.context.close();
});

test('what strangers wrote is text, in the results', async () => {
  const v = await visitor();
  const { page } = v;
  await page.goto(home);
  for (const query of ['attack', 'script pwned', 'constructor', 'prototype', '__proto__', 'toString hasOwnProperty', 'by:ada', 'tag:evil', 'name:constructor', '<img src=x onerror=pwned()>', '"pwned', 'tag:"', '-', ':', '"""']) {
    await search(page, query);
    const foreign = await page.$$eval('#results *, #facets *, #status *', (all) => all.filter((e) => /^(?:SCRIPT|IMG|SVG|IFRAME|STYLE|LINK|FORM|INPUT|META|BASE)$/i.test(e.tagName)
      || [...e.attributes].some((a) => /^on/i.test(a.name) || /javascript:/i.test(a.value))).length);
    assert.equal(foreign, 0, query);
  }
  await search(page, 'attack');
  assert.ok((await found(page)).length > 5);
  assert.ok((await page.textContent('#results')).includes('<script>pwned()</script>'));
  await shoot(page, 'hostile');
  // The address is a stranger's text, too.
  await page.goto(`${home}?q=${encodeURIComponent('<img src=x onerror=pwned()> attack')}#q`);
  await page.waitForSelector('#results li');
  assert.deepEqual(await clean(v, home), []);
  assert.deepEqual(await accessible(page), []);
  await v.context.close();
});

test('listings that no registry could seal are no more than text', async () => {
  // The files of the index come from a host that lies: names, owners, tags, kinds.
  const v = await visitor();
  const { page } = v;
  const evil = '"><img src=x onerror=pwned()>';
  const pack = async (x) => Buffer.from(await new Response(new Blob([JSON.stringify(x)]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer());
  await page.route('**/v1/search/*/c*.bin', async (route) => {
    const body = await pack(Array.from({ length: 16 }, (_, i) => ({
      name: ['../../evil', 'javascript:pwned()', evil, 'fine_name', 'x y'][i % 5], latest: evil, description: `a\u202eb ${evil}`, published: evil, owners: [evil, '../x'],
      permissions: { network: evil, filesystem: evil }, summary: { format: evil, license: evil, tags: [evil], aliases: [evil], examples: [evil], inputs: [{ name: evil, description: evil }] },
    })));
    await route.fulfill({ body });
  });
  await page.goto(home);
  await search(page, 'attack');
  assert.deepEqual([...new Set(await found(page))], ['fine_name']);
  assert.ok((await page.textContent('#results')).includes('\\u{202e}'));
  const hrefs = await page.$$eval('#results a', (all) => all.map((a) => a.href));
  for (const h of hrefs) assert.ok(h.startsWith(`${home}t/fine_name/`), h);
  assert.deepEqual(await clean(v, home), []);
  await v.context.close();
});
