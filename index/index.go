package index

import (
	"context"
	"errors"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Edition is that of the analysis, the ranking and the files: what another
// edition made is not opened but made anew from the catalogue.
const Edition = 1

var errUnbuilt = errors.New("not built yet")

// Built is the index of one catalogue, in memory. The same listings make the
// same bytes on every machine.
type Built struct{}

// Build makes the index of listings that are sorted by name.
func Build(ctx context.Context, tools []ledger.Listing) (*Built, error) { return nil, errUnbuilt }

// Segment is the one file that a bleve index consists of beside its root, which
// is the same for all; its digest is what a head states.
func (b *Built) Segment() []byte { return nil }

// Pages are the files of the index that a web page reads, by their paths.
func (b *Built) Pages() map[string][]byte { return nil }

// Install writes a folder that [Open] opens, in one step; of a folder that is
// there nothing is changed. segment is of [Built.Segment], here or elsewhere:
// whether it is the stated one is for the caller, who has compared the digest.
func Install(ctx context.Context, dir string, segment []byte) error { return errUnbuilt }

// Examine reads all of an installed index that a stranger made, and returns a
// fault of kind NotVerified where something is wrong with it. A hostile file can
// make it use any memory and time: the caller runs it in a process of its own.
func Examine(ctx context.Context, dir string) error { return errUnbuilt }

// Index is an opened index. Many goroutines may search at once, and many
// processes open one.
type Index struct{}

// Open opens an installed index for reading. A fault with reason "index" means
// that it is damaged or of another edition, and is to be made anew.
func Open(dir string) (*Index, error) { return nil, errUnbuilt }

// Close ends the use of an index.
func (x *Index) Close() error { return errUnbuilt }

// Query is what somebody asks for, taken apart. The zero Query asks for all tools.
type Query struct {
	Text    string   // words in any order
	Phrases []string // of words that stand together
	Filters []Filter // all hold
}

// Filter is one operator: name:, tag:, by:, kind:, license:, network:, fs:,
// verified:, deprecated:.
type Filter struct {
	Field string
	Value string
	Not   bool // -tag:x
}

// ParseQuery takes apart what a person typed. It never fails: what is no
// operator is text; an operator with a value that nothing can have is told in notes.
func ParseQuery(typed string) (q Query, notes []string) { return Query{Text: typed}, nil }

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
	Also  []spec.Name    `json:"also,omitempty"` // near-duplicates that rank below it
}

// Match says where words of the query stand in a tool.
type Match struct {
	In   string `json:"in"`   // name, alias, description, input, tag, example, owner, meaning
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

// Search ranks the tools; limit 0 is all.
func (x *Index) Search(ctx context.Context, q Query, limit int) (*Result, error) {
	return nil, errUnbuilt
}
