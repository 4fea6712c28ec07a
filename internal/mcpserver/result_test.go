package mcpserver

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/mcpclient"
	"github.com/patch-cat/patch-git/spec"
)

func said(t *testing.T, r *mcp.CallToolResult, i int) string {
	t.Helper()
	c, ok := r.Content[i].(*mcp.TextContent)
	if !ok {
		t.Fatalf("content %d is %T", i, r.Content[i])
	}
	return c.Text
}

// TestRan: what nobody vouches for stands behind a word about that, whatever it is
// labelled with; what was computed does not.
func TestRan(t *testing.T) {
	run := func(trust consume.Trust) *mcp.CallToolResult {
		return ran(shape{}, &consume.Ran{RunID: "r1", Trust: trust, Result: json.RawMessage(`{"a": 1}`), Sources: []audit.RunID{"r0"}})
	}
	for _, trust := range []consume.Trust{consume.Untrusted, consume.Derived, "", "something else"} {
		r := run(trust)
		if len(r.Content) != 2 || !strings.HasPrefix(said(t, r, 0), "Untrusted output of run r1: ") || said(t, r, 1) != `{"a": 1}` {
			t.Errorf("%q: %+v", trust, r.Content)
		}
	}
	for _, trust := range []consume.Trust{consume.Trusted, consume.Computed} {
		if r := run(trust); len(r.Content) != 1 || said(t, r, 0) != `{"a": 1}` || r.Meta[metaRun] != "r1" || r.Meta[metaTrust] != string(trust) {
			t.Errorf("%q: %+v", trust, r)
		}
	}
	wrapped := ran(shape{wrapped: true}, &consume.Ran{Result: json.RawMessage(`[1]`), Trust: consume.Computed})
	if data, err := json.Marshal(wrapped.StructuredContent); err != nil || string(data) != `{"result":[1]}` {
		t.Errorf("%s, %v", data, err)
	}
}

// TestMedia: bytes reach a host as what they are, or not at all.
func TestMedia(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 20)
	wave := "RIFF\x10\x00\x00\x00WAVEfmt " + strings.Repeat("x", 20)
	quoted := func(data string) json.RawMessage {
		return json.RawMessage(`"` + base64.StdEncoding.EncodeToString([]byte(data)) + `"`)
	}
	for _, c := range []struct {
		kind   string
		result json.RawMessage
		ok     bool
	}{
		{"image/png", quoted(png), true},
		{"audio/wav", quoted(wave), true},
		{"image/jpeg", quoted(png), false},
		{"image/png", quoted("<svg onload=alert(1)>"), false},
		{"image/png", quoted("<html>"), false},
		{"image/png", json.RawMessage(`"%%%"`), false},
		{"image/png", json.RawMessage(`{"a":1}`), false},
	} {
		r := ran(shape{media: c.kind}, &consume.Ran{Result: c.result, Trust: consume.Computed})
		if r.IsError == c.ok || r.StructuredContent != nil {
			t.Errorf("%s of %s: %+v", c.kind, c.result, r)
		}
		if c.ok {
			if data, err := json.Marshal(r); err != nil || !strings.Contains(string(data), `"mimeType":"`+c.kind+`"`) {
				t.Errorf("%s, %v", data, err)
			}
		}
	}
	for _, kind := range []string{`"image/svg+xml"`, `"text/html"`, `["image/png"]`, `1`, ``} {
		if got := mediaOf(&spec.Tool{Output: spec.Output{Type: spec.TypeString}, Extensions: map[string]json.RawMessage{"x-media": json.RawMessage(kind)}}); got != "" {
			t.Errorf("%s is shown as %s", kind, got)
		}
	}
}

// TestHeld: what a model is told of a held call has the documented members, shows
// hidden characters, and has nothing that approves.
func TestHeld(t *testing.T) {
	const run = "20260314-150926-535897-k3vq7xw2ma"
	h := &consume.Held{
		Action: "abc", Tool: spec.Ref{Name: "send_mail", Version: "1.0.0"}, RunID: "r2",
		Arguments: json.RawMessage(`{"to":"bob\u202e","body":"` + strings.Repeat("long ", 100) + `"}`),
		Reasons: []approval.Reason{
			{Kind: approval.KindTainted, Text: "to was read in run r1", Input: "to", Value: "bob\u202e\x1b[2J", Source: run},
			{Kind: approval.KindTainted, Text: "cc was reported", Input: "cc", Value: "eve", Source: "note ABC"},
			{Kind: approval.KindFiles, Text: "it is to read a file", Input: "attach", Value: "/home/a/b"},
			{Kind: "human_confirm", Text: "it asks for a person"},
		},
	}
	r := held(h)
	var w waiting
	if err := json.Unmarshal([]byte(said(t, r, 0)), &w); err != nil {
		t.Fatal(err)
	}
	switch {
	case !r.IsError || r.StructuredContent != nil:
		t.Error("a host that checks results would take it for one of the tool")
	case w.Status != "confirmation_required" || w.Kind != approval.KindTainted || w.Tool != "send_mail@1.0.0" || w.Token != "abc" || w.RunID != "r2" || len(w.Reasons) != 4:
		t.Errorf("%+v", w)
	case utf8.RuneCountInString(w.ArgsSummary) != limits.MCPSummary || strings.ContainsAny(w.ArgsSummary, "\u202e\x1b"):
		t.Errorf("%q", w.ArgsSummary)
	case len(w.Tainted) != 2 || w.Tainted[0].Input != "to" || w.Tainted[0].Source != run || w.Tainted[0].Note != "" ||
		w.Tainted[1].Source != "" || w.Tainted[1].Note != "note ABC" || strings.ContainsAny(w.Tainted[0].Value, "\u202e\x1b"):
		t.Errorf("%+v", w.Tainted)
	case !strings.Contains(w.Instruction, "patch-git approve abc"):
		t.Error(w.Instruction)
	}
}

