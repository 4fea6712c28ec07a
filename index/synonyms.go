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

// mean gives the document that is being closed, whose own terms begin at start,
// the synonyms of these; they do not make it longer.
func (f *field) mean(start int) {
	own := f.all[start:len(f.all):len(f.all)]
	var derived []occurrence
	for _, o := range own {
		for _, s := range f.synonymsOf(o.term) {
			i, ok := slices.BinarySearchFunc(own, s, func(o occurrence, term int32) int { return int(o.term - term) })
			if ok {
				own[i].meant = max(own[i].meant, o.weight)
				continue
			}
			if i = slices.IndexFunc(derived, func(d occurrence) bool { return d.term == s }); i >= 0 {
				derived[i].meant = max(derived[i].meant, o.weight)
				continue
			}
			derived = append(derived, occurrence{term: s, meant: o.weight})
			f.df[s]++
		}
	}
	f.all = append(f.all, derived...)
}

// synonymsOf are the ids of the synonyms of a term.
func (f *field) synonymsOf(term int32) []int32 {
	if ids, ok := f.meaning[term]; ok {
		return ids
	}
	var ids []int32
	for _, s := range f.synonyms[f.terms[term]] {
		ids = append(ids, f.id(s))
	}
	f.meaning[term] = ids
	return ids
}
