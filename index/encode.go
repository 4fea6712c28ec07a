package index

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

var errCut = errors.New("a list is cut or has what none has")

// front writes sorted terms: of each, how much it shares with the one before,
// and the rest.
type front struct {
	out  []byte
	last string
}

func (f *front) add(term string) {
	n := 0
	for n < len(term) && n < len(f.last) && term[n] == f.last[n] {
		n++
	}
	f.out = binary.AppendUvarint(f.out, uint64(n))
	f.out = binary.AppendUvarint(f.out, uint64(len(term)-n))
	f.out = append(f.out, term[n:]...)
	f.last = term
}

// encodeWords writes the dictionary.
func encodeWords(words []dictionaryWord) []byte {
	var f front
	for _, w := range words {
		f.add(w.text)
		f.out = binary.AppendUvarint(f.out, uint64(w.docs))
	}
	return f.out
}

// encodeFacets writes the terms of the fields whose values are counted.
func encodeFacets(f *field) []byte {
	var out front
	for _, id := range f.sorted() {
		if name, _, _ := strings.Cut(f.terms[id], ":"); slices.Contains(counted(), name) {
			out.add(f.terms[id])
		}
	}
	return out.out
}

// encodeGroups writes the documents that are in a group of two or more.
func encodeGroups(leader []int32) []byte {
	size := make([]int32, len(leader))
	for _, l := range leader {
		size[l]++
	}
	var out []byte
	last := 0
	for d, l := range leader {
		if size[l] > 1 {
			out = binary.AppendUvarint(out, uint64(d-last))
			out = binary.AppendUvarint(out, uint64(d-int(l)))
			last = d
		}
	}
	return out
}

// decoder reads what is above. After a mistake it yields zeros, and ok is false.
type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) more() bool { return len(d.data) > 0 && !d.bad }

func (d *decoder) number(most int) int {
	v, n := binary.Uvarint(d.data)
	if n <= 0 || v > uint64(most) {
		d.bad = true
		return 0
	}
	d.data = d.data[n:]
	return int(v)
}

// term reads the next term after last.
func (d *decoder) term(last string) string {
	common := d.number(len(last))
	n := d.number(len(d.data))
	if d.bad || n > len(d.data) {
		d.bad = true
		return ""
	}
	t := last[:common] + string(d.data[:n])
	d.data = d.data[n:]
	return t
}

// decodeWords reads the dictionary of a catalogue of docs tools.
func decodeWords(data []byte, docs int) ([]dictionaryWord, error) {
	d := decoder{data: data}
	var out []dictionaryWord
	last := ""
	for d.more() {
		w := dictionaryWord{text: d.term(last)}
		w.docs = int32(d.number(docs))
		if w.text <= last || len(w.text) > 4*longestWord {
			return nil, errCut
		}
		out = append(out, w)
		last = w.text
	}
	if d.bad {
		return nil, errCut
	}
	return out, nil
}

// leaders are the groups of near-duplicates.
type leaders struct {
	of      []int32 // for each document, the first of its group, which may be itself
	grouped *set    // documents that are in a group with others
}

// decodeGroups reads the groups of docs documents.
func decodeGroups(data []byte, docs int) (leaders, error) {
	out := leaders{make([]int32, docs), newSet(docs)}
	for i := range out.of {
		out.of[i] = int32(i)
	}
	d := decoder{data: data}
	for at := 0; d.more(); {
		at += d.number(docs)
		back := d.number(at)
		if d.bad || at >= docs {
			return leaders{}, errCut
		}
		out.of[at] = int32(at - back)
		out.grouped.add(int32(at))
		out.grouped.add(int32(at - back))
	}
	if d.bad {
		return leaders{}, errCut
	}
	return out, nil
}
