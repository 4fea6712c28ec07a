package index

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/ledger"
)

// why tells in which texts of a tool words of the query stand.
func (p *plan) why(l *ledger.Listing) []Match {
	var out []Match
	missing := slices.Clone(p.terms)
	best := 0 // matched terms of the example that is shown
	for _, piece := range pieces(l) {
		named := piece.in == "name" || piece.in == "alias" || piece.in == "owner"
		var words, terms []string
		end := 0
		eachWord(piece.text, func(w word) {
			if !w.term || isStop(w.text) {
				return
			}
			t := stem(w.text)
			if !slices.Contains(p.terms, t) {
				if !named || !slices.Contains(p.prefixes, w.text) && !p.begins(w.text) {
					return
				}
				t = w.text
			}
			missing = slices.DeleteFunc(missing, func(m string) bool { return m == t })
			if !slices.Contains(terms, t) && w.end > end {
				terms, words, end = append(terms, t), append(words, piece.text[w.start:w.end]), w.end
			}
		})
		if len(terms) == 0 {
			continue
		}
		text := strings.Join(words, " ")
		at := slices.IndexFunc(out, func(m Match) bool { return m.In == piece.in })
		switch {
		case piece.in == "example" && len(terms) > best:
			best = len(terms)
			if at >= 0 {
				out[at].Text = piece.text
			} else {
				out = append(out, Match{piece.in, piece.text})
			}
		case piece.in == "example":
		case at < 0:
			out = append(out, Match{piece.in, text})
		default:
			out[at].Text += " " + text
		}
	}
	if len(missing) > 0 && len(out) == 0 {
		var typed []string
		for _, t := range missing {
			typed = append(typed, p.typed[t])
		}
		out = append(out, Match{"meaning", strings.Join(typed, " ")})
	}
	return out
}

// begins tells whether a word begins with what was typed.
func (p *plan) begins(w string) bool {
	return slices.ContainsFunc(p.prefixes, func(s string) bool { return strings.HasPrefix(w, s) })
}
