package aihost

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
)

var ourPath = []string{"mcpServers", "patch"}

var ourValue = []member{{"command", "/bin/patch-git"}, {"args", []string{"mcp"}}}

// TestSetJSON: what is put in, and that every other byte stays.
func TestSetJSON(t *testing.T) {
	for name, tt := range map[string]struct{ before, after string }{
		"nothing":       {"", "{\n  \"mcpServers\": {\n    \"patch\": {\n      \"command\": \"/bin/patch-git\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"},
		"white space":   {"\ufeff \r\n", "\ufeff{\r\n  \"mcpServers\": {\r\n    \"patch\": {\r\n      \"command\": \"/bin/patch-git\",\r\n      \"args\": [\"mcp\"]\r\n    }\r\n  }\r\n}\r\n"},
		"an empty one":  {"{}", "{\n  \"mcpServers\": {\n    \"patch\": {\n      \"command\": \"/bin/patch-git\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}"},
		"other members": {"{\n\t\"b\": 1,\n\t\"a\": [1, {}]\n}\n", "{\n\t\"b\": 1,\n\t\"a\": [1, {}],\n\t\"mcpServers\": {\n\t\t\"patch\": {\n\t\t\t\"command\": \"/bin/patch-git\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}\n"},
		"other servers": {
			"{\"mcpServers\": {\n    \"x\": {\"command\": \"x\"} // mine\n    // the end\n}}",
			"{\"mcpServers\": {\n    \"x\": {\"command\": \"x\"}, // mine\n    \"patch\": {\n        \"command\": \"/bin/patch-git\",\n        \"args\": [\"mcp\"]\n    }\n    // the end\n}}",
		},
		"a comma at the end": {
			"{\n  \"mcpServers\": {\n    \"x\": {}, /* a\n b */\n  },\n}",
			"{\n  \"mcpServers\": {\n    \"x\": {}, /* a\n b */\n    \"patch\": {\n      \"command\": \"/bin/patch-git\",\n      \"args\": [\"mcp\"]\n    },\n  },\n}",
		},
		"one line":          {`{"a": 1, "mcpServers": {"x": {}}}`, `{"a": 1, "mcpServers": {"x": {}, "patch": { "command": "/bin/patch-git", "args": ["mcp"] }}}`},
		"one line, remarks": {"{\"mcpServers\": {\"x\": 1 /* a */ } // b\n}", "{\"mcpServers\": {\"x\": 1, \"patch\": { \"command\": \"/bin/patch-git\", \"args\": [\"mcp\"] } /* a */ } // b\n}"},
		"a name in escapes": {`{"mcp\u0053ervers": {"p\u0061tch": 1}}`, "{\"mcp\\u0053ervers\": {\"p\\u0061tch\": {\n  \"command\": \"/bin/patch-git\",\n  \"args\": [\"mcp\"]\n}}}"},
		"there already":     {`{"mcpServers":{"patch":{"args":["mcp" /**/,],"command":"\/bin/patch-git"}}}`, ""},
		"only a comment":    {"{ // none\n}", "{ // none\n  \"mcpServers\": {\n    \"patch\": {\n      \"command\": \"/bin/patch-git\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}"},
	} {
		edits, err := setJSON(tt.before, true, ourPath, ourValue)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if tt.after == "" {
			if len(edits) > 0 {
				t.Errorf("%s: changed to %q", name, apply(tt.before, edits))
			}
			continue
		}
		if got := apply(tt.before, edits); got != tt.after {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tt.after)
		}
	}
}

// TestDropPart: taken out again, what else is there stays.
func TestDropPart(t *testing.T) {
	for name, tt := range map[string]struct{ before, after string }{
		"alone":              {"{\n  \"mcpServers\": {\n    \"patch\": {}\n  }\n}", "{\n  \"mcpServers\": {}\n}"},
		"first":              {"{\n  \"mcpServers\": {\n    \"patch\": {},\n    \"x\": 1\n  }\n}", "{\n  \"mcpServers\": {\n    \"x\": 1\n  }\n}"},
		"last":               {"{\r\n  \"mcpServers\": {\r\n    \"x\": 1,\r\n    \"patch\": {}\r\n  }\r\n}", "{\r\n  \"mcpServers\": {\r\n    \"x\": 1\r\n  }\r\n}"},
		"last, remark":       {"{\"mcpServers\": {\n    \"x\": 1, // mine\n    \"patch\": {}\n  }}", "{\"mcpServers\": {\n    \"x\": 1 // mine\n  }}"},
		"last, comma":        {"{\"mcpServers\": {\n    \"x\": 1,\n    \"patch\": {},\n  }}", "{\"mcpServers\": {\n    \"x\": 1,\n  }}"},
		"one line":           {`{"mcpServers": {"x": 1, "patch": {}, "y": 2}}`, `{"mcpServers": {"x": 1, "y": 2}}`},
		"one line, last":     {`{"mcpServers": {"x": 1, "patch": {}}}`, `{"mcpServers": {"x": 1}}`},
		"after a remark":     {"{\"mcpServers\": { // all\n \"patch\": {}, \"x\": 1}}", "{\"mcpServers\": { // all\n \"x\": 1}}"},
		"after, and the end": {"{\"mcpServers\": { // all\n \"patch\": {}}}", "{\"mcpServers\": { // all\n}}"},
	} {
		p, err := locate(tt.before, true, ourPath)
		if err != nil || p.found != 2 {
			t.Fatalf("%s: %v, %d", name, err, p.found)
		}
		for i, m := range p.on[1].members {
			if m.name == "patch" {
				if got := apply(tt.before, dropPart(tt.before, p.on[1], i)); got != tt.after {
					t.Errorf("%s:\n%s\nwant\n%s", name, got, tt.after)
				}
			}
		}
	}
}

