// patch-git: Porter2, the English stemmer of Snowball, as package index has it: the same
// stem for the same word, or a page would not find what the program finds.
// https://snowballstem.org/algorithms/english/stemmer.html

const whole = new Map(Object.entries({
  skis: 'ski', skies: 'sky', dying: 'die', lying: 'lie', tying: 'tie',
  idly: 'idl', gently: 'gentl', ugly: 'ugli', early: 'earli', only: 'onli', singly: 'singl',
  sky: 'sky', news: 'news', howe: 'howe', atlas: 'atlas', cosmos: 'cosmos', bias: 'bias', andes: 'andes',
}));
const finished = new Set(['inning', 'outing', 'canning', 'herring', 'earring', 'proceed', 'exceed', 'succeed']);

// Endings of each step and what stands in their place; of all that fit, the
// longest counts, and where its condition does not hold nothing happens.
const plural = new Map(Object.entries({ sses: 'ss', ied: 'i', ies: 'i', us: 'us', ss: 'ss', s: '' }));
const past = new Map(Object.entries({ eed: 'ee', eedly: 'ee', ed: '', edly: '', ing: '', ingly: '' }));
const long = new Map(Object.entries({
  tional: 'tion', enci: 'ence', anci: 'ance', abli: 'able', entli: 'ent', izer: 'ize', ization: 'ize',
  ational: 'ate', ation: 'ate', ator: 'ate', alism: 'al', aliti: 'al', alli: 'al', fulness: 'ful',
  ousli: 'ous', ousness: 'ous', iveness: 'ive', iviti: 'ive', biliti: 'ble', bli: 'ble', ogi: 'og',
  fulli: 'ful', lessli: 'less', li: '',
}));
const middle = new Map(Object.entries({
  tional: 'tion', ational: 'ate', alize: 'al', icate: 'ic', iciti: 'ic', ical: 'ic', ful: '', ness: '', ative: '',
}));
const last = new Map('al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion'.split(' ').map((s) => [s, '']));

const vowel = (c) => c !== undefined && 'aeiouy'.includes(c); // of nothing it would be true
const hasVowel = (s) => /[aeiouy]/.test(s);

// ending is the longest of the table that w ends with.
function ending(w, table) {
  for (let n = Math.min(7, w.length); n > 0; n--) {
    const s = w.slice(-n);
    if (table.has(s)) return s;
  }
  return '';
}

// past a vowel and the next letter that is none: where a region begins.
function region(w, from) {
  let i = from;
  while (i < w.length && !vowel(w[i])) i++;
  while (i < w.length && vowel(w[i])) i++;
  return i < w.length ? i + 1 : w.length;
}

// A short syllable at the end.
function short(w) {
  const n = w.length;
  if (n < 2 || vowel(w[n - 1]) || !vowel(w[n - 2])) return false;
  return n === 2 || (!vowel(w[n - 3]) && !'wxY'.includes(w[n - 1]));
}

// stem returns the stem of a word of the letters a to z.
export function stem(word) {
  if (whole.has(word)) return whole.get(word);
  if (word.length < 3) return word;
  let w = '';
  for (const c of word) w += c === 'y' && (w === '' || vowel(w.at(-1))) ? 'Y' : c; // a consonant

  const begin = /^(?:gener|commun|arsen)/.exec(w);
  const r1 = begin ? begin[0].length : region(w, 0);
  const r2 = region(w, r1);
  const keep = (s) => w.slice(0, w.length - s.length);
  const within = (r, s) => s !== '' && w.length - s.length >= r;

  let s = ending(w, plural);
  if (s === 'ied' || s === 'ies') w = keep(s) + (w.length > 4 ? 'i' : 'ie');
  else if (s !== 's' || hasVowel(w.slice(0, -2))) w = keep(s) + (plural.get(s) ?? '');
  if (finished.has(w)) return w;

  s = ending(w, past);
  if (s === 'eed' || s === 'eedly') {
    if (within(r1, s)) w = keep(s) + 'ee';
  } else if (s && hasVowel(keep(s))) {
    w = keep(s);
    if (/(?:at|bl|iz)$/.test(w)) w += 'e';
    else if (/([bdfgmnprt])\1$/.test(w)) w = w.slice(0, -1);
    else if (w.length === r1 && short(w)) w += 'e';
  }

  if (/[yY]$/.test(w) && w.length > 2 && !vowel(w.at(-2))) w = w.slice(0, -1) + 'i';

  s = ending(w, long);
  if (within(r1, s) && (s !== 'ogi' || w.at(-4) === 'l') && (s !== 'li' || /[cdeghkmnrt]li$/.test(w))) w = keep(s) + long.get(s);

  s = ending(w, middle);
  if (within(r1, s) && (s !== 'ative' || within(r2, s))) w = keep(s) + middle.get(s);

  s = ending(w, last);
  if (within(r2, s) && (s !== 'ion' || /[st]ion$/.test(w))) w = keep(s);

  if (w.endsWith('e')) {
    if (within(r2, 'e') || (within(r1, 'e') && !short(w.slice(0, -1)))) w = w.slice(0, -1);
  } else if (w.endsWith('ll') && within(r2, 'l')) w = w.slice(0, -1);
  return w.replaceAll('Y', 'y');
}
