// patch-git: the search of the start page: as one types, by keys or by hand, and at an
// address that can be kept.

import { offer } from './page.js';
import { plain, put } from './text.js';
import { open } from './search.js';

const most = 20; // results at once; a button shows as many more
const names = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

const part = (id) => document.getElementById(id);
const form = part('search');
const field = part('q');
const status = part('status');
const results = part('results');
const facets = part('facets');
const home = part('home');

let index; // a promise; made anew after a failure
let turn = 0; // of what was typed: an answer to something older is not shown
let limit = most;
let pending = Promise.resolve();
let address;

const typed = () => field.value.trim();

// search shows what is found for what stands in the field.
async function search() {
  const mine = ++turn;
  const query = typed();
  if (query === '') return show(null);
  let found;
  try {
    index ??= open(form.dataset.index);
    found = await (await index).search(query, limit);
  } catch (error) {
    index = undefined;
    if (mine !== turn) return;
    show(null);
    status.textContent = navigator.onLine
      ? 'The search did not load. Everything else on this page works; type again to try again.'
      : 'You are offline, and the search is not loaded yet. It goes on when you are back.';
    console.info(String(error));
    return;
  }
  if (mine === turn) show(found);
}

function show(found) {
  home.hidden = found !== null;
  results.hidden = found === null;
  facets.hidden = found === null || found.facets.length === 0;
  if (found === null) {
    results.replaceChildren();
    facets.replaceChildren();
    status.textContent = '';
    return;
  }
  results.replaceChildren(...found.hits.filter((h) => names.test(h.tool.name)).map(card), ...more(found));
  facets.replaceChildren(...groups(found.facets));
  offer(results);
  const words = found.corrections.map((c) => `“${plain(c.to)}” instead of “${plain(c.from)}”`);
  status.textContent = [
    found.total === 0 ? 'No tool is found' : found.total === 1 ? '1 tool' : `${found.total} tools`,
    words.length ? `; searched for ${words.join(' and ')}` : '',
    ...found.notes.map((n) => `; ${plain(n)}`),
  ].join('');
}

// card is one result, of the page's own template.
function card(hit) {
  const { tool } = hit;
  const summary = tool.summary;
  const li = part('card').content.firstElementChild.cloneNode(true);
  const command = `patch-git pull ${tool.name}`;
  put(li, {
    name: tool.name,
    version: tool.latest,
    date: tool.published.slice(0, 10),
    description: tool.description,
    owner: tool.owners.join(', '),
    kind: summary.format,
    license: summary.license,
    network: tool.permissions.network ? 'network' : 'no network',
    files: { none: 'no files', 'read-only': 'reads files', 'read-write': 'writes files' }[tool.permissions.filesystem] ?? tool.permissions.filesystem,
    verified: tool.verified ? 'by its owner' : '',
    deprecated: tool.deprecated ? 'deprecated' : '',
    why: hit.why.map((w) => `${w.in}: ${w.text}`).join(' · '),
    also: hit.also.length ? `nearly the same: ${hit.also.join(', ')}` : '',
    command,
  });
  for (const a of li.querySelectorAll('a[data-slot=name]')) a.href = `t/${tool.name}/index.html`;
  for (const b of li.querySelectorAll('[data-copy]')) b.dataset.copy = command;
  if (tool.permissions.network) li.querySelector('[data-slot=network]')?.classList.add('asks');
  if (tool.permissions.filesystem !== 'none') li.querySelector('[data-slot=files]')?.classList.add('asks');
  return li;
}

function more(found) {
  if (found.hits.length >= found.total) return [];
  const li = document.createElement('li');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'more';
  button.textContent = 'Show more';
  button.addEventListener('click', async () => {
    const at = results.children.length - 1;
    limit += most;
    await search();
    links()[at]?.focus();
  });
  li.append(button);
  return [li];
}

// groups are the facets, each a button that puts an operator into the field or
// takes it out again.
function groups(all) {
  const fields = new Map();
  for (const f of all) fields.set(f.field, [...fields.get(f.field) ?? [], f]);
  return [...fields].map(([name, values]) => {
    const group = document.createElement('div');
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', plain(name));
    const label = document.createElement('span');
    label.textContent = plain(name);
    group.append(label, ...values.map(facet));
    return group;
  });
}

function facet(f) {
  const button = part('facet').content.firstElementChild.cloneNode(true);
  const operator = `${f.field}:${f.value}`;
  put(button, { value: f.value, count: String(f.count) });
  button.setAttribute('aria-pressed', String(words().includes(operator)));
  button.addEventListener('click', () => {
    const now = words();
    field.value = now.includes(operator) ? now.filter((w) => w !== operator).join(' ') : [...now, operator].join(' ');
    changed();
    field.focus();
  });
  return button;
}

const words = () => typed().split(/\s+/).filter(Boolean);

// changed searches, and keeps what is asked in the address; not with each key,
// because browsers count how often a page does that.
function changed() {
  limit = most;
  pending = search();
  clearTimeout(address);
  address = setTimeout(() => {
    const url = new URL(location.href);
    if (typed()) url.searchParams.set('q', typed());
    else url.searchParams.delete('q');
    url.hash = '';
    history.replaceState(null, '', url);
  }, 250);
}

function fromAddress() {
  field.value = new URL(location.href).searchParams.get('q') ?? '';
  pending = search();
}

const links = () => [...results.querySelectorAll('a[data-slot=name]')];

function step(event, by) {
  const all = links();
  const at = all.findIndex((a) => a.closest('li').contains(document.activeElement));
  if (document.activeElement !== field && at < 0) return;
  event.preventDefault();
  (at + by < 0 ? field : all[Math.min(at + by, all.length - 1)])?.focus();
}

field.addEventListener('input', changed);
form.addEventListener('submit', (event) => event.preventDefault());
document.addEventListener('keydown', async (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const here = document.activeElement === field;
  if (event.key === 'ArrowDown' || (event.key === 'j' && !here)) step(event, 1);
  else if ((event.key === 'ArrowUp' && !here) || (event.key === 'k' && !here)) step(event, -1);
  else if (event.key === 'Escape' && !here && results.contains(document.activeElement)) field.focus();
  else if (event.key === 'Enter' && here && typed()) {
    event.preventDefault();
    await pending;
    const first = links()[0];
    first?.click();
  }
});
addEventListener('popstate', fromAddress);
addEventListener('online', () => { if (index === undefined) pending = search(); });
// The files are fetched once somebody means to search.
field.addEventListener('focus', () => { index ??= open(form.dataset.index).catch((error) => { index = undefined; throw error; }); index.catch(() => {}); });

fromAddress();
if (location.hash === '#q') field.focus();
