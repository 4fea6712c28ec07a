package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
)

const whole = `{
  "schema": 1,
  "registries": {
    "acme/tools": {
      "allow_read": [
        "/home/me/data",
        "~/notes.txt"
      ]
    }
  },
  "tools": {
    "acme/tools/csv_to_json": {
      "allow_write": [
        "/home/me/out"
      ]
    }
  }
}
`

func TestParse(t *testing.T) {
	c, err := Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	tool := Tool{"acme/tools", "csv_to_json"}
	if got := c.Registries["acme/tools"].Read; !slices.Equal(got, []string{"/home/me/data", "~/notes.txt"}) {
		t.Errorf("the registry reads %v", got)
	}
	if got := c.Tools[tool].Write; !slices.Equal(got, []string{"/home/me/out"}) {
		t.Errorf("the tool writes %v", got)
	}
	if b, err := c.Encode(); err != nil || string(b) != whole {
		t.Errorf("written as\n%s%v", b, err)
	}
	if got := c.Names(); !slices.Equal(got, []Tool{{Registry: "acme/tools"}, tool}) {
		t.Errorf("names %v", got)
	}
}

// TestParseRefuses: each differs from what is read in one point.
func TestParseRefuses(t *testing.T) {
	good := `{"schema":1,"registries":{"a/b":{"allow_read":["/x"]}},"tools":{"a/b/some_tool":{"allow_read":["/x"]}}}`
	if _, err := Parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"another schema":       {`"schema":1`, `"schema":2`},
		"no schema":            {`"schema":1,`, ``},
		"an unknown member":    {`"schema":1`, `"schema":1,"more":1`},
		"a doubled member":     {`"schema":1`, `"schema":1,"schema":1`},
		"other letters":        {`"registries"`, `"Registries"`},
		"an unknown default":   {`{"allow_read":["/x"]}}}`, `{"allow_red":["/x"]}}}`},
		"a doubled default":    {`{"allow_read":["/x"]}}}`, `{"allow_read":["/x"],"allow_read":[]}}}`},
		"a doubled registry":   {`"registries":{`, `"registries":{"a/b":{},`},
		"no registry's name":   {`"a/b":`, `"a":`},
		"no tool's name":       {`a/b/some_tool`, `a/b/Some`},
		"a tool of nobody":     {`a/b/some_tool`, `some_tool`},
		"a relative path":      {`["/x"]`, `["x"]`},
		"dots":                 {`["/x"]`, `["/x/../y"]`},
		"dots after the home":  {`["/x"]`, `["~/../y"]`},
		"another's home":       {`["/x"]`, `["~you/x"]`},
		"the home itself":      {`["/x"]`, `["~/"]`},
		"a zero byte":          {`["/x"]`, `["/x\u0000"]`},
		"an empty path":        {`["/x"]`, `[""]`},
		"a path of no text":    {`["/x"]`, `[1]`},
		"no list":              {`["/x"]`, `"/x"`},
		"null for an object":   {`{"a/b":{"allow_read":["/x"]}}`, `null`},
		"something after it":   {`}}}`, `}}}x`},
		"a second document":    {`}}}`, `}}}{}`},
		"its end is missing":   {`}}}`, `}}`},
		"no object":            {good, `[]`},
		"nothing":              {good, ``},
		"more paths than ever": {`["/x"]`, `["/x"` + strings.Repeat(`,"/x"`, limits.ConfigPaths) + `]`},
		"too large":            {`"schema":1`, strings.Repeat(" ", limits.Config) + `"schema":1`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Fatalf("%s changes nothing", name)
		}
		if c, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s was read as %+v", name, c)
		}
	}
}

func TestExpand(t *testing.T) {
	for p, want := range map[string]string{"/x": "/x", "~/a/b": "/home/me/a/b", "/~/x": "/~/x"} {
		if got := Expand(p, "/home/me"); got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
	}
}

func TestChange(t *testing.T) {
	p := paths.Paths{Root: t.TempDir()}
	tool := Tool{"acme/tools", "csv_to_json"}
	allow := func(to Tool, d Defaults) error {
		return Change(t.Context(), p, func(c *Config) error { c.Allow(to, d); return nil })
	}
	if err := allow(tool, Defaults{Read: []string{"/a"}}); err != nil {
		t.Fatal(err)
	}
	if err := allow(tool, Defaults{Read: []string{"/a", "/b"}, Write: []string{"/c"}}); err != nil {
		t.Fatal(err)
	}
	if err := allow(Tool{Registry: "acme/tools"}, Defaults{Read: []string{"/d"}}); err != nil {
		t.Fatal(err)
	}
	c, err := Load(p)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Defaults{[]string{"/a", "/b"}, []string{"/c"}}); !reflect.DeepEqual(c.Tools[tool], want) {
		t.Errorf("got %+v, want %+v", c.Tools[tool], want)
	}
	info, err := os.Stat(p.Config())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	// What could not be read again is not written.
	before, err := os.ReadFile(p.Config())
	if err != nil {
		t.Fatal(err)
	}
	if err := allow(tool, Defaults{Read: []string{"relative"}}); fault.KindOf(err) != fault.Usage {
		t.Errorf("a relative path: %v", err)
	}
	if now, _ := os.ReadFile(p.Config()); string(now) != string(before) {
		t.Error("a refused change was written")
	}
	if !c.Forget(tool) || c.Forget(tool) || !c.Forget(Tool{Registry: "acme/tools"}) || len(c.Names()) != 0 {
		t.Errorf("forgetting left %+v", c)
	}
}

// TestLoadRefuses what others may have written, and what is not the file.
func TestLoadRefuses(t *testing.T) {
	p := paths.Paths{Root: t.TempDir()}
	if c, err := Load(p); err != nil || len(c.Names()) != 0 {
		t.Errorf("no file: %+v, %v", c, err)
	}
	put := func(text string, mode os.FileMode) {
		t.Helper()
		if err := os.RemoveAll(p.Config()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.Config(), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(p.Config(), mode); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(name, reason string) {
		t.Helper()
		_, err := Load(p)
		if fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != reason || len(fault.HintsOf(err)) == 0 {
			t.Errorf("%s: %v (%s)", name, err, fault.ReasonOf(err))
		}
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o602} {
		put(whole, mode)
		refused(mode.String(), ReasonShared)
	}
	put(whole+"x", 0o600)
	refused("rubbish", ReasonDamaged)
	put(strings.Repeat(" ", limits.Config+1), 0o600)
	refused("a large file", ReasonDamaged)
	if err := os.Rename(p.Config(), filepath.Join(p.Root, "other")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", p.Config()); err != nil {
		t.Fatal(err)
	}
	refused("a link", ReasonDamaged)
	put(whole, 0o600)
	if _, err := Load(p); err != nil {
		t.Errorf("the twin: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`{"schema":1}`))
	f.Add([]byte(wholeMCP))
	f.Add([]byte(`{"schema":1,"tools":{"a/b/some_tool":{"allow_read":["~/x"]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil || len(data) > limits.Config/8 { // written with spaces, it may become too large
			return
		}
		b, err := c.Encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if b2, _ := again.Encode(); string(b2) != string(b) {
			t.Errorf("%s\n%s", b, b2)
		}
	})
}
