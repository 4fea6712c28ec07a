// Answers queries by the scripts of the pages: reads {assets, pages, queries, words}
// from standard input, and writes what is found for each, and the words' words.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const asked = JSON.parse(readFileSync(0, 'utf8'));
const load = (name) => import(pathToFileURL(join(asked.assets, name)));
const { open } = await load('search.js');
const { leaves, term, words } = await load('words.js');

const index = await open(async (name) => new Uint8Array(readFileSync(join(asked.pages, name))));
const answers = [];
for (const query of asked.queries) {
  const { hits, total, open: more, corrections, facets } = await index.search(query, 10);
  answers.push({
    hits: hits.map((h) => ({ name: h.tool.name, score: h.score, exact: h.exact, also: h.also, why: h.why })),
    total: more ? -1 : total, corrections, facets: more ? [] : await facets(),
  });
}
const texts = asked.texts.map((t) => ({ words: words(t), leaves: leaves(t) }));
process.stdout.write(JSON.stringify({ answers, texts, stems: asked.words.map(term) }));
