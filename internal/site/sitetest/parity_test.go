package sitetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/ledger"
)

// answer is what a face of the search says to one query.
type answer struct {
	Hits        []shown            `json:"hits"`
	Total       int                `json:"total"` // -1: more than were looked at
	Corrections []index.Correction `json:"corrections"`
	Facets      []index.Facet      `json:"facets"`
}

type shown struct {
	Name  string        `json:"name"`
	Score int64         `json:"score"`
	Exact string        `json:"exact"`
	Also  []string      `json:"also"`
	Why   []index.Match `json:"why"`
}

// TestParity: the page finds what the program finds, in the same order and for
// the same reasons.
func TestParity(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node: apt-get install nodejs")
	}
	for name, tools := range map[string][]ledger.Listing{"many": listings(t, 600), "few": listings(t, 40), "one": listings(t, 1), "none": {}, "hostile": hostileListings()} {
		t.Run(name, func(t *testing.T) {
			built, err := index.Build(t.Context(), tools)
			if err != nil {
				t.Fatal(err)
			}
			queries := queries(t, tools)
			if name != "many" {
				queries = queries[:len(queries)/3]
			}
			want := byGo(t, built, queries)
			got := byPage(t, node, built, queries)
			same := 0
			for i, q := range queries {
				w, g := want[i], got[i]
				if g.Total < 0 { // of a phrase the page counts no further than it shows
					w.Total, w.Facets, g.Facets = -1, nil, nil
				}
				if fmt.Sprint(w) == fmt.Sprint(g) {
					same++
				} else if !reflect.DeepEqual(names(w), names(g)) {
					t.Errorf("%q: the program finds %v, the page %v", q, w, g)
				} else {
					t.Errorf("%q: the same tools, but\n%v\n%v", q, w, g)
				}
			}
			t.Logf("%d of %d queries the same", same, len(queries))
		})
	}
}

func names(a answer) (out []string) {
	for _, h := range a.Hits {
		out = append(out, h.Name)
	}
	return out
}

func byGo(t *testing.T, b *index.Built, queries []string) (out []answer) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "index")
	if err := index.Install(t.Context(), dir, b.Segment()); err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	for _, typed := range queries {
		q, _ := index.ParseQuery(typed)
		q.Facets = true
		r, err := x.Search(t.Context(), q, 10)
		if err != nil {
			t.Fatalf("%q: %v", typed, err)
		}
		a := answer{Total: r.Total, Corrections: r.Corrections, Facets: r.Facets}
		for _, h := range r.Hits {
			s := shown{Name: string(h.Tool.Name), Score: h.Score, Exact: h.Exact, Why: h.Why}
			for _, n := range h.Also {
				s.Also = append(s.Also, string(n))
			}
			a.Hits = append(a.Hits, s)
		}
		out = append(out, a)
	}
	return out
}

func byPage(t *testing.T, node string, b *index.Built, queries []string) []answer {
	t.Helper()
	pages := t.TempDir()
	for name, data := range b.Pages() {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(pages, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(pages, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	asked, err := json.Marshal(map[string]any{"assets": modules(t), "pages": pages, "queries": queries, "texts": []string{}, "words": []string{}})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "testdata/parity/answer.mjs")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(asked), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Answers []answer `json:"answers"`
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Answers) != len(queries) {
		t.Fatalf("%d answers to %d queries", len(got.Answers), len(queries))
	}
	return got.Answers
}

// modules copies the scripts to where node takes them for modules.
func modules(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../assets")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// queries are those that people may type, of testdata, and as many again made
// of what the tools say: whole, in part, with slips, in operators and phrases.
func queries(t *testing.T, tools []ledger.Listing) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/parity/queries.json")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 1))
	var said []string
	for _, l := range tools {
		said = append(said, string(l.Name), l.Description)
		said = append(said, l.Summary.Examples...)
	}
	for len(said) > 0 && len(out) < 1200 {
		fields := strings.Fields(said[random.IntN(len(said))])
		if len(fields) == 0 {
			continue
		}
		from := random.IntN(len(fields))
		part := fields[from:min(len(fields), from+1+random.IntN(6))]
		q := strings.Join(part, " ")
		switch random.IntN(8) {
		case 0:
			q = slip(random, q)
		case 1:
			q = `"` + q + `"`
		case 2:
			q += " tag:" + part[0]
		case 3:
			q = q[:1+random.IntN(len(q))] // as somebody types
		case 4:
			q += []string{" network:no", " fs:none", " -network:yes", " by:ada", " license:MIT", " -name:" + part[0]}[random.IntN(6)]
		case 5:
			q = strings.ToUpper(q)
		}
		out = append(out, strings.ToValidUTF8(q, "\ufffd"))
	}
	return out
}

// slip is a text with one slip of the keys.
func slip(random *rand.Rand, text string) string {
	r := []rune(text)
	i := random.IntN(len(r))
	switch random.IntN(4) {
	case 0:
		return string(slices.Delete(r, i, i+1))
	case 1:
		return string(slices.Insert(r, i, rune('a'+random.IntN(26))))
	case 2:
		r[i] = rune('a' + random.IntN(26))
	default:
		r[i], r[max(0, i-1)] = r[max(0, i-1)], r[i]
	}
	return string(r)
}

// listings are n tools of the catalogue, some of them twice under another name
// and some with aliases.
func listings(t *testing.T, n int) (out []ledger.Listing) {
	for i, x := range catalogue(t, n) {
		owner := people[i%len(people)].Login
		l := ledger.Listing{
			Name: x.Name, Latest: x.Version, Description: x.Description, Published: "2026-01-02T03:04:05Z", Owners: []string{owner},
			Verified: i%2 == 0, Deprecated: i%17 == 0, Permissions: x.Permissions(), Summary: ledger.NewSummary(&x),
		}
		if i%5 == 0 {
			l.Summary.Aliases = append(l.Summary.Aliases, x.Name[:len(x.Name)/2]+"alias")
		}
		out = append(out, l)
		if i%9 == 0 {
			l.Name += "_2"
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b ledger.Listing) int { return strings.Compare(string(a.Name), string(b.Name)) })
	return out
}

// hostileListings say what is hard to cut into words, or is not what a registry lists.
func hostileListings() (out []ledger.Listing) {
	texts := append(slices.Clone(attacks), "Σίσυφος ΣΑΣ İstanbul ǅ ﬁle Ⅻ", "e\u0301t\u0301 A\u0301b\u0301C\u0301d \u0301x", "日本語のテキスト 中文", "user's users’S o'S'x don’t", "\u202eabc\u200bdef\u00adghi",
		strings.Repeat("verylong", 30), strings.Repeat("again ", 64), "a b c d e f 1 2 3 x1y2 AAAbbb Aa aA 1a A1", "🙂🏽 👩‍👩‍👧 flags", "\U0001D518\U0001D52B\U00010400\U00010428 𝟘𝟙", "the of and", "")
	for i, text := range texts {
		out = append(out, ledger.Listing{
			Name: tool(fmt.Sprintf("odd_%02d", i), "1.0.0", "").Name, Latest: "1.0.0", Description: text, Published: "x", Owners: []string{"Ada", text},
			Summary: ledger.Summary{Format: "patch", License: text, Tags: []string{text, "Ä"}, Examples: []string{text + " once", "twice " + text}, Inputs: []ledger.SummaryInput{{Name: text, Description: text}}},
		})
	}
	return out
}
