package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
)

const wholeMCP = `{
  "schema": 1,
  "registries": {},
  "tools": {},
  "mcp": {
    "approval_minutes": 2,
    "elicitation": "known",
    "expose": "meta",
    "keep_runs_days": 90,
    "most_tokens": 0,
    "most_tools": 7,
    "notifications": "on",
    "pinned": [
      "acme/tools/csv_to_json",
      "acme/tools/hash_file"
    ],
    "remember_days": 0,
    "trusted_outputs": [
      "acme/tools/csv_to_json"
    ]
  }
}
`

func TestMCP(t *testing.T) {
	c, err := Parse([]byte(wholeMCP))
	if err != nil {
		t.Fatal(err)
	}
	one, two := Tool{"acme/tools", "csv_to_json"}, Tool{"acme/tools", "hash_file"}
	want := MCP{ExposeMeta, 7, 0, []Tool{one, two}, ElicitationKnown, []Tool{one}, 2, 0, 90, NotificationsOn}
	if !reflect.DeepEqual(c.MCP, want) {
		t.Errorf("read as %+v", c.MCP)
	}
	if b, err := c.Encode(); err != nil || string(b) != wholeMCP {
		t.Errorf("written as\n%s%v", b, err)
	}
	if m := c.MCP; m.ApprovalLife() != 2*time.Minute || m.RememberLife() != 0 || m.KeepRuns() != 90*24*time.Hour {
		t.Errorf("%v %v %v", m.ApprovalLife(), m.RememberLife(), m.KeepRuns())
	}
	// A name says nothing without its registry.
	if m := c.MCP; !m.Pins(two) || m.Trusts(two) || !m.Trusts(one) || m.Trusts(Tool{"evil/tools", "csv_to_json"}) || m.Pins(Tool{"evil/tools", "hash_file"}) {
		t.Error("pins or trusts the wrong tools")
	}
}

// TestMCPDefaults: what does not stand in the file is as by default, and is not
// written into it.
func TestMCPDefaults(t *testing.T) {
	for _, text := range []string{`{"schema":1}`, `{"schema":1,"mcp":{}}`} {
		c, err := Parse([]byte(text))
		if err != nil || !reflect.DeepEqual(c.MCP, DefaultMCP()) {
			t.Errorf("%s: %+v, %v", text, c.MCP, err)
		}
		if b, err := c.Encode(); err != nil || strings.Contains(string(b), "mcp") {
			t.Errorf("%s: written as %s%v", text, b, err)
		}
	}
	c, err := Load(paths.Paths{Root: t.TempDir()})
	if err != nil || !reflect.DeepEqual(c.MCP, DefaultMCP()) {
		t.Errorf("no file: %+v, %v", c.MCP, err)
	}
	if m := DefaultMCP(); m.Elicitation != ElicitationOff || len(m.TrustedOutputs) != 0 || m.ApprovalLife() > 5*time.Minute {
		t.Errorf("the default lets too much: %+v", m)
	}
	if err := DefaultMCP().checkAll(); err != nil {
		t.Error(err)
	}
}

