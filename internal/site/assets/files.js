// patch-git: the files of the index, read with suspicion: a file that is not what
// the specification (index/doc.go) says is an error and never a loop.

const limits = { tools: 1 << 20, inflated: 64 << 20 };

// fetcher reads files below an address.
export function fetcher(base) {
  return async (name) => {
    const answer = await fetch(base + name, { cache: name === 'index.json' ? 'no-cache' : 'default' });
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  };
}

async function inflate(data) {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream('gzip'));
  const parts = [];
  let size = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limits.inflated) {
      await reader.cancel();
      throw new Error('a file of the index is too large');
    }
    parts.push(value);
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}

const nothing = new Uint8Array(0);
const utf8 = new TextDecoder('utf-8', { fatal: true });

// Reader goes through the bytes of one file.
class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
    this.text = nothing;
  }

  get more() { return this.at < this.end; }

  number() {
    let out = 0;
    for (let place = 1; ; place *= 128) {
      if (this.at >= this.end || place > 2 ** 28) throw new Error('the index is damaged');
      const b = this.bytes[this.at++];
      out += (b & 127) * place;
      if (b < 128) return out;
    }
  }

  // take returns a reader of the next n bytes.
  take(n) {
    if (n > this.end - this.at) throw new Error('the index is damaged');
    this.at += n;
    return new Reader(this.bytes, this.at - n, this.at);
  }

  // term is one that begins as the one before does.
  term() {
    const same = this.number();
    const { at, end } = this.take(this.number());
    if (same > this.text.length) throw new Error('the index is damaged');
    const text = new Uint8Array(same + end - at);
    text.set(this.text.subarray(0, same));
    text.set(this.bytes.subarray(at, end), same);
    this.text = text;
    return text.every((b) => b < 128) ? String.fromCharCode.apply(null, text) : utf8.decode(text);
  }

  // each calls visit with the documents of a list, and the impacts if it has them.
  each(tools, impacts, visit) {
    const r = new Reader(this.bytes, this.at, this.end);
    for (let doc = 0; r.more;) {
      doc += r.number();
      const impact = impacts ? r.bytes[r.take(1).at] : 1;
      if (doc >= tools) throw new Error('the index is damaged');
      visit(doc, impact);
    }
  }
}

function fnv(bytes) {
  let h = 0x811c9dc5;
  for (const b of bytes) h = Math.imul(h ^ b, 0x01000193);
  return h >>> 0;
}

const encoder = new TextEncoder();
const kinds = [['text', 1], ['pre', 2], ['name', 4]];

// Files are those of one state of a registry. Each is fetched once.
export class Files {
  #read;
  #kept = new Map();

  constructor(read) { this.#read = read; }

  async open() {
    const root = JSON.parse(utf8.decode(await this.#read('index.json')));
    if (root.edition !== 1) throw new Error(`this page does not know edition ${Number(root.edition)} of the index`);
    const { tools, shards, chunk, folder, stop, weights } = root;
    const whole = (n, from, to) => Number.isInteger(n) && n >= from && n <= to;
    if (!whole(tools, 0, limits.tools) || !whole(shards, 1, 1024) || !whole(chunk, 1, 1024) || !/^[0-9a-f]+$/.test(folder)) throw new Error('the index is damaged');
    Object.assign(this, { tools, shards, chunk, folder, stop: new Set(stop.split(' ')), weights: weights.map((w) => new Set(w.split(' '))) });
    this.groups().catch(() => {}); // every search asks for them
    return this;
  }

  // weight is how much a term of a query counts, in quarters.
  weight(term) {
    if (/^[0-9]+$/.test(term)) return 1;
    const light = this.weights.findIndex((terms) => terms.has(term));
    return 1 + (light < 0 ? this.weights.length : light);
  }

  // file is the parsed content of a file; what failed is tried again next time.
  #file(name, parse) {
    let got = this.#kept.get(name);
    if (!got) {
      got = this.#read(`${this.folder}/${name}`).then(inflate).then(parse);
      got.catch(() => this.#kept.delete(name));
      this.#kept.set(name, got);
    }
    return got;
  }

  // lists returns the lists of a term by their field; of an unknown term, none.
  async lists(term) {
    const first = encoder.encode([...term].slice(0, 3).join(''));
    const shard = await this.#file(`t${fnv(first) % this.shards}.bin`, (bytes) => {
      const terms = new Map();
      for (const r = new Reader(bytes); r.more;) {
        const name = r.term();
        const flags = bytes[r.take(1).at];
        const lists = {};
        for (const [kind, flag] of kinds) if (flags & flag) lists[kind] = r.take(r.number());
        terms.set(name, lists);
      }
      return terms;
    });
    return shard.get(term) ?? {};
  }

  // tool is the listing of a document.
  async tool(doc) {
    const chunk = await this.#file(`c${Math.floor(doc / this.chunk)}.bin`, (bytes) => JSON.parse(utf8.decode(bytes)));
    const tool = chunk[doc % this.chunk];
    if (!tool) throw new Error('the index is damaged');
    return tool;
  }

  // dictionary is all words with the number of tools that have them.
  dictionary() {
    return this.#file('words.bin', (bytes) => {
      const out = [];
      for (const r = new Reader(bytes); r.more;) out.push([r.term(), r.number()]);
      return out;
    });
  }

  // values are the lists of documents by the values of one field of filters.
  values(field) {
    return this.#file(`f-${field}.bin`, (bytes) => {
      const out = new Map();
      for (const r = new Reader(bytes); r.more;) out.set(r.term(), r.take(r.number()));
      return out;
    });
  }

  // groups tell of each document that has near-duplicates the first of them.
  groups() {
    return this.#file('groups.bin', (bytes) => {
      const out = new Map();
      let doc = 0;
      for (const r = new Reader(bytes); r.more;) {
        doc += r.number();
        out.set(doc, doc - r.number());
      }
      return out;
    });
  }
}
