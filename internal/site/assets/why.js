// patch-git: where the words of a query stand in a tool.

import { leaves, term, words } from './words.js';

// pieces are the texts of a tool that a search looks at, most telling first.
export function pieces(tool) {
  const s = tool.summary;
  const all = [['name', tool.name]];
  for (const a of s.aliases ?? []) all.push(['alias', a]);
  all.push(['description', tool.description]);
  for (const t of s.tags ?? []) all.push(['tag', t]);
  for (const e of s.examples ?? []) all.push(['example', e]);
  for (const o of tool.owners ?? []) all.push(['owner', o]);
  for (const i of s.inputs ?? []) all.push(['input', i.name], ['input', i.description ?? '']);
  return all;
}

// stands tells whether the terms of a phrase follow each other in one piece.
export function stands(tool, phrase, stop) {
  const wanted = leaves(phrase).filter((w) => !stop.has(w)).map(term);
  return pieces(tool).some(([, text]) => {
    const there = leaves(text).filter((w) => !stop.has(w)).map(term);
    for (let i = 0; i + wanted.length <= there.length; i++) if (wanted.every((w, k) => there[i + k] === w)) return true;
    return false;
  });
}

// why tells where terms stand, each kind of place once, most telling first.
export function why(tool, terms) {
  const out = [];
  for (const [place, text] of pieces(tool)) {
    if (out.some((w) => w.in === place)) continue;
    const found = [...new Set(words(text).filter((w) => terms.has(term(w))))];
    if (found.length) out.push({ in: place, text: place === 'example' ? text : found.join(' ') });
  }
  return out;
}
