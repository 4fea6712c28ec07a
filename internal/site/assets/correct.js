// patch-git: what a word that no tool has was meant to be, as package index finds
// it: the word is completed, else a slip of the keys is undone.

const shortest = { oneEdit: 4, twoEdits: 8 }; // code points

// correct returns the word of the dictionary, '' if none is near enough. The
// dictionary is [word, tools] in byte order.
export function correct(dictionary, word) {
  const completed = best(dictionary, (other) => (other.startsWith(word) ? 0 : -1));
  const letters = [...word];
  if (completed || letters.length < shortest.oneEdit || /\p{N}/u.test(word)) return { to: completed, completed: completed !== '' };
  const far = letters.length >= shortest.twoEdits ? 2 : 1;
  const set = lettersOf(word);
  const to = best(dictionary, (other) => {
    if (Math.abs(other.length - word.length) > 2 * far || bits(set ^ lettersOf(other)) > 2 * far) return -1;
    const d = distance(letters, [...other]);
    return d <= far ? d : -1;
  });
  return { to, completed: false };
}

// lettersOf is what a word is made of, a bit for each letter; an edit changes at
// most two, so that most words need not be measured.
function lettersOf(word) {
  let set = 0;
  for (const c of word) set |= 1 << (c.codePointAt(0) % 32);
  return set;
}

function bits(set) {
  let n = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) n++;
  return n;
}

// best is the nearest word (a measure below 0 is none), of several the one in
// most tools, and of those the first.
function best(dictionary, measure) {
  let found = { word: '', near: Infinity, tools: 0 };
  for (const [word, tools] of dictionary) {
    const near = measure(word);
    if (near >= 0 && (near < found.near || (near === found.near && tools > found.tools))) found = { word, near, tools };
  }
  return found.word;
}

// distance counts insertions, deletions, replacements and swaps of neighbours.
function distance(a, b) {
  let above;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const twice = above;
    above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], twice[j - 2] + 1);
    }
  }
  return row[b.length];
}
