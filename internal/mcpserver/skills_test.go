package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// skillNamed is a verified skill with files of these paths.
func skillNamed(tb testing.TB, name string, files ...string) *entry {
	tb.Helper()
	return toolNamed(tb, name, func(c *consume.Card) {
		c.Tool.Format, c.Tool.Skill, c.Trust = spec.FormatSkill, &spec.Skill{Name: skillName(c.Ref.Name)}, consume.Untrusted
		for _, f := range files {
			c.Files = append(c.Files, ledger.ReleaseFile{Path: f, Size: 300, SHA256: spec.DigestOf([]byte(name + f))})
		}
	})
}

// kitOf is an installed tool of two actions.
func kitOf(tb testing.TB) *entry {
	tb.Helper()
	return toolNamed(tb, "my_kit", func(c *consume.Card) {
		c.Tool.Format = spec.FormatInstall
		for _, op := range []spec.Operation{
			{Name: "say", Summary: "Say it.", Effects: spec.EffectsNone, Output: &spec.OperationOutput{Format: spec.OutputText}},
			{Name: "paint", Summary: "Paint zebras on a wall.", Effects: spec.EffectsWrite, Idempotent: true, Output: &spec.OperationOutput{Format: spec.OutputJSON}},
		} {
			c.Tool.Operations = append(c.Tool.Operations, op)
			view := consume.View(c.Tool, &op)
			c.Parts = append(c.Parts, &consume.Card{Ref: c.Ref, Registry: c.Registry, Tool: view, Trust: c.Trust})
		}
	})
}

// TestFileURI: an address has one spelling. The attacks differ from a good one in one
// point each.
func TestFileURI(t *testing.T) {
	for _, bad := range []string{
		"", "skill:", "skill://", "skill://work-log", "skill://work-log/", "skill:/work-log/SKILL.md", "SKILL://work-log/SKILL.md", "skills://work-log/SKILL.md",
		"file:///work-log/SKILL.md", "skill:///SKILL.md", "skill://work-log//SKILL.md", "skill://work-log/./SKILL.md", "skill://work-log/scripts/../SKILL.md",
		"skill://work-log/../other/SKILL.md", "skill://../SKILL.md", "skill://work-log/..", "skill://work-log/%2e%2e/SKILL.md", "skill://work-log/SKILL%2emd",
		"skill://work-log%2fSKILL.md", `skill://work-log/scripts\log.sh`, "skill://work-log//etc/passwd", "skill://work-log/SKILL.md?x", "skill://work-log/SKILL.md#x",
		"skill://u@work-log/SKILL.md", "skill://work-log:1/SKILL.md", "skill://Work-log/SKILL.md", "skill://work_log/SKILL.md", "skill://work--log/SKILL.md",
		"skill://-log/SKILL.md", "skill://work-log/SKILL.md\x00", "skill://work-log/.hidden", "skill://work-log/SKILL.md ", " skill://work-log/SKILL.md",
		"skill://work-log/con", "skill://wörk-log/SKILL.md", "skill://work-log/" + strings.Repeat("a/", limits.MCPURI) + "a",
	} {
		if name, path, err := parseFileURI(bad); fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != "skill_uri" {
			t.Errorf("%q is %s of %s, %v", bad, path, name, err)
		}
	}
	for uri, want := range map[string][2]string{
		"skill://work-log/SKILL.md":       {"work_log", "SKILL.md"},
		"skill://work-log/scripts/log.sh": {"work_log", "scripts/log.sh"},
		"skill://work-log/skill.md":       {"work_log", "skill.md"}, // no other file's name: nothing is folded
	} {
		if name, path, err := parseFileURI(uri); err != nil || string(name) != want[0] || path != want[1] {
			t.Errorf("%q is %s of %s, %v", uri, path, name, err)
		}
	}
}

// FuzzFileURI: what is taken is written again as it was.
func FuzzFileURI(f *testing.F) {
	for _, s := range []string{"skill://work-log/SKILL.md", "skill://work-log/../x", "skill://a/%2e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		name, path, err := parseFileURI(uri)
		if err == nil && (fileURI(skillName(name), path) != uri || strings.Contains(uri, "..") || strings.ContainsAny(uri, "%\\?#")) {
			t.Fatalf("%q was taken for %s of %s", uri, path, name)
		}
	})
}

