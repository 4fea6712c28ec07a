package main

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/search/query"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/patch-cat/patch-git/index/indextest"
)

// engine is a search over a set, opened.
type engine struct {
	search indextest.Search
	close  func() error
}

// bleveDefault is bleve with the mapping that it makes up itself, over name and
// description, in memory. ask makes the query of a text: the query string of the
// documentation, which refuses some texts (that then find nothing), or the friendlier
// match of all words.
func bleveDefault(ctx context.Context, s *indextest.Set, ask func(string) query.Query) (*engine, error) {
	x, err := bleve.NewUsing("", bleve.NewIndexMapping(), "scorch", "scorch", map[string]any{})
	if err != nil {
		return nil, err
	}
	batch := x.NewBatch()
	for i, t := range s.Tools {
		if err := batch.Index(fmt.Sprintf("%06d", i), map[string]any{"name": t.Name, "description": t.Description}); err != nil {
			return nil, err
		}
	}
	if err := x.Batch(batch); err != nil {
		return nil, err
	}
	return &engine{func(text string) ([]string, bool) {
		request := bleve.NewSearchRequestOptions(ask(text), 10, 0, false)
		request.SortBy([]string{"-_score", "_id"}) // else equals come as they happen to lie
		r, err := x.SearchInContext(ctx, request)
		if err != nil {
			return nil, false
		}
		var out []string
		for _, h := range r.Hits {
			if i, err := strconv.Atoi(h.ID); err == nil {
				out = append(out, s.Tools[i].ID)
			}
		}
		return out, true
	}, x.Close}, nil
}

func queryString(text string) query.Query { return bleve.NewQueryStringQuery(text) }
func matchQuery(text string) query.Query  { return bleve.NewMatchQuery(text) }

// fts5 is SQLite's FTS5 in memory, with what helps it: Porter's stemmer, names
// cut into their words, no stop words, any of the words, and weights of the columns.
func fts5(ctx context.Context, s *indextest.Set) (*engine, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection would have a memory of its own
	if _, err := db.ExecContext(ctx, `CREATE VIRTUAL TABLE tools USING fts5(name, description, params, category, provider, tokenize = 'porter unicode61')`); err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	insert, err := tx.PrepareContext(ctx, `INSERT INTO tools(rowid, name, description, params, category, provider) VALUES (?,?,?,?,?,?)`)
	if err != nil {
		return nil, err
	}
	for i, t := range s.Tools {
		if _, err := insert.ExecContext(ctx, i+1, spread(t.Name), spread(t.Description), spread(t.Params), spread(t.Category), spread(t.Provider)); err != nil {
			return nil, err
		}
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	ask, err := db.PrepareContext(ctx, `SELECT rowid FROM tools WHERE tools MATCH ? ORDER BY bm25(tools, 2, 1, .5, .5, 1), rowid LIMIT 10`)
	if err != nil {
		return nil, err
	}
	stop := stopWords()
	return &engine{func(text string) ([]string, bool) {
		match := anyOf(text, stop)
		if match == "" {
			return nil, true
		}
		rows, err := ask.QueryContext(ctx, match)
		if err != nil {
			return nil, false
		}
		defer rows.Close()
		var out []string
		for rows.Next() {
			var i int
			if rows.Scan(&i) == nil {
				out = append(out, s.Tools[i-1].ID)
			}
		}
		return out, rows.Err() == nil
	}, db.Close}, nil
}

// anyOf is the MATCH of any of the words of a text, in FTS5's quotes.
func anyOf(text string, stop map[string]bool) string {
	var out []string
	seen := map[string]bool{}
	for w := range strings.FieldsSeq(strings.ToLower(spread(text))) {
		if !stop[w] && !seen[w] {
			seen[w] = true
			out = append(out, `"`+w+`"`)
		}
	}
	return strings.Join(out, " OR ")
}

// stopWords are bleve's own for English.
func stopWords() map[string]bool {
	stop := map[string]bool{}
	for line := range strings.Lines(string(en.EnglishStopWords)) {
		w, _, _ := strings.Cut(line, "|")
		if w = strings.TrimSpace(w); w != "" {
			stop[w] = true
		}
	}
	return stop
}

// spread writes a text as its words: runs of letters and digits, and behind one
// that is spelled in capitals or with digits its parts.
func spread(text string) string {
	var out []string
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		out = append(out, run)
		if parts := parts(run); len(parts) > 1 {
			out = append(out, parts...)
		}
	}
	return strings.Join(out, " ")
}

func parts(run string) []string {
	runes := []rune(run)
	kind := func(r rune) int {
		switch {
		case unicode.IsUpper(r):
			return 0
		case unicode.IsNumber(r):
			return 1
		}
		return 2
	}
	var out []string
	start := 0
	for i := 1; i < len(runes); i++ {
		before, now := kind(runes[i-1]), kind(runes[i])
		cut := i
		if before == 0 && now == 2 {
			cut = i - 1
		}
		if before != now && cut > start {
			out = append(out, string(runes[start:cut]))
			start = cut
		}
	}
	return append(out, string(runes[start:]))
}