// checkAll holds every field against its bounds, as reading does.
func (m MCP) checkAll() error {
	for _, f := range m.members() {
		if err := f.check(); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// TestMCPMembers: a field that is missing in the list could be neither written nor
// refused.
func TestMCPMembers(t *testing.T) {
	var m MCP
	have := map[any]bool{}
	for _, f := range m.members() {
		have[f.at] = true
	}
	v := reflect.ValueOf(&m).Elem()
	for i := range v.NumField() {
		if !have[v.Field(i).Addr().Interface()] {
			t.Errorf("%s is no member", v.Type().Field(i).Name)
		}
	}
}

// TestMCPRefuses: each differs from what is read in one point.
func TestMCPRefuses(t *testing.T) {
	good := `{"schema":1,"mcp":{"expose":"all","most_tools":1,"pinned":["a/b/some_tool"],"approval_minutes":5}}`
	if _, err := Parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	list := make([]string, limits.ConfigTools)
	for i := range list {
		list[i] = fmt.Sprintf(`"a/b/tool_%d"`, i)
	}
	for name, change := range map[string][2]string{
		"an unknown member":      {`"expose"`, `"exposes"`},
		"other letters":          {`"expose"`, `"Expose"`},
		"a doubled member":       {`"expose":"all"`, `"expose":"all","expose":"all"`},
		"an unknown word":        {`"all"`, `"some"`},
		"an empty word":          {`"all"`, `""`},
		"a word in capitals":     {`"all"`, `"ALL"`},
		"an unknown host policy": {`"expose":"all"`, `"elicitation":"yes"`},
		"a policy of no text":    {`"expose":"all"`, `"elicitation":true`},
		"less than none":         {`"most_tools":1`, `"most_tools":-1`},
		"more than any":          {`"most_tools":1`, fmt.Sprintf(`"most_tools":%d`, limits.MCPTools+1)},
		"more than fits":         {`"most_tools":1`, `"most_tools":1e99`},
		"a part of a tool":       {`"most_tools":1`, `"most_tools":1.5`},
		"a number as text":       {`"most_tools":1`, `"most_tools":"1"`},
		"null for a number":      {`"most_tools":1`, `"most_tools":null`},
		"null for a word":        {`"all"`, `null`},
		"null for a list":        {`["a/b/some_tool"]`, `null`},
		"null in a list":         {`"a/b/some_tool"`, `null`},
		"a tool without a home":  {`a/b/some_tool`, `some_tool`},
		"a tool twice":           {`["a/b/some_tool"]`, `["a/b/some_tool","a/b/some_tool"]`},
		"too many tools":         {`["a/b/some_tool"]`, `["a/b/some_tool",` + strings.Join(list, ",") + `]`},
		"an approval for ever":   {`"approval_minutes":5`, `"approval_minutes":100000`},
		"no time to approve":     {`"approval_minutes":5`, `"approval_minutes":0`},
		"no object":              {`{"expose":"all","most_tools":1,"pinned":["a/b/some_tool"],"approval_minutes":5}`, `[]`},
		"null for all of it":     {`{"expose":"all","most_tools":1,"pinned":["a/b/some_tool"],"approval_minutes":5}`, `null`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Fatalf("%s changes nothing", name)
		}
		if c, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s was read as %+v", name, c.MCP)
		}
	}
	if _, err := Parse([]byte(strings.Replace(good, `"a/b/some_tool"`, strings.Join(list, ","), 1))); err != nil {
		t.Errorf("as many tools as allowed: %v", err)
	}
}

// TestChangeMCP: what would be refused at the next start is not written.
func TestChangeMCP(t *testing.T) {
	p := paths.Paths{Root: t.TempDir()}
	set := func(minutes int) error {
		return Change(t.Context(), p, func(c *Config) error { c.MCP.ApprovalMinutes = minutes; return nil })
	}
	if err := set(3); err != nil {
		t.Fatal(err)
	}
	if err := set(limits.ApprovalMinutes + 1); fault.KindOf(err) != fault.Usage {
		t.Errorf("too long: %v", err)
	}
	if c, err := Load(p); err != nil || c.MCP.ApprovalMinutes != 3 {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestSettings: every word and number can be shown and set, and nothing that the
// file could not have.
func TestSettings(t *testing.T) {
	m := DefaultMCP()
	list := m.Settings()
	if len(list) != 8 {
		t.Errorf("%d settings: %+v", len(list), list)
	}
	for _, s := range list {
		if s.Value != s.Default || s.Allowed == "" {
			t.Errorf("%+v", s)
		}
		if err := m.Set(s.Name, s.Value); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		for _, bad := range []string{"", "x", "-1", "99999999", "99999999999999999999", "1.5", " 1"} {
			if err := m.Set(s.Name, bad); err == nil || !reflect.DeepEqual(m, DefaultMCP()) {
				t.Errorf("%s became %q: %v", s.Name, bad, err)
			}
		}
	}
	for _, name := range []string{"pinned", "trusted_outputs", "Expose", ""} {
		if err := m.Set(name, "all"); err == nil {
			t.Errorf("%q was set", name)
		}
	}
	if err := m.Set("elicitation", "known"); err != nil || m.Elicitation != ElicitationKnown {
		t.Errorf("%v %s", err, m.Elicitation)
	}
}
