package index

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Nothing is corrected in a long request: its unknown words are names of places
// and people, not slips of somebody who types keywords.
const (
	mostTermsCorrected = 4 // terms of a query of which any is corrected
	shortestCompleted  = 3 // code points
	shortestOneEdit    = 4
	shortestTwoEdits   = 8
)

// expand gives the words of a query their terms, and corrects those that occur nowhere.
func (x *Index) expand(p *plan, words []queryWord) error {
	for _, w := range words {
		term, prefix := w.term, w.text
		occurs := w.phrase || len(words) > mostTermsCorrected
		if !occurs {
			var err error
			if occurs, err = x.occurs(term); err != nil {
				return err
			}
		}
		if !occurs && utf8.RuneCountInString(w.text) >= shortestCompleted {
			dictionary, err := x.words()
			if err != nil {
				return err
			}
			if to, completed := correct(dictionary, w.text); to != "" {
				p.corrections = append(p.corrections, Correction{From: w.text, To: to})
				term = stem(to)
				if !completed {
					prefix = to
				}
			}
		}
		if !slices.Contains(p.terms, term) {
			p.terms = append(p.terms, term)
			p.typed[term] = w.text
			p.begin(term)
			p.begin(w.text)
		}
		weight, half := requestWeight(term), (utf8.RuneCountInString(prefix)+1)/2
		eachPrefix(prefix, func(s string) {
			if utf8.RuneCountInString(s) < half {
				return
			}
			if i := slices.Index(p.prefixes, s); i >= 0 {
				p.prefixWeights[i] = max(p.prefixWeights[i], weight)
				return
			}
			p.prefixes, p.prefixWeights = append(p.prefixes, s), append(p.prefixWeights, weight)
		})
	}
	return nil
}

// occurs tells whether any tool has a term.
func (x *Index) occurs(term string) (bool, error) {
	for _, p := range x.parts {
		_, found, err := p.list(fieldText, term)
		if err != nil {
			return false, errIndex("%w", err)
		}
		if found {
			return true, nil
		}
	}
	return false, nil
}

// correct returns the word that was meant, "" if none is near enough.
func correct(dictionary []dictionaryWord, w string) (to string, completed bool) {
	better := func(a, b dictionaryWord) bool {
		return b.text == "" || cmp.Or(cmp.Compare(b.docs, a.docs), cmp.Compare(a.text, b.text)) < 0
	}
	var best dictionaryWord
	from, _ := slices.BinarySearchFunc(dictionary, w, func(d dictionaryWord, w string) int { return cmp.Compare(d.text, w) })
	for _, d := range dictionary[from:] {
		if !strings.HasPrefix(d.text, w) {
			break
		}
		if better(d, best) {
			best = d
		}
	}
	n := utf8.RuneCountInString(w)
	if best.text != "" || n < shortestOneEdit || strings.ContainsFunc(w, unicode.IsNumber) {
		return best.text, best.text != ""
	}
	most := 1
	if n >= shortestTwoEdits {
		most = 2
	}
	near := most + 1
	given, letters := []rune(w), lettersOf(w)
	for _, d := range dictionary {
		if apart(letters, lettersOf(d.text)) > 2*most {
			continue
		}
		if m := distance(given, d.text, most); m < near || m == near && m <= most && better(d, best) {
			near, best = m, d
		}
	}
	return best.text, false
}
