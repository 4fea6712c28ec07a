package index

import (
	_ "embed"
	"slices"
	"strings"
)

// A synonym of a word counts two thirds of the word.
const synonymPart, synonymWhole = 2, 3

// synonyms.txt has words that people use for each other when they ask for a
// tool, one group in a line.
//
//go:embed synonyms.txt
var synonyms string

// synonymTerms are the other terms of the groups that a term is in.
func synonymTerms() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(synonyms) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var group []string
		for w := range strings.FieldsSeq(line) {
			if t := stem(w); !slices.Contains(group, t) {
				group = append(group, t)
			}
		}
		for _, a := range group {
			for _, b := range group {
				if a != b && !slices.Contains(out[a], b) {
					out[a] = append(out[a], b)
				}
			}
		}
	}
	return out
}

// mean gives the document that is being closed the synonyms of its terms; they do
// not make it longer.
func (f *field) mean() {
	for i := range f.all[f.start:] {
		o := f.all[f.start+i]
		for _, s := range f.synonymsOf(o.term) {
			other := f.occurrence(s)
			other.meant = max(other.meant, o.weight)
		}
	}
}

// synonymsOf are the ids of the synonyms of a term.
func (f *field) synonymsOf(term int32) []int32 {
	if int(term) < len(f.meaning) && f.meaning[term] != nil {
		return f.meaning[term]
	}
	ids := []int32{}
	for _, s := range f.synonyms[f.terms[term]] {
		ids = append(ids, f.id(s))
	}
	for len(f.meaning) < len(f.terms) {
		f.meaning = append(f.meaning, nil)
	}
	f.meaning[term] = ids
	return ids
}
