// patch-git: texts cut into words and terms as package index does it; its doc.go
// is the specification, and a test holds the two against each other.

import { stem } from './stem.js';

const UPPER = 1;
const LETTER = 2;
const NUMBER = 3;
const MARK = 4;

function classOf(c) {
  if (c >= 'a' && c <= 'z') return LETTER;
  if (/\p{Lu}/u.test(c)) return UPPER;
  if (/\p{L}/u.test(c)) return LETTER;
  if (/\p{N}/u.test(c)) return NUMBER;
  return /\p{M}/u.test(c) ? MARK : 0;
}

const apostrophe = (c) => c === "'" || c === '\u2019';

// One code point for one, whatever stands around it.
const lower = (run) => run.map((c) => String.fromCodePoint(c.toLowerCase().codePointAt(0))).join('');

// runs calls visit with each run, as code points, and where its parts begin.
function runs(text, visit) {
  const all = [...text];
  for (let i = 0; i < all.length;) {
    let before = classOf(all[i]);
    if (before === 0 || before === MARK) {
      i++;
      continue;
    }
    const start = i;
    const cuts = [start];
    for (i++; i < all.length; i++) {
      let now = classOf(all[i]);
      if (now === 0) break;
      if (now === MARK) now = before;
      if (now !== before) {
        const cut = before === UPPER && now === LETTER ? i - 1 : i;
        if (cut > cuts.at(-1)) cuts.push(cut);
      }
      before = now;
    }
    visit(all.slice(start, i), cuts.map((c) => c - start));
    if (apostrophe(all[i]) && /^[sS]$/.test(all[i + 1] ?? '') && !classOf(all[i + 2] ?? ' ')) i += 2;
  }
}

const most = 64; // code points of a word

// words returns the words of a text: of each run the whole, then its parts.
export function words(text) {
  const out = [];
  runs(text, (run, cuts) => {
    if (run.length <= most) out.push(lower(run));
    if (cuts.length < 2) return;
    cuts.forEach((from, k) => {
      const part = run.slice(from, cuts[k + 1]);
      if (part.length >= 2 && part.length <= most) out.push(lower(part));
    });
  });
  return out;
}

// leaves returns the parts alone, in order.
export function leaves(text) {
  const out = [];
  runs(text, (run, cuts) => cuts.forEach((from, k) => {
    const part = run.slice(from, cuts[k + 1]);
    if (part.length <= most) out.push(lower(part));
  }));
  return out;
}

// term is what a word is looked up by.
export const term = (word) => (/^[a-z]+$/.test(word) ? stem(word) : word);

// key is what a whole query is compared with names by.
export const key = (text) => lower([...text]).replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '');
