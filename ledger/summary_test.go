package ledger_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// line is a listing with all that one must have.
func line(n spec.Name, description string) *ledger.Listing {
	return &ledger.Listing{
		Name: n, Latest: "1.0.0", Description: description, Published: "2026-01-02T03:04:05Z", Owners: []string{"ada"},
		Permissions: spec.Permissions{Filesystem: spec.FilesystemNone}, Summary: ledger.Summary{Format: spec.FormatPatch},
	}
}

// largest is a tool with the most of everything that a summary repeats, of the
// characters that need the most bytes.
func largest() *spec.Tool {
	wide := func(n int) string { return strings.Repeat("\U00010348", n) }
	t := &spec.Tool{Format: spec.FormatPatch, Description: wide(limits.Description), License: strings.Repeat("a", 128)}
	for i := range limits.Tags {
		t.Tags = append(t.Tags, strings.Repeat(string(rune('a'+i)), 24))
	}
	for i := range limits.Aliases {
		t.Aliases = append(t.Aliases, spec.Name(strings.Repeat(string(rune('a'+i)), 48)))
	}
	for i := range limits.Examples {
		t.Examples = append(t.Examples, fmt.Sprint(i)+wide(limits.Example-1))
	}
	for i := range limits.Inputs {
		t.Inputs = append(t.Inputs, spec.Input{Name: fmt.Sprintf("%064d", i), Description: wide(limits.Description)})
	}
	t.Needs = spec.Needs()
	for i := range 32 {
		t.ExternalAuth = append(t.ExternalAuth, fmt.Sprintf("google_calendar.%0100d", i))
	}
	return t
}

// TestLargestListing: what any manifest may say fits into one line of a
// catalogue and is read again, and one character more is refused.
func TestLargestListing(t *testing.T) {
	tool := largest()
	l := line(spec.Name(strings.Repeat("a", 48)), tool.Description)
	l.Permissions, l.Summary, l.Deprecated, l.Verified = tool.Permissions(), ledger.NewSummary(tool), true, true
	for i := range limits.Owners {
		l.Owners = append(l.Owners, fmt.Sprint(i%10)+strings.Repeat("\U00010348", limits.Login-1))
	}
	l.Owners = l.Owners[1:]
	t.Logf("%d bytes", len(ledger.Encode(l)))
	read := func() error {
		c, err := ledger.UpdateCatalogue(ledger.EmptyCatalogue(), map[spec.Name]*ledger.Listing{l.Name: l})
		if err != nil {
			t.Fatal(err)
		}
		_, err = ledger.ParseCatalogue(c)
		return err
	}
	if err := read(); err != nil {
		t.Error(err)
	}
	l.Description += "a"
	if err := read(); err == nil {
		t.Error("one character more is accepted")
	}
}

// TestSummaryIsCut: of a long description of an input the first characters are
// kept, none of them halved.
func TestSummaryIsCut(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"", ""},
		{"Short.", "Short."},
		{strings.Repeat("é", limits.SummaryInput), strings.Repeat("é", limits.SummaryInput)},
		{strings.Repeat("é", limits.SummaryInput+1), strings.Repeat("é", limits.SummaryInput)},
		{strings.Repeat("a", limits.SummaryInput-1) + " b", strings.Repeat("a", limits.SummaryInput-1)},
	} {
		s := ledger.NewSummary(&spec.Tool{Format: spec.FormatPatch, Inputs: []spec.Input{{Name: "a", Description: c.given}}})
		if got := s.Inputs[0].Description; got != c.want {
			t.Errorf("of %q is kept %q, want %q", c.given, got, c.want)
		}
	}
}

