// patch-git: a query taken apart as index.ParseQuery does it. It never fails:
// what is no operator is text.

const fields = ['name', 'tag', 'by', 'kind', 'license', 'network', 'fs', 'verified', 'deprecated'];
const yesNo = new Map(Object.entries({ yes: 'yes', true: 'yes', on: 'yes', 1: 'yes', no: 'no', false: 'no', off: 'no', 0: 'no' }));
const files = new Map(Object.entries({ none: 'none', ro: 'read-only', read: 'read-only', 'read-only': 'read-only', rw: 'read-write', write: 'read-write', 'read-write': 'read-write' }));
const most = 4096; // bytes

const space = /\p{White_Space}/u;
const quote = /["\u201C\u201D]/;

// parse returns { text, phrases, filters: [{ field, value, not }], notes }.
export function parse(typed) {
  const q = { text: '', phrases: [], filters: [], notes: [] };
  const text = [];
  let rest = cap(typed);
  while (rest !== '') {
    if (space.test(rest[0])) {
      rest = rest.slice(1);
      continue;
    }
    const operator = /^(-?)([A-Za-z]+):/.exec(rest);
    const field = operator && fields.includes(operator[2].toLowerCase()) ? operator[2].toLowerCase() : '';
    const from = field ? operator[0].length : 0;
    let value;
    let end;
    if (quote.test(rest[from] ?? '')) {
      end = rest.slice(from + 1).search(quote);
      if (end < 0) { // it quotes nothing
        rest = rest.slice(0, from) + ' ' + rest.slice(from + 1);
        continue;
      }
      end += from + 1;
      value = rest.slice(from + 1, end);
      end++;
      if (!field) {
        q.phrases.push(value);
        rest = rest.slice(end);
        continue;
      }
    } else {
      end = rest.search(space);
      if (end < 0) end = rest.length;
      value = rest.slice(from, end);
    }
    if (field && value !== '') filter(q, field, value, operator[1] === '-');
    else text.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  q.text = text.join(' ');
  return q;
}

function cap(typed) {
  const bytes = new TextEncoder().encode(typed);
  if (bytes.length <= most) return typed;
  let end = most;
  while ((bytes[end] & 0xc0) === 0x80) end--;
  return new TextDecoder().decode(bytes.subarray(0, end));
}

function filter(q, field, typed, not) {
  let value = [...typed].map((c) => String.fromCodePoint(c.toLowerCase().codePointAt(0))).join('');
  const add = (v) => q.filters.push({ field, value: v, not });
  if (field === 'name') return value.split(/[^a-z0-9]+/).filter(Boolean).forEach(add);
  const known = field === 'fs' ? files : ['network', 'verified', 'deprecated'].includes(field) ? yesNo : null;
  if (field === 'by') value = value.replace(/^@/, '');
  if (known && !known.has(value)) q.notes.push(`${field}: is ${[...new Set(known.values())].join(', ')}`);
  add(known?.get(value) ?? value);
}