// TestLocateRefuses: each differs in one point from a file that is read.
func TestLocateRefuses(t *testing.T) {
	good := `{"a": [1, true, "x"], "mcpServers": {"x": {}}}`
	if _, err := locate(good, false, ourPath); err != nil {
		t.Fatal(err)
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	if _, err := locate(strings.Replace(good, "1", deep(limits.HostDepth-2), 1), false, ourPath); err != nil {
		t.Errorf("as deep as allowed: %v", err)
	}
	for name, change := range map[string][2]string{
		"a comment":           {"1,", "1, // one\n"},
		"a comma at the end":  {`"x"]`, `"x",]`},
		"no comma":            {"1,", "1"},
		"two commas":          {"1,", "1,,"},
		"no end":              {"}}", "}"},
		"something after":     {"}}", "}} x"},
		"a zero byte after":   {"}}", "}}\x00"},
		"two documents":       {"}}", "}}{}"},
		"no colon":            {`"a":`, `"a"`},
		"a name without":      {`"a":`, `a:`},
		"a number for a name": {`"a":`, `1:`},
		"no number":           {"1", "01"},
		"no word":             {"true", "True"},
		"no escape":           {`"x"]`, `"\x"]`},
		"a raw line break":    {`"x"]`, "\"\n\"]"},
		"an open string":      {`"x"]`, `"x]`},
		"a list of servers":   {`{"x": {}}`, `[]`},
		"null for servers":    {`{"x": {}}`, `null`},
		"servers twice":       {`"a":`, `"mcpServers": {}, "a":`},
		"servers in escapes":  {`"a":`, `"mcp\u0053ervers": {}, "a":`},
		"ours twice":          {`"x": {}`, `"patch": {}, "patch": {}`},
		"a list":              {good, "[]"},
		"too deep":            {"1", deep(limits.HostDepth - 1)},
		"far too deep":        {"1", strings.Repeat("[", 1_000_000)},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Fatalf("%s changes nothing", name)
		}
		if p, err := locate(bad, false, ourPath); err == nil {
			t.Errorf("%s was read: %+v", name, p)
		}
	}
	// What only some hosts read.
	for _, c := range []string{"{/*}*/}", "{\"a\":1,}", "// x\n{}", "{}//"} {
		if _, err := locate(c, true, ourPath); err != nil {
			t.Errorf("%s: %v", c, err)
		}
		if _, err := locate(c, false, ourPath); err == nil {
			t.Errorf("%s was read without comments", c)
		}
	}
	for _, c := range []string{"{/*}", "{/}", "{\"a\":1,,}", "{,}", "{}/", "{/* */ /*}"} {
		if _, err := locate(c, true, ourPath); err == nil {
			t.Errorf("%s was read", c)
		}
	}
}

// decode is what the standard library says of a text.
func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(plain(strings.TrimPrefix(text, bom(text))), &v); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return v
}

// FuzzJSON puts our entry into any file that is read and takes it out again: what
// the standard library reads of it before and after differs in nothing else.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		"", "{}", "{ }", "{\n}\n", "{\r\n\t\"mcpServers\": {\r\n\t}\r\n}", `{"mcpServers":{"x":{"command":"a","args":["b"]}}}`,
		"{\n  // a\n  \"mcpServers\": { // b\n    \"x\": 1, // c\n  }, /* d */ }", `{"mcpServers":{"patch":{"command":"old"},"z":[{}, {"a":"\"}/*"}]}}`,
		"{\n \"a\": 1 /* x\n y */ }", "\ufeff{\"a\":-1.5e3}", "{\"a\":1\n// x\n,\"b\":2}", "{\"mcpServers\":{\"patch\":1,\n\"b\":2 }}",
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, comments bool) {
		edits, err := setJSON(text, comments, ourPath, ourValue)
		if err != nil {
			return
		}
		// A name that is there twice elsewhere means the last to the library.
		want := map[string]any{}
		if strings.TrimSpace(strings.TrimPrefix(text, bom(text))) != "" {
			want = decode(t, text)
		}
		put := apply(text, edits)
		got := decode(t, put)
		servers, _ := want["mcpServers"].(map[string]any)
		if servers == nil {
			servers = map[string]any{}
			want["mcpServers"] = servers
		}
		servers["patch"] = map[string]any{"command": "/bin/patch-git", "args": []any{"mcp"}}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\nbecame\n%q", text, put)
		}
		if again, err := setJSON(put, comments, ourPath, ourValue); err != nil || len(again) > 0 {
			t.Fatalf("%q is changed again: %v", put, err)
		}
		p, err := locate(put, comments, ourPath)
		if err != nil || p.found != 2 {
			t.Fatalf("%q: %v", put, err)
		}
		for i, m := range p.on[1].members {
			if m.name == "patch" {
				out := apply(put, dropPart(put, p.on[1], i))
				delete(servers, "patch")
				if got := decode(t, out); !reflect.DeepEqual(got, want) {
					t.Fatalf("%q\nbecame\n%q", put, out)
				}
				if _, err := locate(out, comments, ourPath); err != nil {
					t.Fatalf("%q: %v", out, err)
				}
			}
		}
	})
}