// TestHostileSummary: a registry says what no manifest can say. Each is refused
// in a record and in a catalogue, and the twin without it is read.
func TestHostileSummary(t *testing.T) {
	good := func() *ledger.Record {
		r := someRecord()
		r.Summary = ledger.Summary{
			Format: spec.FormatPatch, License: "MIT", Tags: []string{"csv"}, Aliases: []spec.Name{"csv2json"},
			Inputs: []ledger.SummaryInput{{Name: "csv", Description: "The text."}}, Examples: []string{"Convert my table"},
		}
		return r
	}
	for name, spoil := range map[string]func(*ledger.Record){
		"":                         func(*ledger.Record) {},
		"unknown format":           func(r *ledger.Record) { r.Summary.Format = "exe" },
		"no format":                func(r *ledger.Record) { r.Summary.Format = "" },
		"license with markup":      func(r *ledger.Record) { r.Summary.License = "<script>" },
		"license with escape":      func(r *ledger.Record) { r.Summary.License = "MIT\x1b[2J" },
		"tag with a blank":         func(r *ledger.Record) { r.Summary.Tags[0] = "csv verified" },
		"tag of another script":    func(r *ledger.Record) { r.Summary.Tags[0] = "сsv" },
		"many tags":                func(r *ledger.Record) { r.Summary.Tags = strings.Fields(strings.Repeat("csv ", limits.Tags+1)) },
		"alias that is none":       func(r *ledger.Record) { r.Summary.Aliases[0] = "../../etc" },
		"reserved alias":           func(r *ledger.Record) { r.Summary.Aliases[0] = "patch_run" },
		"many aliases":             func(r *ledger.Record) { r.Summary.Aliases = make([]spec.Name, limits.Aliases+1) },
		"example of two lines":     func(r *ledger.Record) { r.Summary.Examples[0] = "a\nb" },
		"example with a separator": func(r *ledger.Record) { r.Summary.Examples[0] = "a\u2028b" },
		"long example":             func(r *ledger.Record) { r.Summary.Examples[0] = strings.Repeat("a", limits.Example+1) },
		"many examples":            func(r *ledger.Record) { r.Summary.Examples = make([]string, limits.Examples+1) },
		"many inputs":              func(r *ledger.Record) { r.Summary.Inputs = make([]ledger.SummaryInput, limits.Inputs+1) },
		"long name of an input":    func(r *ledger.Record) { r.Summary.Inputs[0].Name = strings.Repeat("a", limits.InputName+1) },
		"input that ends a line":   func(r *ledger.Record) { r.Summary.Inputs[0].Description = "a\rb" },
		"long input":               func(r *ledger.Record) { r.Summary.Inputs[0].Description = strings.Repeat("a", limits.SummaryInput+1) },
		"many owners":              func(r *ledger.Record) { r.Owners = make([]ledger.Owner, limits.Owners+1) },
		"owner of two lines":       func(r *ledger.Record) { r.Owners[0].Login = "a\nb" },
		"long login":               func(r *ledger.Record) { r.Owners[0].Login = strings.Repeat("a", limits.Login+1) },
		"description of two lines": func(r *ledger.Record) { r.Description = "a\nb" },
		"long description":         func(r *ledger.Record) { r.Description = strings.Repeat("a", limits.Description+1) },
	} {
		r := good()
		spoil(r)
		if _, err := ledger.ParseRecord(ledger.Encode(r), r.Name); (err == nil) != (name == "") {
			t.Errorf("record with %q: %v", name, err)
		}
		c, err := ledger.UpdateCatalogue(ledger.EmptyCatalogue(), map[spec.Name]*ledger.Listing{r.Name: ledger.NewListing(r)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.ParseCatalogue(c); (err == nil) != (name == "") {
			t.Errorf("catalogue with %q: %v", name, err)
		}
	}
}

// TestDescribed: of which version a record tells, and which its card shows.
func TestDescribed(t *testing.T) {
	r := someRecord()
	for _, c := range []struct {
		spoil func()
		want  spec.Version
		shown bool
	}{
		{func() {}, "1.2.0", true},
		{func() { r.Versions[1].Yanked = "slow" }, "1.0.0", true},
		{func() { r.Versions[0].Revoked = "leaks" }, "2.0.0-rc.1", false},
	} {
		c.spoil()
		if got := r.Described(); got.Version != c.want || (ledger.NewListing(r) != nil) != c.shown {
			t.Errorf("described is %s, want %s; listing %+v", got.Version, c.want, ledger.NewListing(r))
		}
	}
	if r.Versions = nil; r.Described() != nil {
		t.Error("a record without versions describes one")
	}
}

// TestVerifiedListing: the mark says that an owner himself opened the pull
// request of the latest version, by the number and not by the login.
func TestVerifiedListing(t *testing.T) {
	for _, c := range []struct {
		who  ledger.Owner
		pull string
		want bool
	}{
		{ledger.Owner{Login: "a", ID: 1}, "https://github.com/demo/tools/pull/7", true},
		{ledger.Owner{Login: "renamed", ID: 1}, "https://github.com/demo/tools/pull/7", true},
		{ledger.Owner{Login: "a", ID: 2}, "https://github.com/demo/tools/pull/7", false},
		{ledger.Owner{Login: "a"}, "https://github.com/demo/tools/pull/7", false},
		{ledger.Owner{Login: "a", ID: 1}, "", false},
	} {
		r := someRecord()
		r.Versions[1].Contributor, r.Versions[1].PullRequest = c.who, c.pull
		if got := ledger.NewListing(r); got.Verified != c.want || !bytes.Contains(ledger.Encode(r), []byte("pull_request")) != (c.pull == "") {
			t.Errorf("%+v by %q: verified is %v", c.who, c.pull, got.Verified)
		}
	}
}
