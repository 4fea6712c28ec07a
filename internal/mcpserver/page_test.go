package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/spec"
)

// toldTool is a tool as a host reads it.
type toldTool struct {
	Name, Description string
	InputSchema       json.RawMessage
	OutputSchema      json.RawMessage
	Annotations       *mcp.ToolAnnotations
	Meta              map[string]string `json:"_meta"`
}

func told(tb testing.TB, e *entry) toldTool {
	tb.Helper()
	var t teller
	var out toldTool
	d := json.NewDecoder(bytes.NewReader(t.append(nil, e)))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		tb.Fatal(err)
	}
	return out
}

// hostile are words that an author could choose to break the line that they stand on.
var hostile = []string{
	"Say it.", "two\nlines", "a \"quote\", a \\ and a \t", "\u00e9\u2028\u4e2d", "\x00\x1f\x7f", "\xff is no text", `part:1"]}}`, "<script>&amp;",
	`","inputSchema":{}},{"name":"patch_run_tool`,
}

// TestTold: what a host reads of a tool is what is known of it, whatever its author
// wrote, and is what the encoder of the SDK would have written.
func TestTold(t *testing.T) {
	for _, words := range hostile {
		e := toolNamed(t, "one_tool", func(c *consume.Card) {
			c.Tool.Inputs[0].Description = words
			c.Tool.Inputs[0].Default = json.RawMessage("[1,\n  \"a\"]")
		})
		e.description = words // as it is where nothing cleaned it
		var x teller
		line := x.append(nil, e)
		if bytes.ContainsAny(line, "\r\n") {
			t.Errorf("%q is more than one line", line)
		}
		sdk, err := json.Marshal(&mcp.Tool{
			Name: e.name, Description: e.description, InputSchema: json.RawMessage(e.in), OutputSchema: json.RawMessage(e.out),
			Annotations: e.kind.annotations(), Meta: mcp.Meta{metaRelease: "acme/tools/" + e.ref.At()},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := canonical(t, line), canonical(t, sdk); got != want {
			t.Errorf("%s\nin place of\n%s", got, want)
		}
	}
}

func canonical(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestSpliced: a host at the other end of a pipe reads the same list as one that the
// SDK answers, in each era, page by page, and nothing is kept of it.
func TestSpliced(t *testing.T) {
	var all []*entry
	for i := range 1500 {
		words := hostile[i%len(hostile)]
		all = append(all, toolNamed(t, fmt.Sprintf("tool_%04d", i), func(c *consume.Card) { c.Tool.Description = words }))
	}
	ts := shelved(newShelf(all, config.MCP{Expose: config.ExposeAll}, nil))
	for _, era := range eras {
		in, hostIn := io.Pipe()
		hostOut, out := io.Pipe()
		ctx, stop := context.WithCancel(t.Context())
		s := serveFake(ctx, t, testHost(t, in, out, io.Discard), &lister{newFake(), ts})
		p := newPipe(ctx, in, out)
		ended := make(chan error, 1)
		go func() { ended <- s.over(ctx, p) }()
		answers := bufio.NewReader(hostOut)
		ask := func(frame string) {
			if _, err := io.WriteString(hostIn, frame+"\n"); err != nil {
				t.Error(err)
			}
		}
		meta := ""
		if era < handshakes {
			ask(initialize(era))
			if _, err := answers.ReadBytes('\n'); err != nil {
				t.Fatal(err)
			}
			ask(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		} else {
			meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + era + `","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
		}
		pages := 0
		for cursor := ""; ; pages++ {
			ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{"cursor":%q%s}}`, pages+7, cursor, meta))
			line, err := answers.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				ID     int
				Result struct {
					Tools      json.RawMessage
					NextCursor string
					ResultType string
				}
			}
			if err := json.Unmarshal(line, &got); err != nil || got.ID != pages+7 {
				t.Fatalf("%s, page %d: %.200q, %v", era, pages, line, err)
			}
			whole, err := ts.list(t.Context(), &mcp.ListToolsParams{Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(whole) // as over HTTP
			if err != nil {
				t.Fatal(err)
			}
			var want struct{ Tools json.RawMessage }
			if err := json.Unmarshal(text, &want); err != nil || canonical(t, got.Result.Tools) != canonical(t, want.Tools) {
				t.Errorf("%s, page %d is another, %v", era, pages, err)
			}
			if (era >= handshakes) != (got.Result.ResultType == "complete") {
				t.Errorf("%s: the SDK's part says %q", era, got.Result.ResultType)
			}
			if cursor = got.Result.NextCursor; cursor == "" {
				break
			}
		}
		if pages != 1 || len(p.later.parts) != 0 {
			t.Errorf("%s: %d pages, %d parts are kept", era, pages+1, len(p.later.parts))
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// lister is a fake that lists a shelf.
type lister struct {
	*fake
	shows *toolset
}

func (l *lister) list(ctx context.Context, p *mcp.ListToolsParams) (*page, error) {
	return l.shows.list(ctx, p)
}

// TestCut: only the mark at the end of an answer is one, and counts once.
func TestCut(t *testing.T) {
	part := []*entry{{ref: spec.Ref{Name: "one"}}}
	var l later
	line := string(append(l.note([]byte(`{"id":1,"result":{"nextCursor":"after:part:9","tools":[{"name":"part:1"},`), part), "]}}"...))
	for _, other := range []string{
		"", `{"id":1,"error":{"message":"part:1"}}`, strings.Replace(line, "part:1\"]", "part:2\"]", 1), strings.Replace(line, "part:1\"]", "part:x\"]", 1),
		strings.TrimSuffix(line, "}"), strings.TrimSuffix(line, "]}}") + ",{}]}}",
	} {
		if before, got, after := l.cut([]byte(other)); string(before) != other || got != nil || after != nil {
			t.Errorf("%s was cut to %s and %s", other, before, after)
		}
	}
	before, got, after := l.cut([]byte(line))
	if len(got) != 1 || got[0] != part[0] || string(before)+string(after) != strings.Replace(line, `"part:1"]`, "]", 1) {
		t.Errorf("%s, %v, %s", before, got, after)
	}
	if _, again, _ := l.cut([]byte(line)); again != nil {
		t.Error("a part was written twice")
	}
}

// FuzzText: every string is written as one that reads the same, on one line.
func FuzzText(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := appendText([]byte("x"), s)
		var got string
		if err := json.Unmarshal(text[1:], &got); err != nil || got != strings.ToValidUTF8(s, "\uFFFD") && got != string([]rune(s)) || bytes.ContainsAny(text, "\r\n") {
			t.Errorf("%q became %q, %v", s, text, err)
		}
	})
}
