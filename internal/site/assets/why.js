// patch-git: where the words of a query stand in a tool.

import { leaves, spans, term } from './words.js';

// pieces are the texts of a tool that a search looks at, the weightiest first.
function pieces(tool) {
  const s = tool.summary;
  const all = [['name', tool.name]];
  for (const a of s.aliases ?? []) all.push(['alias', a]);
  all.push(['description', tool.description]);
  for (const t of s.tags ?? []) all.push(['tag', t]);
  for (const e of s.examples ?? []) all.push(['example', e]);
  for (const o of tool.owners ?? []) all.push(['owner', o]);
  for (const i of s.inputs ?? []) all.push(['input', i.name], ['input', i.description ?? '']);
  for (const o of s.operations ?? []) all.push(['operation', o.name], ['operation', o.description ?? '']);
  return all;
}

// stand tells whether terms follow each other in one piece.
export function stand(tool, wanted, stop) {
  return pieces(tool).some(([, text]) => {
    const there = leaves(text).filter((w) => !stop.has(w)).map(term);
    for (let i = 0; i + wanted.length <= there.length; i++) if (wanted.every((t, k) => there[i + k] === t)) return true;
    return false;
  });
}

// why tells in which texts of a tool words of the query stand: { in, text }. If none
// does, the tool has synonyms of them, or they are parts of a name without a cut.
export function why(tool, plan, stop) {
  const out = [];
  let best = 0; // terms in the example that is shown
  for (const [place, text] of pieces(tool)) {
    const named = place === 'name' || place === 'alias' || place === 'owner';
    const found = [];
    const terms = new Set();
    let behind = 0;
    for (const w of spans(text)) {
      if (w.end <= behind) continue;
      let t = stop.has(w.word) ? '' : term(w.word);
      if (!plan.terms.includes(t)) t = '';
      if (!t && named && [...plan.prefixes.keys()].some((p) => w.word.startsWith(p))) t = w.word;
      if (!t || terms.has(t)) continue;
      terms.add(t);
      found.push(w.text);
      behind = w.end;
    }
    if (found.length === 0) continue;
    const there = out.find((w) => w.in === place);
    if (place === 'example') {
      if (terms.size <= best) continue;
      best = terms.size;
      if (there) there.text = text;
      else out.push({ in: place, text });
    } else if (there) there.text = [...new Set([...there.text.split(' '), ...found])].join(' ');
    else out.push({ in: place, text: found.join(' ') });
  }
  if (out.length === 0 && plan.terms.length) out.push({ in: 'meaning', text: plan.terms.map((t) => plan.typed.get(t)).join(' ') });
  return out;
}
