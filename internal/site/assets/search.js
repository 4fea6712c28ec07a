// patch-git: the search of package index, from the same integers, so that a page
// ranks as the program does. index/doc.go is the specification.

import { correct } from './correct.js';
import { fetcher, Files } from './files.js';
import { cut, parse } from './query.js';
import { stand, why } from './why.js';
import { key, leaves, term, words } from './words.js';

const most = { terms: 64, termsCorrected: 4, values: 32 };
const prefix = { from: 3, to: 12 }; // code points
const counted = ['kind', 'tag', 'by', 'license', 'network', 'fs', 'verified', 'deprecated'];

// open reads what every search needs; base is an address, or reads files by name.
export async function open(base) {
  return new Index(await new Files(typeof base === 'function' ? base : fetcher(base)).open());
}

// prefixes are the beginnings of a word, of at least half of it.
function* prefixes(word) {
  const letters = [...word];
  for (let n = Math.max(prefix.from, Math.ceil(letters.length / 2)); n <= Math.min(prefix.to, letters.length); n++) yield letters.slice(0, n).join('');
}

export class Index {
  constructor(files) { this.files = files; }

  // search returns the best tools for what somebody typed. The facets of all that
  // are found are a function, because they take other files. Of phrases not more
  // is looked for than is shown: then the result is open, and total the least.
  async search(typed, limit) {
    const query = parse(typed);
    const plan = await this.#plan(query);
    const list = plan.browse ? this.#all(plan) : await this.#rank(plan);
    const leader = plan.browse || list.length === 0 ? new Map() : await this.files.groups();
    const groups = new Map();
    const found = [];
    let open = false;
    for (const one of list) {
      const group = leader.get(one.tool) ?? one.tool;
      if (plan.phrases.length) {
        if (groups.size > limit && !groups.has(group)) {
          open = true;
          continue;
        }
        const tool = await this.files.tool(one.tool);
        if (!plan.phrases.every((p) => stand(tool, p, this.files.stop))) continue;
      }
      found.push(one.tool);
      if (groups.has(group)) groups.get(group).push(one);
      else groups.set(group, [one]);
    }
    return {
      hits: await Promise.all([...groups.values()].slice(0, limit).map((g) => this.#hit(plan, g))),
      total: groups.size, open, notes: query.notes, corrections: plan.corrections, facets: () => this.#count(found),
    };
  }

  // The query in terms of the index, with the lists of its terms.
  async #plan(query) {
    const { files } = this;
    const plan = { terms: [], prefixes: new Map(), phrases: [], corrections: [], typed: new Map(), lists: new Map(), allowed: null };
    const list = []; // of words that are no stop words, each term once
    let any = false;
    const take = (word, phrase) => {
      any = true;
      if (files.stop.has(word)) return null;
      const t = term(word);
      if (list.length < most.terms && !list.some((w) => w.term === t)) list.push({ word, term: t, phrase });
      return t;
    };
    for (const w of words(query.text)) take(w, false);
    for (const p of query.phrases.slice(0, most.terms)) {
      const terms = [];
      for (const w of leaves(p)) {
        const t = terms.length < most.terms && take(w, true);
        if (t) terms.push(t);
      }
      if (terms.length) plan.phrases.push(terms);
    }
    plan.browse = list.length === 0 && (query.filters.length > 0 || !any);
    plan.key = query.phrases.length ? '' : key(cut(query.text));

    // What is on other files is asked for at once.
    const ahead = [...list.map((w) => w.term), ...list.flatMap((w) => [...prefixes(w.word)].slice(0, 1)), plan.key].filter(Boolean);
    await Promise.all([...ahead.map((t) => files.lists(t)), ...query.filters.map((f) => files.values(f.field))]);
    await this.#narrow(plan, query.filters);
    await this.#expand(plan, list);
    return plan;
  }

  // What a candidate has: every filter, and every word of every phrase.
  async #narrow(plan, filters) {
    const { files } = this;
    const only = (list, impacts, not) => {
      const has = new Uint8Array(files.tools).fill(not ? 1 : 0);
      list?.each(files.tools, impacts, (d) => { has[d] = not ? 0 : 1; });
      if (plan.allowed) plan.allowed.forEach((old, d) => { has[d] &= old; });
      plan.allowed = has;
    };
    for (const f of filters) only((await files.values(f.field)).get(f.value), false, f.not);
    for (const t of plan.phrases.flat()) only((await files.lists(t)).text, true, false);
  }

  // The terms of the words, of those that occur nowhere corrected ones.
  async #expand(plan, list) {
    const { files } = this;
    for (const w of list) {
      let { term: t, word } = w;
      const lists = await files.lists(t);
      const occurs = w.phrase || list.length > most.termsCorrected || lists.text;
      if (!occurs && [...word].length >= prefix.from) {
        const { to, completed } = correct(await files.dictionary(), word);
        if (to) {
          plan.corrections.push({ from: word, to });
          t = term(to);
          if (!completed) word = to;
        }
      }
      if (!plan.terms.includes(t)) {
        plan.terms.push(t);
        plan.typed.set(t, w.word);
      }
      // What several words begin with counts as much as the weightiest of them.
      for (const p of prefixes(word)) plan.prefixes.set(p, Math.max(plan.prefixes.get(p) ?? 0, files.weight(t)));
    }
  }

  #all(plan) {
    const out = [];
    for (let d = 0; d < this.files.tools; d++) if (!plan.allowed || plan.allowed[d]) out.push({ tool: d, exact: 0, score: 0 });
    return out;
  }

  // The candidates by exact name, score and name, without the tail.
  async #rank(plan) {
    const { files } = this;
    const scores = new Int32Array(files.tools);
    const exact = new Map();
    const sum = (list, weight) => list?.each(files.tools, true, (d, impact) => { if (!plan.allowed || plan.allowed[d]) scores[d] += weight * impact; });
    for (const t of plan.terms) sum((await files.lists(t)).text, files.weight(t));
    for (const [p, weight] of plan.prefixes) sum((await files.lists(p)).pre, weight);
    if (plan.key) (await files.lists(plan.key)).name?.each(files.tools, true, (d, impact) => { if (!plan.allowed || plan.allowed[d]) exact.set(d, impact); });

    const list = [];
    let best = 0;
    for (let d = 0; d < files.tools; d++) {
      if (!scores[d] && !exact.has(d)) continue;
      best = Math.max(best, scores[d]);
      list.push({ tool: d, exact: exact.get(d) ?? 0, score: scores[d] });
    }
    return list.filter((f) => (4 * f.score >= best && f.score > 0) || f.exact)
      .sort((a, b) => b.exact - a.exact || b.score - a.score || a.tool - b.tool);
  }

  async #hit(plan, [best, ...rest]) {
    const tool = await this.files.tool(best.tool);
    const also = await Promise.all(rest.map(async (f) => (await this.files.tool(f.tool)).name));
    return { tool, score: best.score, exact: ['', 'alias', 'name'][best.exact], also, why: why(tool, plan, this.files.stop) };
  }

  // How many of some tools have each value.
  async #count(found) {
    const among = new Uint8Array(this.files.tools);
    for (const d of found) among[d] = 1;
    const fields = await Promise.all(counted.map(async (field) => {
      const values = [];
      for (const [value, list] of await this.files.values(field)) {
        let count = 0;
        list.each(this.files.tools, false, (d) => { count += among[d]; });
        if (count > 0) values.push({ field, value, count });
      }
      // They come in byte order, and sorting keeps it.
      return values.sort((a, b) => b.count - a.count).slice(0, most.values);
    }));
    return fields.flat();
  }
}
