// patch-git: the search of the start page: as one types, by keys or by hand, and
// at an address that can be kept.

import { offer } from './page.js';
import { plain, put } from './text.js';

const engine = ['search', 'correct', 'files', 'query', 'stem', 'why', 'words'];
const step = 10; // results that are shown at once, and with each "Show more"
const mostValues = 12; // of a facet
const names = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

const [form, field, status, results, facets, home] = ['search', 'q', 'status', 'results', 'facets', 'home'].map((id) => document.getElementById(id));
const [cardOf, facetOf] = ['card', 'facet'].map((id) => document.getElementById(id).content.firstElementChild);

let index; // a promise; made anew after a failure
let turn = 0; // of what was typed: an answer to something older is not shown
let limit = step;
let pending = Promise.resolve();
let address; // the timer that writes it

const typed = () => field.value.trim();

// load fetches the search itself, all of its scripts at once, and the beginning of
// the index: who only reads needs neither.
function load() {
  index ??= Promise.all(engine.map((name) => import(`./${name}.js`))).then(([search]) => search.open('v1/search/'));
  index.catch(() => { index = undefined; });
  return index;
}

// ask is one search. Where a file is gone there may be a newer state of the
// registry, so it is tried once more from the beginning.
async function ask(query) {
  try {
    return await (await load()).search(query, limit);
  } catch {
    index = undefined;
    return (await load()).search(query, limit);
  }
}

// search shows what is found for what stands in the field.
async function search() {
  const mine = ++turn;
  const query = typed();
  results.setAttribute('aria-busy', 'true');
  if (query === '') return show(null);
  let found;
  try {
    found = await ask(query);
  } catch {
    index = undefined;
    if (mine !== turn) return;
    show(null);
    status.textContent = navigator.onLine
      ? 'The search did not load. All tools are listed below; type again to try again.'
      : 'You are offline, and the search is not loaded yet. It goes on when you are back.';
    return;
  }
  if (mine !== turn) return;
  show(found);
  await new Promise((done) => { setTimeout(done, 150); }); // whoever types on needs none
  if (mine !== turn) return;
  const values = await found.facets().catch(() => []); // it can be read without them
  if (mine === turn) narrow(values);
}

function show(found) {
  results.setAttribute('aria-busy', 'false');
  home.hidden = found !== null;
  home.parentElement.classList.toggle('searching', found !== null);
  results.hidden = found === null || found.hits.length === 0;
  if (found === null || found.hits.length === 0) facets.hidden = true;
  if (found === null) {
    results.replaceChildren();
    status.textContent = '';
    return;
  }
  results.replaceChildren(...found.hits.filter((h) => names.test(h.tool.name)).map(card), ...more(found));
  offer(results);
  status.textContent = told(found);
}

function told(found) {
  const parts = [found.total === 0 ? 'No tool is found' : `${found.open ? 'At least ' : ''}${found.total} ${found.total === 1 ? 'tool' : 'tools'}`];
  for (const c of found.corrections) parts.push(`searched for “${plain(c.to)}” instead of “${plain(c.from)}”`);
  return `${[...parts, ...found.notes.map(plain)].join('; ')}.`;
}

const yesNo = (b) => (b ? 'yes' : 'no');
// The words of the pages for what the index spells for programs.
const spoken = {
  kind: { patch: 'Python tool', install: 'Installable program', skill: 'Skill', arcade: 'Arcade tool' },
  network: { yes: 'network', no: 'no network' },
  fs: { none: 'no files', 'read-only': 'reads files', 'read-write': 'writes files' },
  verified: { yes: 'verified publisher', no: 'not verified' },
  deprecated: { yes: 'deprecated', no: 'not deprecated' },
};
const say = (name, value) => spoken[name]?.[value] ?? value;

// card is one result, of the page's own template.
function card({ tool, why, also }) {
  const { permissions, summary } = tool;
  const li = cardOf.cloneNode(true);
  const command = `patch-git pull ${tool.name}`;
  const slot = (name) => li.querySelector(`[data-slot=${name}]`);
  const [network, files, confirm] = [slot('network'), slot('files'), slot('confirm')];
  put(li, {
    name: tool.name,
    version: tool.latest,
    date: tool.published.slice(0, 10),
    description: tool.description,
    owner: tool.owners?.join(', '),
    kind: say('kind', summary.format),
    license: summary.license,
    network: say('network', yesNo(permissions.network)),
    files: say('fs', permissions.filesystem),
    confirm: permissions.human_confirm ? 'asks first' : '',
    verified: tool.verified === true,
    deprecated: tool.deprecated === true,
    why: why.flatMap((w, i) => [`${i ? ' · ' : ''}${w.in}: `, w.in === 'example' ? `“${plain(w.text)}”` : mark(w.text)]),
    also: also.length ? `nearly the same: ${also.join(', ')}` : '',
    command,
  });
  if (network) network.dataset.value = yesNo(permissions.network);
  if (files) files.dataset.value = permissions.filesystem;
  if (confirm) confirm.dataset.value = 'yes';
  slot('name').href = `t/${tool.name}/index.html`;
  slot('date')?.setAttribute('datetime', tool.published);
  for (const b of li.querySelectorAll('[data-copy]')) b.dataset.copy = command;
  return li;
}

