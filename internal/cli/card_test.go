package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/aihost"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/picker"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

func hit() consume.Hit {
	return consume.Hit{
		Registry: "demo/tools", Version: "1.2.0",
		Listing: ledger.Listing{
			Name: "csv_to_json", Latest: "1.2.0", Description: "Turn CSV into JSON.", Published: "2026-11-22T10:00:00Z", Owners: []string{"ann", "ben"},
			Permissions: spec.Permissions{Filesystem: spec.FilesystemNone}, Summary: ledger.Summary{Format: spec.FormatPatch, License: "MIT", Tags: []string{"csv", "json"}},
		},
		Why: []index.Match{{In: "name", Text: "csv CSV csv"}, {In: "tag", Text: "CSV"}, {In: "example", Text: "convert this csv"}},
	}
}

// printedCards is what a search prints.
func printedCards(t *testing.T, width int, all ...card) string {
	t.Helper()
	var out bytes.Buffer
	h := &host.Host{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }, Now: time.Now}
	h.Terminal.Stdout, h.Terminal.Width = width > 0, width
	p := newPrinter(h)
	if err := p.setColor("never"); err != nil {
		t.Fatal(err)
	}
	p.cards(all)
	return out.String()
}

func TestCard(t *testing.T) {
	full := card{hit: hit(), in: true, why: hit().Why}
	full.hit.Verified, full.hit.Deprecated, full.hit.Installed, full.hit.Also = true, true, "1.0.0", []spec.Name{"csv_json"}
	full.hit.Permissions = spec.Permissions{Network: true, Filesystem: spec.FilesystemReadWrite, HumanConfirm: true, Needs: []string{"process"}, ExternalAuth: []string{"mail.send"}}
	bare := card{hit: hit()}
	bare.hit.Owners, bare.hit.Summary.License, bare.hit.Summary.Tags, bare.hit.Published = nil, "", nil, "yesterday"
	const want = `csv_to_json 1.2.0 · installed 1.0.0 · deprecated
  Turn CSV into JSON.
  by ann, ben (verified) · patch · 2026-11-22 · MIT · in demo/tools · tags csv, json · network, writes files, your accounts, starts other programs, asks each time
  matched name "csv", example "convert this csv"
  much the same: csv_json
  patch-git pull csv_to_json --registry demo/tools

csv_to_json 1.2.0
  Turn CSV into JSON.
  by nobody that the registry names · patch · no date · no licence stated · no network, no files
  patch-git pull csv_to_json
`
	if got := printedCards(t, 0, full, bare); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for line := range strings.Lines(printedCards(t, 40, full, bare)) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 40 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// What a permission is that this program does not know is no permission that
// looks harmless.
func TestBadge(t *testing.T) {
	for want, p := range map[string]spec.Permissions{
		"no network, no files":                 {Filesystem: spec.FilesystemNone},
		"files: unknown":                       {},
		"reads files":                          {Filesystem: spec.FilesystemReadOnly},
		"no network, no files, asks each time": {Filesystem: spec.FilesystemNone, HumanConfirm: true},
		"runs machine code of its own":         {Filesystem: spec.FilesystemNone, Needs: []string{"native"}},
	} {
		line := badge(p)
		if got := line.Paint(false); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
		if harmless := line[0].Style == picker.Good; harmless != strings.HasPrefix(want, "no network, no files") {
			t.Errorf("%q is shown as harmless: %v", want, harmless)
		}
	}
}

// Every text of a listing can be hostile: a registry that was trusted may turn.
func TestCardHostile(t *testing.T) {
	const bad = "a\x1b[2J\x1b]0;t\x07\r\nfake 9.9.9\n  by root\u202egnp\u200b\x9b\xff\tb"
	h := hit()
	h.Registry, h.Version, h.Name, h.Description, h.Published, h.Owners = bad, bad, bad, bad, bad, []string{bad, bad}
	h.Summary = ledger.Summary{Format: bad, License: bad, Tags: []string{bad}, Aliases: []spec.Name{bad}, Examples: []string{bad}, Inputs: []ledger.SummaryInput{{Name: bad, Description: bad}}}
	h.Permissions = spec.Permissions{Filesystem: bad, Needs: []string{bad}, ExternalAuth: []string{bad}}
	h.Installed, h.Also = bad, []spec.Name{bad}
	h.Why = []index.Match{{In: bad, Text: bad}}
	c := card{hit: h, in: true, why: h.Why}
	text := printedCards(t, 0, c)
	if n := strings.Count(text, "\n"); n != 6 {
		t.Errorf("%d lines: %q", n, text)
	}
	var out bytes.Buffer
	p := newPrinter(&host.Host{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }})
	p.facets([]index.Facet{{Field: bad, Value: bad, Count: 1}}, 2)
	row, right := choice{c}.Row()
	text += out.String() + row.Paint(false) + right.Paint(false)
	for _, par := range (choice{c}).Card() {
		text += par.Line.Paint(false)
	}
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) || r == '\u202e' || r == '\u200b' || r == unicode.ReplacementChar {
			t.Errorf("%U came through", r)
		}
	}
}

