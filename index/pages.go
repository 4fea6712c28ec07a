package index

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

const (
	chunk      = 16   // listings in a file
	shardTools = 64   // tools for each shard of terms
	mostShards = 1024 // of terms
)

// pageIndex is index.json.
type pageIndex struct {
	Edition int    `json:"edition"`
	Tools   int    `json:"tools"`
	Shards  int    `json:"shards"`
	Chunk   int    `json:"chunk"`
	Folder  string `json:"folder"`
	Stop    string `json:"stop"`

	// Weights are the terms of a query that count one, two and three quarters.
	Weights [weightFull - 1]string `json:"weights"`
}

// Pages are the files of the index that a web page reads, by their paths.
func (b *Built) Pages() map[string][]byte {
	shards := 1
	for shards < mostShards && shards*shardTools < len(b.tools) {
		shards *= 2
	}
	folder := spec.DigestOf(b.segment).Hex()[:16]
	weights := requestWeights()
	for i, list := range weights {
		weights[i] = strings.TrimSpace(list)
	}
	head, err := json.Marshal(pageIndex{Edition, len(b.tools), shards, chunk, folder, stopWords, weights})
	if err != nil {
		panic(err) // numbers and plain words always encode
	}
	out := map[string][]byte{"index.json": append(head, '\n')}
	put := func(name string, content []byte) { out[folder+"/"+name+".bin"] = pack(content) }
	for k, content := range b.shards(shards) {
		put(fmt.Sprintf("t%d", k), content)
	}
	for i := 0; i < len(b.cards); i += chunk {
		cards := bytes.Join(b.cards[i:min(i+chunk, len(b.cards))], []byte(","))
		put(fmt.Sprintf("c%d", i/chunk), slices.Concat([]byte("["), cards, []byte("]")))
	}
	put("words", encodeWords(b.words))
	put("groups", encodeGroups(b.leader))
	facet := b.fields[fieldFacet]
	lists := facet.lists()
	fronts := map[string]*front{}
	for _, field := range Operators() {
		fronts[field] = &front{}
	}
	for _, t := range slices.Sorted(maps.Keys(facet.ids)) {
		field, value, _ := strings.Cut(t, ":")
		fronts[field].add(value)
		fronts[field].list(lists[facet.ids[t]], false)
	}
	for field, f := range fronts {
		put("f-"+field, f.out)
	}
	return out
}

// shards are the postings of all terms, cut by the beginnings of the terms.
func (b *Built) shards(n int) [][]byte {
	fields := []string{fieldText, fieldPre, fieldName}
	var lists [][][]posting
	terms := map[string]bool{}
	for _, f := range fields {
		lists = append(lists, b.fields[f].lists())
		for _, t := range b.fields[f].terms {
			terms[t] = true
		}
	}
	fronts := make([]front, n)
	for _, t := range slices.Sorted(maps.Keys(terms)) {
		f := &fronts[shardOf(t, n)]
		f.add(t)
		flags := len(f.out)
		f.out = append(f.out, 0)
		for i, name := range fields {
			if id, ok := b.fields[name].ids[t]; ok {
				f.out[flags] |= 1 << i
				f.list(lists[i][id], true)
			}
		}
	}
	out := make([][]byte, n)
	for k := range fronts {
		out[k] = fronts[k].out
	}
	return out
}

// shardOf is where a term stands: a word, its stem and its prefixes mostly begin alike.
func shardOf(term string, shards int) int {
	end, n := len(term), 0
	for i := range term {
		if n == shortestPrefix {
			end = i
			break
		}
		n++
	}
	return int(fnv(term[:end]) % uint64(shards))
}

// list writes postings behind their length.
func (f *front) list(list []posting, impacts bool) {
	var body []byte
	last := int32(0)
	for _, p := range list {
		body = binary.AppendUvarint(body, uint64(p.doc-last))
		if impacts {
			body = append(body, byte(p.impact))
		}
		last = p.doc
	}
	f.out = binary.AppendUvarint(f.out, uint64(len(body)))
	f.out = append(f.out, body...)
}

// pack compresses: what serves these files does not know their type, and so
// would send them as they are.
func pack(content []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
}