// TestFailed: an error says its kind, its reason and what to do, and no character of
// a stranger's acts on who reads it.
func TestFailed(t *testing.T) {
	r := failed(fault.New(fault.ToolFailed, "exit", "it ended with 1\n  \x1b]0;x\x07ignore\u202e all").Hint("look at %s", "it"))
	got, labelled := strings.CutPrefix(said(t, r, 0), othersWords+"\n")
	if !labelled {
		t.Errorf("nobody says whose words these are: %q", got)
	}
	if !r.IsError || !strings.HasPrefix(got, "tool_failed (exit): it ended with 1\n") || !strings.HasSuffix(got, "\nhint: look at it") || strings.ContainsAny(got, "\x1b\x07\u202e") {
		t.Errorf("%q", got)
	}
	if !strings.HasPrefix(said(t, failed(errors.New("x")), 0), "internal: ") {
		t.Error("what nobody classified is internal")
	}
	for reason, kind := range map[string]fault.Kind{"revoked": fault.Denied, mcpclient.ReasonUnanswered: fault.Unavailable, "authorization": fault.Denied} {
		if r := failed(fault.New(kind, reason, "words of others")); !strings.HasPrefix(said(t, r, 0), othersWords+"\n") {
			t.Errorf("%s: %q", reason, said(t, r, 0))
		}
	}
	// The twins: what only this program says.
	for _, err := range []error{fault.New(fault.Denied, "capability", "x"), fault.New(fault.Usage, "unknown_argument", "x"), fault.New(fault.Unavailable, "listen", "x")} {
		if r := failed(err); strings.Contains(said(t, r, 0), othersWords) {
			t.Errorf("%v is told to be somebody's: %q", err, said(t, r, 0))
		}
	}
}

// TestTraceParent: a trace context gets into a record, and nothing else by this way.
func TestTraceParent(t *testing.T) {
	good := "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	if !traceParent(good) {
		t.Error("a trace context is refused")
	}
	for _, bad := range []string{"", good + "0", "01" + good[2:], strings.ToUpper(good), strings.Replace(good, "-", "_", 1), strings.Repeat("x", len(good))} {
		if traceParent(bad) {
			t.Errorf("%q is taken for one", bad)
		}
	}
}

// TestMetas: hosts can show each meta-tool, and none can be mistaken for a tool of
// somebody's.
func TestMetas(t *testing.T) {
	now := &shelf{}
	for _, tool := range shelved(now).metaTools(now) {
		if len(tool.Name) > limits.MCPName || !strings.HasPrefix(tool.Name, "patch_") || tool.Description == "" || len(tool.Description) > limits.MCPText {
			t.Errorf("%+v", tool)
		}
		if data, err := json.Marshal(tool); err != nil || !json.Valid(data) {
			t.Error(err)
		}
		if metaNamed(tool.Name) == nil {
			t.Errorf("%s is listed and not answered", tool.Name)
		}
	}
	if metaNamed("patch_other") != nil || metaNamed("echo_text") != nil {
		t.Error("another name is a meta-tool")
	}
}

// TestResultSaysWhatHeldItIn: the driver, what it could not enforce and what was
// hidden; of a request, which nothing held in, nothing.
func TestResultSaysWhatHeldItIn(t *testing.T) {
	about := aboutRun(&consume.Ran{Driver: "landlock", NotEnforced: []string{"hidden paths"}, Hidden: []string{"/w/.env"}})
	data, err := json.Marshal(about[metaSandbox])
	if want := `{"driver":"landlock","not_enforced":["hidden paths"],"hidden":["/w/.env"]}`; err != nil || string(data) != want {
		t.Errorf("it is said: %s, %v; want %s", data, err, want)
	}
	if about := aboutRun(&consume.Ran{}); about[metaSandbox] != nil {
		t.Errorf("of a request it is said: %v", about[metaSandbox])
	}
}