func TestLasted(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "less than a minute", 0: "less than a minute", time.Minute: "1 minute", 59 * time.Minute: "59 minutes",
		time.Hour: "1 hour", 47 * time.Hour: "47 hours", 49 * time.Hour: "2 days", 2400 * time.Hour: "100 days",
	} {
		if got := lasted(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// What a person is told to type holds nothing that somebody else wrote but
// names, and is what the program reads.
func TestUses(t *testing.T) {
	tool := &spec.Tool{Format: spec.FormatPatch, Name: "csv_to_json", Version: "1.2.0", Inputs: []spec.Input{
		{Name: "csv_text", Type: spec.TypeString, Required: true},
		{Name: "times", Type: spec.TypeInteger, Required: true},
		{Name: "parts", Type: spec.TypeArray, Required: true},
		{Name: "typed", Type: spec.TypeBoolean},
	}}
	if got, want := flags(tool), " --csv-text=TEXT --times=1 --parts='[]'"; got != want {
		t.Errorf("flags %q, want %q", got, want)
	}
	if got, want := arguments(tool), `{"csv_text":"TEXT","parts":[],"times":1}`; got != want {
		t.Errorf("arguments %q, want %q", got, want)
	}
	a := &app{host: &host.Host{Getenv: func(string) string { return "" }}, color: "auto"}
	a.out = newPrinter(a.host)
	if _, raw, err := a.parseRun(tool, []string{"--csv-text=TEXT", "--times=1", "--parts=[]"}); err != nil || string(raw) != arguments(tool) {
		t.Errorf("the flags are read as %s, %v", raw, err)
	}
	for _, name := range []string{"x'; rm -rf ~; '", "$(id)", "`id`", "a b", "\u202e", "timeout", "yes"} {
		bad := &spec.Tool{Format: spec.FormatPatch, Name: "a_tool", Version: "1.0.0", Inputs: []spec.Input{{Name: name, Type: spec.TypeString, Required: true}}}
		if got := flags(bad); got != " --help" {
			t.Errorf("flags of %q are %q", name, got)
		}
		if all := uses(&spec.Tool{Format: spec.FormatSkill, Name: "a_tool", Version: "1.0.0"}, "a_tool@1.0.0"); len(all) != 2+len(aihost.SkillHosts()) || strings.Contains(fmt.Sprint(all), "patch-git run ") {
			t.Errorf("a skill, which nothing runs by itself, has the uses %v", all)
		}
		for _, u := range uses(bad, "a_tool@1.0.0") {
			if strings.ContainsAny(name, "';$`\u202e ") && strings.Contains(u.Command, name) {
				t.Errorf("%q is in %q", name, u.Command)
			}
		}
	}
}