// TestResources: every file of every skill that stands is listed once, in one order, on
// pages, also while the list changes; nothing else is. A skill is no tool.
func TestResources(t *testing.T) {
	all := []*entry{toolNamed(t, "one_tool", nil), kitOf(t), {ref: spec.Ref{Name: "broken_skill", Version: "1.0.0"}, err: errors.New("edited")}}
	for i := range 700 {
		all = append(all, skillNamed(t, fmt.Sprintf("skill_%03d", i), "SKILL.md", "scripts/run.sh"))
	}
	conf := config.MCP{Expose: config.ExposeAll}
	shelf := newShelf(slices.Clone(all), conf, nil)
	if got := namesOf(shelf.listed); !slices.Equal(got, []string{"my_kit__paint", "my_kit__say", "one_tool"}) {
		t.Errorf("tools are %v", got)
	}
	ts := shelved(shelf)
	var got []string
	for cursor, pages := "", 0; ; pages++ {
		page, err := ts.resources(t.Context(), cursor)
		if err != nil || len(page.Resources) > limits.MCPPage {
			t.Fatal(err)
		}
		for _, r := range page.Resources {
			got = append(got, r.URI)
		}
		if pages == 0 { // what came last is gone now
			gone := len(got)/2 - 1
			ts.state.Store(newShelf(slices.Delete(slices.Clone(all), 3+gone, 4+gone), conf, nil))
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if len(got) != 1400 || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Errorf("%d files", len(got))
	}
	page, _ := ts.resources(t.Context(), "")
	first, second := page.Resources[0], page.Resources[1]
	if first.URI != "skill://skill-000/SKILL.md" || first.Description != "Say what it is." || first.MIMEType != "text/markdown" || first.Size != 300 || first.Title != "skill-000" ||
		first.Meta[metaRelease] != "acme/tools/skill_000@1.0.0" || first.Meta[metaVersion] != "1.0.0" || first.Meta[metaDigest] != spec.DigestOf([]byte("skill_000SKILL.md")).String() {
		t.Errorf("%+v", first)
	}
	if second.Description != "" || second.Name != "skill-000/scripts/run.sh" {
		t.Errorf("%+v", second)
	}
	for _, hostile := range []string{"x", "after:", "after:skill://a", "after:skill://a/../b", "skill://skill-000/SKILL.md"} {
		if _, err := ts.resources(t.Context(), hostile); err == nil {
			t.Errorf("the cursor %q was taken", hostile)
		}
	}
	if _, err := ts.resources(t.Context(), "after:skill://skill-000/SKILL.md"); err != nil {
		t.Errorf("the twin: %v", err)
	}
}

// TestNews: who asked for one list is not told of the other.
func TestNews(t *testing.T) {
	conf := config.MCP{Expose: config.ExposeAll}
	with := func(list ...*entry) *shelf { return newShelf(list, conf, nil) }
	tool, text := toolNamed(t, "one_tool", nil), skillNamed(t, "work_log", "SKILL.md")
	edited := skillNamed(t, "work_log", "SKILL.md")
	edited.skill.files[0].SHA256 = spec.Digest{1}
	for _, c := range []struct {
		what          string
		before, after *shelf
		want          news
	}{
		{"nothing", with(tool, text), with(toolNamed(t, "one_tool", nil), skillNamed(t, "work_log", "SKILL.md")), news{}},
		{"a skill", with(tool), with(tool, text), news{skills: true}},
		{"other bytes", with(tool, text), with(tool, edited), news{skills: true}},
		{"a tool", with(text), with(tool, text), news{tools: true}},
		{"both", with(), with(tool, text), news{true, true}},
	} {
		if got := c.after.since(c.before); got != c.want {
			t.Errorf("%s: %+v", c.what, got)
		}
	}
}

// TestContents: a text is given as it is, everything else as base64, and what a browser
// would run is a plain text.
func TestContents(t *testing.T) {
	for _, c := range []struct{ file, data, mime, want string }{
		{"SKILL.md", "a \u202e\n", "text/markdown", `"text":"a ` + "\u202e" + `\n"`},
		{"a.svg", "<svg/>", "text/plain", `"text":"\u003csvg/\u003e"`},
		{"LICENSE", "MIT", "text/plain", `"text":"MIT"`},
		{"empty.md", "", "text/markdown", `"blob":""`},
		{"a.md", "\xff", "application/octet-stream", `"blob":"/w=="`},
		{"LICENSE", "\xff", "application/octet-stream", `"blob":"/w=="`},
		{"a.PNG", "MIT", "image/png", `"blob":"TUlU"`},
	} {
		got := contents(c.file, []byte(c.data))
		text, err := json.Marshal(got)
		if err != nil || got.MIMEType != c.mime || !strings.Contains(string(text), c.want) {
			t.Errorf("%s: %s, %v", c.file, text, err)
		}
	}
}

// TestRefusedFile: a "no" and "could not tell" are different errors of the protocol.
func TestRefusedFile(t *testing.T) {
	for kind, code := range map[fault.Kind]int64{
		fault.Usage: jsonrpc.CodeInvalidParams, fault.NotFound: jsonrpc.CodeInvalidParams, fault.NotVerified: jsonrpc.CodeInvalidParams,
		fault.Denied: jsonrpc.CodeInvalidParams, fault.Unavailable: jsonrpc.CodeInternalError,
	} {
		got := refusedFile(fault.New(kind, "why", "it\x1b is so").Hint("do"), "skill://x")
		if got.Code != code || strings.Contains(got.Message, "\x1b") || string(got.Data) != `{"uri":"skill://x","kind":"`+kind.String()+`","reason":"why","hints":["do"]}` {
			t.Errorf("%s: %d %s %s", kind, got.Code, got.Message, got.Data)
		}
	}
}

// TestResourcesEras: lists, reads, refusals and news, by a client of the SDK, in both eras.
func TestResourcesEras(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			s := serveFake(t.Context(), t, testHost(t, nil, nil, &safeBuffer{}), newFake())
			changed := make(chan bool, 10)
			client := connected(t, s, era, resourceNews(changed))
			resourcesOver(t, client)
			s.changed(news{skills: true})
			select {
			case <-changed:
			case <-time.After(time.Second):
				t.Error("nobody told of the change within a second")
			}
		})
	}
}
