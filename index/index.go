package index

import (
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Edition is that of the analysis, the ranking and the files: what another
// edition made is not opened but made anew from the catalogue.
const Edition = 1

// Result is what a search found.
type Result struct {
	Hits        []Hit        `json:"hits"`
	Total       int          `json:"total"` // of hits, before the limit
	Facets      []Facet      `json:"facets,omitempty"`
	Corrections []Correction `json:"corrections,omitempty"`
}

// Hit is one tool.
type Hit struct {
	Tool  ledger.Listing `json:"tool"`
	Score int64          `json:"score"`
	Why   []Match        `json:"why,omitempty"`
	Exact string         `json:"exact,omitempty"` // "name" or "alias": the query is it; such a hit ranks above all others
	Also  []spec.Name    `json:"also,omitempty"`  // near-duplicates that rank below it
}

// Match says where words of the query stand in a tool.
type Match struct {
	In   string `json:"in"`   // name, alias, description, input, operation, tag, example, owner; meaning if none has them
	Text string `json:"text"` // the words there that matched, or the example
}

// Facet is how many of all hits have a value.
type Facet struct {
	Field string `json:"field"`
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Correction is a word that no tool has, and the one that was looked for instead.
type Correction struct {
	From string `json:"from"`
	To   string `json:"to"`
}
