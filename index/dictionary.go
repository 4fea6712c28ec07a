package index

import (
	"cmp"
	"slices"
)

// dictionaryWord is a word of the catalogue with the number of tools that use it.
type dictionaryWord struct {
	text string
	docs int32
}

// dictionary counts words, which are not terms: a correction is shown.
type dictionary struct {
	ids   map[string]int32
	words []dictionaryWord
	last  []int32 // for each word, the last document that has it, from 1
	doc   int32
}

func newDictionary() *dictionary { return &dictionary{ids: map[string]int32{}, doc: 1} }

func (d *dictionary) id(w string) int32 {
	id, ok := d.ids[w]
	if !ok {
		id = int32(len(d.words))
		d.ids[w] = id
		d.words = append(d.words, dictionaryWord{text: w})
		d.last = append(d.last, 0)
	}
	return id
}

func (d *dictionary) add(id int32) {
	if d.last[id] != d.doc {
		d.last[id] = d.doc
		d.words[id].docs++
	}
}

func (d *dictionary) close() { d.doc++ }

func (d *dictionary) sorted() []dictionaryWord {
	slices.SortFunc(d.words, func(a, b dictionaryWord) int { return cmp.Compare(a.text, b.text) })
	return d.words
}
