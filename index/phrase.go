package index

import (
	"context"

	"github.com/patch-cat/patch-git/ledger"
)

// withPhrases leaves the tools in which the words of each phrase stand together.
func (x *Index) withPhrases(ctx context.Context, p *plan, list []found) ([]found, error) {
	out := list[:0]
	for _, f := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		card, err := x.card(f.tool())
		if err != nil {
			return nil, err
		}
		if hasPhrases(card, p.phrases) {
			out = append(out, f)
		}
	}
	return out, nil
}

func hasPhrases(l *ledger.Listing, phrases [][]string) bool {
	missing := len(phrases)
	held := make([]bool, len(phrases))
	for _, piece := range pieces(l) {
		var terms []string
		eachWord(piece.text, func(w word) {
			if w.leaf && !isStop(w.text) {
				terms = append(terms, stem(w.text))
			}
		})
		for i, phrase := range phrases {
			if !held[i] && stand(terms, phrase) {
				held[i] = true
				missing--
			}
		}
	}
	return missing == 0
}

// stand tells whether the terms of a phrase follow each other somewhere.
func stand(terms, phrase []string) bool {
	for i := 0; i+len(phrase) <= len(terms); i++ {
		all := true
		for j, t := range phrase {
			if terms[i+j] != t {
				all = false
				break
			}
		}
		if all {
			return true
		}
	}
	return false
}
