// patch-git: texts cut into words and terms as package index does it; its doc.go
// is the specification, and a test holds the two against each other.

import { stem } from './stem.js';

const UPPER = 1;
const LETTER = 2;
const NUMBER = 3;
const MARK = 4;

function classOf(c) {
  if (c < '\x80') return c >= 'a' && c <= 'z' ? LETTER : c >= 'A' && c <= 'Z' ? UPPER : c >= '0' && c <= '9' ? NUMBER : 0;
  if (/\p{Lu}/u.test(c)) return UPPER;
  if (/\p{L}/u.test(c)) return LETTER;
  if (/\p{N}/u.test(c)) return NUMBER;
  return /\p{M}/u.test(c) ? MARK : 0;
}

const apostrophe = (c) => c === "'" || c === '\u2019';

// lower makes one code point of one, whatever stands around it.
export const lower = (text) => (/^[\0-\x7f]*$/.test(text) ? text.toLowerCase() : Array.from(text, (c) => String.fromCodePoint(c.toLowerCase().codePointAt(0))).join(''));

// runs calls visit with each run, as code points, where its parts begin in it, and
// where it begins in the text.
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
    visit(all.slice(start, i), cuts.map((c) => c - start), start);
    if (apostrophe(all[i]) && /^[sS]$/.test(all[i + 1] ?? '') && !classOf(all[i + 2] ?? ' ')) i += 2;
  }
}

const most = 64; // code points of a word

// spans returns the words of a text, of each run the whole and then its parts:
// { word, text, end }, the text as it stands there and the code point behind it.
export function spans(text) {
  const out = [];
  runs(text, (run, cuts, at) => {
    const one = (from, to) => {
      if (to - from > most) return;
      const part = run.slice(from, to).join('');
      out.push({ word: lower(part), text: part, end: at + to });
    };
    one(0, run.length);
    if (cuts.length < 2) return;
    cuts.forEach((from, k) => {
      const to = cuts[k + 1] ?? run.length;
      if (to - from >= 2) one(from, to);
    });
  });
  return out;
}

// words returns the words alone.
export const words = (text) => spans(text).map((s) => s.word);

// leaves returns the parts alone, in order.
export function leaves(text) {
  const out = [];
  runs(text, (run, cuts) => cuts.forEach((from, k) => {
    const part = run.slice(from, cuts[k + 1]);
    if (part.length <= most) out.push(lower(part.join('')));
  }));
  return out;
}

// term is what a word is looked up by.
export const term = (word) => (/^[a-z]+$/.test(word) ? stem(word) : word);

// key is what a whole query is compared with names by.
export const key = (text) => lower(text).replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '');
