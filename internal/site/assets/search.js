// patch-git: the search of package index, from the same integers, so that a page
// ranks as the program does. index/doc.go is the specification.

import { corrections } from './correct.js';
import { fetcher, Files } from './files.js';
import { parse } from './query.js';
import { stands, why } from './why.js';
import { key, leaves, term, words } from './words.js';

const most = 64; // terms of a query
const shownFacets = ['kind', 'network', 'fs', 'verified', 'deprecated', 'tag', 'by', 'license'];

// open reads what every search needs; base is an address, or reads files by name.
export async function open(base) {
  return new Index(await new Files(typeof base === 'function' ? base : fetcher(base)).open());
}

export class Index {
  constructor(files) { this.files = files; }

  // search returns the best tools for what somebody typed, with the facets of
  // all that are found as a function, because they take another file.
  async search(typed, limit) {
    const query = parse(typed);
    const terms = await this.#terms(query);
    const holds = await this.#holding(query);
    let ranked = []; // [document, score], best first
    if (terms.list.length === 0 && (query.filters.length > 0 || !terms.words)) {
      for (let d = 0; d < this.files.tools; d++) if (holds(d)) ranked.push([d, 0]);
      return this.#answer(query, terms, ranked, limit, false);
    }
    const scored = terms.list.length ? await this.#scored(terms, holds) : [];
    for (const d of await this.#exact(query, holds)) ranked.push([d, scored.find(([e]) => e === d)?.[1] ?? 0]);
    const first = new Set(ranked.map(([d]) => d));
    const best = scored[0]?.[1] ?? 0;
    ranked = ranked.concat(scored.filter(([d, score]) => 4 * score >= best && !first.has(d)));
    return this.#answer(query, terms, ranked, limit, true);
  }

  // The documents that pass all filters, as a set of bytes.
  async #filtered(filters) {
    const lists = await this.files.facets();
    const { tools } = this.files;
    const out = new Uint8Array(tools).fill(1);
    for (const f of filters) {
      const has = new Uint8Array(tools);
      lists.get(`${f.field}:${f.value}`)?.each(tools, false, (d) => { has[d] = 1; });
      for (let d = 0; d < tools; d++) if (has[d] === (f.not ? 1 : 0)) out[d] = 0;
    }
    return out;
  }

  // The terms that are looked for: of text and sem, and the beginnings for pre.
  async #terms(query) {
    const { files } = this;
    const all = []; // { word, term, phrase }
    const seen = new Set();
    let any = false;
    const add = (list, phrase) => list.forEach((word) => {
      any = true;
      const t = term(word);
      if (files.stop.has(word) || seen.has(t) || all.length >= most) return;
      seen.add(t);
      all.push({ word, begins: word, term: t, phrase });
    });
    add(words(query.text), false);
    for (const p of query.phrases) add(leaves(p), true);
    await Promise.all(all.map(async (w) => { w.lists = await files.lists(w.term); }));
    const corrected = await corrections(all, files);
    return { list: all, words: any, corrected };
  }

  // A test of whether a document passes the filters and has every word of every phrase.
  async #holding(query) {
    const { files } = this;
    const allowed = query.filters.length ? await this.#filtered(query.filters) : null;
    const has = [];
    const needed = new Set(query.phrases.flatMap((p) => leaves(p)).filter((w) => !files.stop.has(w)).map(term));
    for (const t of needed) {
      const docs = new Set();
      (await files.lists(t)).text?.each(files.tools, true, (d) => docs.add(d));
      has.push(docs);
    }
    return (d) => (!allowed || allowed[d] === 1) && has.every((docs) => docs.has(d));
  }

  // The documents whose name, and then those of which an alias, is the whole query.
  async #exact(query, holds) {
    const whole = query.phrases.length === 0 ? key(query.text) : '';
    if (whole === '') return [];
    const found = [];
    (await this.files.lists(whole)).name?.each(this.files.tools, true, (d, impact) => { if (holds(d)) found.push([d, impact]); });
    return found.sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([d]) => d);
  }

  // [document, score], best first.
  async #scored(terms, holds) {
    const { files } = this;
    const text = new Int32Array(files.tools);
    const sem = new Int32Array(files.tools);
    const add = (list, sum) => list?.each(files.tools, true, (d, impact) => { sum[d] += impact; });
    const begins = new Set();
    for (const w of terms.list) {
      add(w.lists.text, text);
      add(w.lists.sem, sem);
      const letters = [...w.begins];
      for (let n = 3; n <= Math.min(12, letters.length); n++) begins.add(letters.slice(0, n).join(''));
    }
    for (const b of begins) add((await files.lists(b)).pre, text);
    let textMost = 1;
    let semMost = 1;
    const candidates = [];
    for (let d = 0; d < files.tools; d++) {
      if ((text[d] === 0 && sem[d] === 0) || !holds(d)) continue;
      candidates.push(d);
      textMost = Math.max(textMost, text[d]);
      semMost = Math.max(semMost, sem[d]);
    }
    return candidates.map((d) => [d, 5 * text[d] * semMost + 4 * sem[d] * textMost]).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  }

  // Hits with their listings. Of near-duplicates only the best is one. Phrases are
  // looked for in the texts themselves, best first and not further than is shown:
  // then there may be more than are counted.
  async #answer(query, terms, ranked, limit, group) {
    const { files } = this;
    const groups = group && ranked.length ? await files.groups() : new Map();
    const hits = [];
    const best = new Map();
    const docs = [];
    let open = false;
    for (const [d, score] of ranked) {
      if (query.phrases.length) {
        if (hits.length > limit) {
          open = true;
          break;
        }
        const tool = await files.tool(d);
        if (!query.phrases.every((p) => stands(tool, p, files.stop))) continue;
      }
      docs.push(d);
      const of = groups.get(d);
      if (of !== undefined && best.has(of)) best.get(of).also.push(d);
      else {
        const hit = { doc: d, score, also: [] };
        if (of !== undefined) best.set(of, hit);
        hits.push(hit);
      }
    }
    const wanted = new Set(terms.list.map((w) => w.term));
    const shown = await Promise.all(hits.slice(0, limit).map(async (h) => {
      const tool = await files.tool(h.doc);
      const also = await Promise.all(h.also.map(async (d) => (await files.tool(d)).name));
      return { ...h, tool, also, why: why(tool, wanted) };
    }));
    return { hits: shown, total: hits.length, open, notes: query.notes, corrections: terms.corrected, facets: () => this.#facets(hits.map((h) => h.doc)) };
  }

  // How many of some documents have each value.
  async #facets(docs) {
    const among = new Uint8Array(this.files.tools);
    for (const d of docs) among[d] = 1;
    const out = [];
    for (const [name, list] of await this.files.facets()) {
      const [, field, value] = /^([a-z]+):(.*)$/s.exec(name) ?? [];
      if (!shownFacets.includes(field)) continue;
      let count = 0;
      list.each(this.files.tools, false, (d) => { count += among[d]; });
      if (count > 0) out.push({ field, value, count });
    }
    const place = (f) => shownFacets.indexOf(f.field);
    return out.sort((a, b) => place(a) - place(b) || b.count - a.count || (a.value < b.value ? -1 : 1));
  }
}
