package index

import (
	"strings"

	"github.com/patch-cat/patch-git/ledger"
)

// piece is one text of a tool. A phrase does not reach beyond it.
type piece struct {
	in     string // as [Match.In] calls it
	text   string
	weight int64 // of each of its words
}

// pieces are all that is said of a tool, the weightiest first.
func pieces(l *ledger.Listing) []piece {
	out := []piece{{"name", string(l.Name), 16}}
	for _, a := range l.Summary.Aliases {
		out = append(out, piece{"alias", string(a), 16})
	}
	out = append(out, piece{"description", l.Description, 8})
	for _, t := range l.Summary.Tags {
		out = append(out, piece{"tag", t, 8})
	}
	for _, e := range l.Summary.Examples {
		out = append(out, piece{"example", e, 6})
	}
	for _, o := range l.Owners {
		out = append(out, piece{"owner", o, 4})
	}
	for _, in := range l.Summary.Inputs {
		out = append(out, piece{"input", in.Name, 6}, piece{"input", in.Description, 6})
	}
	for _, o := range l.Summary.Operations {
		out = append(out, piece{"operation", o.Name, 6}, piece{"operation", o.Description, 6})
	}
	return out
}

// facets calls visit for each value by which a tool can be filtered.
func facets(l *ledger.Listing, visit func(field, value string)) {
	yes := func(b bool) string {
		if b {
			return "yes"
		}
		return "no"
	}
	for _, o := range l.Owners {
		visit("by", lower(o))
	}
	visit("deprecated", yes(l.Deprecated))
	visit("fs", string(l.Permissions.Filesystem))
	visit("kind", string(l.Summary.Format))
	for _, id := range licenses(l.Summary.License) {
		visit("license", id)
	}
	visit("name", string(l.Name))
	words := strings.Split(string(l.Name), "_")
	for _, a := range l.Summary.Aliases {
		visit("name", string(a))
		words = append(words, strings.Split(string(a), "_")...)
	}
	for _, w := range words {
		visit("name", w)
	}
	visit("network", yes(l.Permissions.Network))
	for _, t := range l.Summary.Tags {
		visit("tag", lower(t))
	}
	visit("verified", yes(l.Verified))
}

// licenses are the identifiers in an SPDX expression, in lower case.
func licenses(expression string) []string {
	ids := strings.FieldsFunc(lower(expression), func(r rune) bool { return r == ' ' || r == '(' || r == ')' || r == '+' })
	out := ids[:0]
	for _, id := range ids {
		if id != "and" && id != "or" && id != "with" {
			out = append(out, id)
		}
	}
	return out
}
