package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// ask is what a search finds, in few words: name, (name) for an exact one, +also.
func ask(t *testing.T, x *Index, typed string) (*Result, string) {
	t.Helper()
	q, _ := ParseQuery(typed)
	q.Facets = true
	r, err := x.Search(t.Context(), q, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, h := range r.Hits {
		n := string(h.Tool.Name)
		if h.Exact != "" {
			n = "(" + n + ")"
		}
		for _, a := range h.Also {
			n += "+" + string(a)
		}
		names = append(names, n)
	}
	return r, strings.Join(names, " ")
}

func TestSearch(t *testing.T) {
	x := opened(t, golden()...)
	for typed, want := range map[string]string{
		"weather":               "(weather)",
		"what is the weather":   "weather",
		"WEATHER!":              "(weather)",
		"csv to json":           "(csv_to_json)+csv_to_json_fork json_to_csv",
		"csv-2-json":            "(csv_to_json)+csv_to_json_fork json_to_csv",
		"spreadsheet":           "json_to_csv csv_to_json+csv_to_json_fork", // a synonym in a name
		"zürich":                "weather",
		"ΑΘΉΝΑ":                 "weather",
		"WebP2":                 "resize_image",
		"row limit":             "csv_to_json_fork+csv_to_json json_to_csv",
		`"rows to json"`:        "csv_to_json+csv_to_json_fork",
		`"json rows"`:           "json_to_csv",
		`"rows json" csv`:       "csv_to_json+csv_to_json_fork", // "to" is left out on both sides
		`"json csv rows"`:       "",
		"kind:skill":            "weather",
		"network:no fs:none":    "csv_to_json csv_to_json_fork json_to_csv",
		"-network:no":           "weather",
		"fs:rw":                 "resize_image",
		"tag:CSV":               "csv_to_json",
		"by:@bob":               "csv_to_json_fork",
		"license:apache-2.0":    "csv_to_json",
		"license:or":            "",
		"name:csv name:fork":    "csv_to_json_fork",
		"name:csv_2_json":       "csv_to_json",
		"deprecated:yes":        "resize_image",
		"verified:true":         "weather",
		"csv by:bob":            "csv_to_json_fork",
		"csv to json by:bob":    "csv_to_json_fork",
		"network:perhaps":       "",
		"the a of":              "",
		"nothingofthiskind":     "",
		"":                      "csv_to_json csv_to_json_fork json_to_csv resize_image weather",
		"the kind:skill":        "weather",
		"http://example.org/x?": "",
	} {
		if _, got := ask(t, x, typed); got != want {
			t.Errorf("%s: got %q, want %q", typed, got, want)
		}
	}
}

// TestExactFirst: a tool whose name is the whole query is the first even if all
// speaks for another, and if it is deprecated.
func TestExactFirst(t *testing.T) {
	x := opened(t,
		tool("maps", "Something else.", func(l *ledger.Listing) { l.Deprecated = true }),
		tool("city_maps", "Maps maps maps: maps of cities, maps of roads.", func(l *ledger.Listing) { l.Summary.Tags = []string{"maps"} }),
		tool("atlas_pages", "Old paper.", func(l *ledger.Listing) { l.Summary.Aliases = []spec.Name{"city_map"} }),
	)
	for typed, want := range map[string]string{
		"maps":                 "(maps) city_maps atlas_pages",
		"city map":             "(atlas_pages) city_maps",
		"City_Map":             "(atlas_pages) city_maps",
		"maps -deprecated:yes": "city_maps atlas_pages",
	} {
		if _, got := ask(t, x, typed); got != want {
			t.Errorf("%s: got %q, want %q", typed, got, want)
		}
	}
}

// TestTail: what has less than a quarter of the best score is not shown.
func TestTail(t *testing.T) {
	tools := []ledger.Listing{tool("red_blue_green", "red blue green yellow")}
	for i := range 30 {
		tools = append(tools, tool(fmt.Sprintf("only_yellow_%d", i), "yellow "+strings.Repeat("other words stand here ", 8)))
	}
	x := opened(t, tools...)
	if _, got := ask(t, x, "red blue green yellow"); got != "red_blue_green" {
		t.Errorf("got %q, want the one alone", got)
	}
	if _, got := ask(t, x, "yellow"); !strings.Contains(got, "only_yellow_0") {
		t.Errorf("the twin: yellow alone finds %s", got)
	}
}

func TestCorrections(t *testing.T) {
	x := opened(t, golden()...)
	for typed, want := range map[string]string{
		"weathr":                 "weathr>weather: weather",
		"waether":                "waether>weather: weather",
		"weath":                  "weath>weather: weather",
		"smallre images":         "smallre>smaller: resize_image",
		"spreadshete":            "spreadshete>spreadsheet: json_to_csv csv_to_json+csv_to_json_fork",
		"sprdshete":              ": ",        // too far
		"we":                     ": ",        // too short
		"w3ather":                ": ",        // a number is no slip
		"cvs":                    ": ",        // three letters are completed only
		`"weathr"`:               ": ",        // who quotes means it
		"weather":                ": weather", // nothing to correct
		"jpge one two weathr":    "jpge>jpeg weathr>weather: weather resize_image",
		"jpge one two weathr xx": ": weather", // five words are a sentence
		"one two three four five six seven eight nine weathr": ": weather", // by its beginning
		"one two three four five six seven eight nine jpge":   ": ",
	} {
		r, got := ask(t, x, typed)
		var told []string
		for _, c := range r.Corrections {
			told = append(told, c.From+">"+c.To)
		}
		got = strings.Join(told, " ") + ": " + strings.NewReplacer("(", "", ")", "").Replace(got)
		if got != want {
			t.Errorf("%s: got %q, want %q", typed, got, want)
		}
	}
}

// TestDuplicates: near-duplicates stand under the best of them; the same words
// in another order are another tool.
func TestDuplicates(t *testing.T) {
	long := "Read the invoices in a folder of scanned papers, take the sums and dates out of them and write a table for the bookkeeper"
	stolen := tool("invoices_stolen", long+".")
	stolen.Owners = []string{"mallory"}
	x := opened(t,
		tool("invoices", long+"."),
		tool("invoices_fork", long+"!"),
		tool("invoice_reader", strings.Replace(long, "bookkeeper", "accountant", 1)+"."),
		stolen,
		tool("papers", "Print invoices for a table of scanned folders."),
		tool("csv_to_json", "Convert CSV to JSON."),
		tool("json_to_csv", "Convert JSON to CSV."),
	)
	if _, got := ask(t, x, "invoices table"); got != "invoices+invoices_fork+invoice_reader invoices_stolen papers" {
		t.Errorf("got %q", got)
	}
	if _, got := ask(t, x, "convert csv json"); strings.Contains(got, "+") {
		t.Errorf("got %q, want two tools", got)
	}
	if r, _ := ask(t, x, ""); r.Total != 7 {
		t.Errorf("all tools are %d, want 7: a list of all hides none", r.Total)
	}
}

func TestWhy(t *testing.T) {
	x := opened(t, golden()...)
	for typed, want := range map[string]string{
		"csv rows tag:csv":          "name: csv alias: csv description: CSV rows tag: csv input: row rows",
		"turn a spreadsheet":        "example: turn my spreadsheet export into json",
		"alice spreadsheet tag:csv": "example: turn my spreadsheet export into json owner: Alice",
	} {
		r, _ := ask(t, x, typed)
		var got []string
		for _, m := range r.Hits[0].Why {
			got = append(got, m.In+": "+m.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", typed, got, want)
		}
	}
}

func TestFacets(t *testing.T) {
	r, _ := ask(t, opened(t, golden()...), "csv")
	got := fmt.Sprint(r.Facets)
	const want = "[{kind patch 3} {tag csv 1} {tag json 1} {by alice 3} {by bob 1} {license apache-2.0 1} {license mit 1} {network no 3} {fs none 3} {verified no 3} {deprecated no 3}]"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
