// patch-git: words that no tool has, and what is looked for instead, as package
// index does it: a word is completed, else its typing mistake is undone.

import { term } from './words.js';

const mostTerms = 8; // of a query in which anything is corrected
const mostWords = 4; // that are corrected

// corrections changes the words that do not occur, and returns what it changed.
export async function corrections(all, files) {
  const unknown = all.filter((w) => !w.phrase && [...w.word].length >= 3 && !w.lists.text && !w.lists.sem);
  if (all.length > mostTerms || unknown.length === 0) return [];
  const dictionary = await files.dictionary();
  const out = [];
  for (const w of unknown.slice(0, mostWords)) {
    const completed = best(dictionary, (word) => (word.startsWith(w.word) ? 0 : -1));
    const to = completed ?? nearest(dictionary, w.word);
    if (!to) continue;
    out.push({ from: w.word, to });
    w.word = to;
    w.term = term(to);
    if (!completed) w.begins = to;
    w.lists = await files.lists(w.term);
  }
  return out;
}

function nearest(dictionary, word) {
  const letters = [...word];
  if (letters.length < 4 || /\p{N}/u.test(word)) return null;
  const far = letters.length >= 8 ? 2 : 1;
  return best(dictionary, (other) => {
    const there = [...other];
    if (Math.abs(there.length - letters.length) > far) return -1;
    const d = distance(letters, there);
    return d <= far ? d : -1;
  });
}

// best is the nearest word (a measure below 0 is none), of several the one in
// most tools; the dictionary is in byte order, so that the first is kept.
function best(dictionary, measure) {
  let found = null;
  for (const [word, tools] of dictionary) {
    const d = measure(word);
    if (d >= 0 && (!found || d < found.d || (d === found.d && tools > found.tools))) found = { word, d, tools };
  }
  return found?.word ?? null;
}

// distance counts insertions, deletions, replacements and swaps of neighbours.
function distance(a, b) {
  let older = [];
  let old = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const now = [i];
    for (let j = 1; j <= b.length; j++) {
      now[j] = Math.min(old[j] + 1, now[j - 1] + 1, old[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) now[j] = Math.min(now[j], older[j - 2] + 1);
    }
    [older, old] = [old, now];
  }
  return old[b.length];
}
