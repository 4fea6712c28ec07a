package index

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/ledger"
)

// why tells in which texts of a tool words of the query stand. If none does, the
// tool has synonyms of them, or they are parts of a name without a cut: it is meaning.
func (p *plan) why(l *ledger.Listing) []Match {
	var out []Match
	best := 0 // matched terms of the example that is shown
	for _, piece := range pieces(l) {
		words, terms := p.matched(piece)
		if len(terms) == 0 {
			continue
		}
		m := Match{piece.in, strings.Join(words, " ")}
		at := slices.IndexFunc(out, func(m Match) bool { return m.In == piece.in })
		if piece.in == "example" {
			if len(terms) <= best {
				continue
			}
			best, m.Text = len(terms), piece.text
		}
		switch {
		case at < 0:
			out = append(out, m)
		case piece.in == "example":
			out[at] = m
		default:
			for _, w := range words {
				if !slices.Contains(strings.Fields(out[at].Text), w) {
					out[at].Text += " " + w
				}
			}
		}
	}
	if len(out) == 0 && len(p.terms) > 0 {
		var typed []string
		for _, t := range p.terms {
			typed = append(typed, p.typed[t])
		}
		out = append(out, Match{"meaning", strings.Join(typed, " ")})
	}
	return out
}

// matched are the words of a text that the query has, each term once.
func (p *plan) matched(piece piece) (words, terms []string) {
	named := piece.in == "name" || piece.in == "alias" || piece.in == "owner"
	end := 0
	eachSpan(piece.text, func(start, to int, term, _ bool) {
		if !term || to <= end || !p.begins(piece.text[start:to]) {
			return
		}
		w := word{text: lower(piece.text[start:to]), start: start, end: to}
		t, ok := p.known[w.text]
		if !ok {
			if t = stem(w.text); isStop(w.text) || !slices.Contains(p.terms, t) {
				t = ""
			}
			p.known[w.text] = t
		}
		if t == "" && named && slices.ContainsFunc(p.prefixes, func(s string) bool { return strings.HasPrefix(w.text, s) }) {
			t = w.text
		}
		if t != "" && !slices.Contains(terms, t) {
			terms, words, end = append(terms, t), append(words, piece.text[w.start:w.end]), w.end
		}
	})
	return words, terms
}

// begins tells whether a word may be one of the query: by its first two bytes most
// are not, and need no stem.
func (p *plan) begins(w string) bool {
	a := w[0]
	if a >= 'A' && a <= 'Z' {
		a += 'a' - 'A'
	}
	if len(w) == 1 || a >= utf8.RuneSelf || w[1] >= utf8.RuneSelf {
		return p.first[a] || a >= utf8.RuneSelf
	}
	b := w[1]
	if b >= 'A' && b <= 'Z' {
		b += 'a' - 'A'
	}
	return p.first[a] && p.second[b]
}

// begin notes how a word of the query begins. Stems change only ends, but for
// those of dying, lying and tying, which are die, lie and tie.
func (p *plan) begin(w string) {
	p.first[w[0]] = true
	if len(w) > 1 {
		p.second[w[1]] = true
		p.second['y'] = p.second['y'] || w[1] == 'i'
		p.second['i'] = p.second['i'] || w[1] == 'y'
	}
}