function mark(text) {
  const m = document.createElement('mark');
  m.textContent = plain(text);
  return m;
}

function button(text, act) {
  const b = document.createElement('button');
  b.type = 'button';
  b.textContent = text;
  b.addEventListener('click', act);
  return b;
}

function more(found) {
  if (found.hits.length >= found.total) return [];
  const li = document.createElement('li');
  li.className = 'more';
  li.append(button('Show more', async () => {
    const at = links().length;
    limit += step;
    await search();
    links()[at]?.focus();
  }));
  return [li];
}

const titles = { kind: 'Kind', tag: 'Tag', by: 'Publisher', license: 'Licence', network: 'Network', fs: 'Files', verified: 'Verified', deprecated: 'Deprecated' };

// narrow shows the values by which fewer would be found: buttons that put an
// operator into the field, or take it out again.
function narrow(values) {
  const fields = new Map();
  for (const v of values.filter((one) => !/[\p{White_Space}"\u201C\u201D]/u.test(one.value))) fields.set(v.field, [...fields.get(v.field) ?? [], v]);
  const now = operators();
  const pressed = (v) => now.includes(`${v.field}:${v.value}`);
  const groups = [];
  for (const [name, all] of fields) {
    const shown = all.filter((v, i) => pressed(v) || i < mostValues);
    if (shown.length < 2 && !shown.some(pressed)) continue;
    const group = document.createElement('div');
    group.className = 'facets';
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', titles[name]);
    const title = document.createElement('span');
    title.textContent = titles[name];
    group.append(title, ...shown.map((v) => facet(v, pressed(v))));
    groups.push(group);
  }
  facets.replaceChildren(...groups);
  facets.hidden = groups.length === 0;
}

const operators = () => typed().split(/\s+/).filter(Boolean);

function facet({ field: name, value, count }, pressed) {
  const b = facetOf.cloneNode(true);
  const operator = `${name}:${value}`;
  put(b, { value: say(name, value), count: String(count) });
  b.setAttribute('aria-pressed', String(pressed));
  b.addEventListener('click', () => {
    const now = operators();
    field.value = (pressed ? now.filter((w) => w !== operator) : [...now, operator]).join(' ');
    changed();
    field.focus();
  });
  return b;
}

// changed searches, and keeps what is asked in the address; not with each key,
// because browsers count how often a page does that.
function changed() {
  limit = step;
  pending = search();
  clearTimeout(address);
  address = setTimeout(keep, 250);
}

function keep() {
  clearTimeout(address);
  const url = new URL(location.href);
  if (typed()) url.searchParams.set('q', typed());
  else url.searchParams.delete('q');
  url.hash = '';
  if (url.href !== location.href) history.replaceState(null, '', url);
}

function fromAddress() {
  field.value = new URL(location.href).searchParams.get('q') ?? '';
  pending = search();
}

const links = () => [...results.querySelectorAll('a[data-slot=name]')];

// move puts the focus on the next or the last result, or back into the field.
function move(event, by) {
  const all = links();
  const at = all.findIndex((a) => a.closest('li').contains(document.activeElement));
  if (at < 0 && document.activeElement !== field) return;
  event.preventDefault();
  (at + by < 0 ? field : all[Math.min(at + by, all.length - 1)])?.focus();
}

results.addEventListener('focusin', (event) => {
  for (const li of results.children) {
    const here = li.contains(event.target);
    li.classList.toggle('active', here);
    if (here) li.setAttribute('aria-current', 'true');
    else li.removeAttribute('aria-current');
  }
});
field.addEventListener('input', changed);
field.addEventListener('focus', () => { load(); }); // somebody means to search
form.addEventListener('submit', (event) => event.preventDefault());
document.addEventListener('keydown', async (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const { key } = event;
  const writing = document.activeElement === field;
  if (key === 'ArrowDown' || (key === 'j' && !writing)) move(event, 1);
  else if (!writing && (key === 'ArrowUp' || key === 'k')) move(event, -1);
  else if (!writing && key === 'Escape' && results.contains(document.activeElement)) field.focus();
  else if (writing && key === 'Enter' && typed()) {
    event.preventDefault();
    await pending;
    keep();
    links()[0]?.click();
  }
});
results.addEventListener('click', keep); // so that the way back leads here
addEventListener('popstate', fromAddress);
addEventListener('online', () => { if (index === undefined) pending = search(); });

if (typed()) changed(); // before these scripts were here
else fromAddress();
if (location.hash === '#q') field.focus();
