// patch-git: a query taken apart as index.ParseQuery does it. It never fails:
// what is no operator is text.

import { key, lower } from './words.js';

const yesNo = new Map([['true', 'yes'], ['on', 'yes'], ['1', 'yes'], ['false', 'no'], ['off', 'no'], ['0', 'no']]);
const access = new Map([['ro', 'read-only'], ['read', 'read-only'], ['rw', 'read-write'], ['write', 'read-write']]);

// Each operator: other spellings of its values, and all values where they are few.
const operators = new Map([
  ['name', {}], ['tag', {}], ['by', {}], ['kind', { all: ['patch', 'install', 'skill', 'arcade'] }], ['license', {}],
  ['network', { also: yesNo, all: ['yes', 'no'] }], ['fs', { also: access, all: ['none', 'read-only', 'read-write'] }],
  ['verified', { also: yesNo, all: ['yes', 'no'] }], ['deprecated', { also: yesNo, all: ['yes', 'no'] }],
]);

const most = 4096; // bytes

const edges = /^\p{White_Space}+|\p{White_Space}+$/gu;
const quote = /["\u201C\u201D]/;

// cut holds a text to the bytes of a query.
export function cut(typed) {
  const bytes = new TextEncoder().encode(typed);
  if (bytes.length <= most) return typed;
  let end = most;
  while ((bytes[end] & 0xc0) === 0x80) end--;
  return new TextDecoder().decode(bytes.subarray(0, end));
}

// parse returns { text, phrases, filters: [{ field, value, not }], notes }.
export function parse(typed) {
  const q = { text: '', phrases: [], filters: [], notes: [] };
  const text = [];
  const start = (s) => s.replace(/^\p{White_Space}+/u, '');
  for (let rest = start(cut(typed)); rest !== ''; rest = start(rest)) {
    const phrase = quoted(rest);
    const filter = phrase ? null : operator(rest, q);
    const [one, after] = phrase ?? filter ?? token(rest);
    if (phrase) q.phrases.push(one);
    else if (!filter) text.push(one);
    rest = after;
  }
  q.text = text.join(' ');
  return q;
}

// Each of these returns what is there and what is behind it.

function token(s) {
  const end = s.search(/\p{White_Space}/u);
  return end < 0 ? [s, ''] : [s.slice(0, end), s.slice(end)];
}

function quoted(s) {
  if (!quote.test(s[0] ?? '')) return null;
  const end = s.slice(1).search(quote);
  return end < 0 ? null : [s.slice(1, end + 1), s.slice(end + 2)];
}

function operator(s, q) {
  const colon = s.indexOf(':');
  if (colon < 0) return null;
  const field = lower(s.slice(0, colon).replace(/^-/, ''));
  const known = operators.get(field);
  if (!known) return null;
  const [typed, rest] = quoted(s.slice(colon + 1)) ?? token(s.slice(colon + 1));
  let value = lower(typed.replace(edges, ''));
  if (value === '') return null;
  if (field === 'by') value = value.replace(/^@/, '');
  value = known.also?.get(value) ?? value;
  const values = field === 'name' ? key(value).split('_').filter(Boolean) : [value];
  for (const v of values) q.filters.push({ field, value: v, not: s[0] === '-' });
  if (values.length === 0) q.notes.push(`“${typed}” is no part of a name`);
  else if (known.all && !known.all.includes(value)) q.notes.push(`${field}: is one of ${known.all.join(', ')}`);
  return [typed, rest];
}
