package aihost

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
)

var tomlPath = []string{"mcp_servers", "patch"}

var tomlMembers = []member{{"command", "/bin/patch-git"}, {"args", []string{"mcp"}}}

const tomlOurs = "[mcp_servers.patch]\ncommand = \"/bin/patch-git\"\nargs = [\"mcp\"]\n"

// tomlCases are documents and what they become; "" stays as it is.
var tomlCases = map[string]struct{ before, after string }{
	"nothing":         {"", tomlOurs},
	"a mark":          {"\ufeff", "\ufeff" + tomlOurs},
	"no line end":     {"model = \"o\"", "model = \"o\"\n\n" + tomlOurs},
	"others":          {"model = \"o\" # mine\n\n[mcp_servers.x]\ncommand = 'x'\n", "model = \"o\" # mine\n\n[mcp_servers.x]\ncommand = 'x'\n\n" + tomlOurs},
	"dos":             {"a = 1\r\n\r\n", "a = 1\r\n\r\n" + strings.ReplaceAll(tomlOurs, "\n", "\r\n")},
	"there":           {"[ mcp_servers . \"patch\" ] # x\nargs = [\n  'mcp', # y\n]\ncommand = \"/bin/patch-g\\u0069t\"\n", ""},
	"another program": {"[mcp_servers.patch]\ncommand = 'old' # x\nargs = ['mcp']\nstartup_timeout_sec = 20\n", "[mcp_servers.patch]\ncommand = \"/bin/patch-git\" # x\nargs = ['mcp']\nstartup_timeout_sec = 20\n"},
	"without args":    {"[mcp_servers.patch]\ncommand = '/bin/patch-git' # x\n\n[z]\na = 1\n", "[mcp_servers.patch]\ncommand = '/bin/patch-git' # x\nargs = [\"mcp\"]\n\n[z]\na = 1\n"},
	"only its name":   {"[mcp_servers.patch]", "[mcp_servers.patch]\ncommand = \"/bin/patch-git\"\nargs = [\"mcp\"]"},
	"inline":          {"mcp_servers = { x = { command = 'x' } }\n", "mcp_servers = { patch = { command = \"/bin/patch-git\", args = [\"mcp\"] }, x = { command = 'x' } }\n"},
	"inline, empty":   {"mcp_servers = {}\n", "mcp_servers = { patch = { command = \"/bin/patch-git\", args = [\"mcp\"] } }\n"},
	"inline, others":  {"mcp_servers = {\tx = {},y={ } }\n", "mcp_servers = { patch = { command = \"/bin/patch-git\", args = [\"mcp\"] },\tx = {},y={ } }\n"},
	"inline, last":    {"mcp_servers = {x = {}, patch={args=[]} }\n", "mcp_servers = {x = {}, patch={ command = \"/bin/patch-git\",args=[\"mcp\"]} }\n"},
	"inline, ours":    {"[mcp_servers]\npatch = {command = 'old', args = []}\n", "[mcp_servers]\npatch = {command = \"/bin/patch-git\", args = [\"mcp\"]}\n"},
	"inline, no keys": {"[mcp_servers]\npatch={}\n", "[mcp_servers]\npatch={ args = [\"mcp\"], command = \"/bin/patch-git\" }\n"},
	"dotted":          {"[mcp_servers]\npatch.command = 'old'\npatch.args = ['x']\n", "[mcp_servers]\npatch.command = \"/bin/patch-git\"\npatch.args = [\"mcp\"]\n"},
	"a trap in text":  {"a = \"\"\"\n[mcp_servers.patch]\n\\\"\"\"\"\"\"\nb = '''\n'[mcp_servers.patch]'''''\n", "a = \"\"\"\n[mcp_servers.patch]\n\\\"\"\"\"\"\"\nb = '''\n'[mcp_servers.patch]'''''\n\n" + tomlOurs},
	"a trap in a list": {
		"a = [\n  '[mcp_servers.patch]', # ]\n  [1, 2.5e3], {x = 1}, 1979-05-27 07:32:00Z,\n]\n[[mcp_servers_x.patch]]\nb = +1_000\n",
		"a = [\n  '[mcp_servers.patch]', # ]\n  [1, 2.5e3], {x = 1}, 1979-05-27 07:32:00Z,\n]\n[[mcp_servers_x.patch]]\nb = +1_000\n\n" + tomlOurs,
	},
}

func TestSetTOML(t *testing.T) {
	for name, tt := range tomlCases {
		_, got, err := setTOML(tt.before, tomlPath, tomlMembers)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := tt.after
		if want == "" {
			want = tt.before
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestTOMLOracle: what Python reads before and after differs in our entry alone,
// and after it was taken out again in nothing.
func TestTOMLOracle(t *testing.T) {
	var names, texts []string
	for name, tt := range tomlCases {
		_, put, err := setTOML(tt.before, tomlPath, tomlMembers)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out := put
		if edits, err := dropTOML(put, tomlPath); err == nil {
			out = apply(put, edits)
		} else {
			t.Errorf("%s: %v", name, err)
		}
		names, texts = append(names, name), append(texts, tt.before, put, out)
	}
	read := pythonTOML(t, texts)
	for i, name := range names {
		want, put, out := read[3*i], read[3*i+1], read[3*i+2]
		servers, _ := want["mcp_servers"].(map[string]any)
		if servers == nil {
			servers = map[string]any{}
			want["mcp_servers"] = servers
		}
		ours, _ := servers["patch"].(map[string]any)
		if ours == nil {
			ours = map[string]any{}
			servers["patch"] = ours
		}
		ours["command"], ours["args"] = "/bin/patch-git", []any{"mcp"}
		if !reflect.DeepEqual(put, want) {
			t.Errorf("%s: read as %v, want %v", name, put, want)
		}
		delete(servers, "patch")
		if _, ok := out["mcp_servers"]; !ok && len(servers) == 0 {
			delete(want, "mcp_servers")
		}
		if !reflect.DeepEqual(out, want) {
			t.Errorf("%s: taken out it is read as %v, want %v", name, out, want)
		}
	}
}

// pythonTOML reads documents by Python's own library.
func pythonTOML(t *testing.T, texts []string) []map[string]any {
	t.Helper()
	const program = "import sys,json,tomllib;json.dump([tomllib.loads(t.removeprefix(chr(0xfeff))) for t in json.load(sys.stdin)],sys.stdout,default=str,allow_nan=False)"
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("python3", "-c", program)
	c.Stdin = bytes.NewReader(in)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if strings.Contains(errs.String(), "No module named") || errors.Is(err, exec.ErrNotFound) {
		t.Skip("no Python from 3.11 up, which reads TOML")
	}
	var all []map[string]any
	if err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTOMLRefuses: each differs in one point from a document that is changed.
func TestTOMLRefuses(t *testing.T) {
	good := "a = [1, true]\nb = { c = 'x' }\n[mcp_servers.patch]\nargs = [\"x\"]\n"
	if _, _, err := setTOML(good, tomlPath, tomlMembers); err != nil {
		t.Fatal(err)
	}
	if _, _, err := setTOML(strings.Replace(good, "1", strings.Repeat("[", limits.HostDepth-2)+strings.Repeat("]", limits.HostDepth-2), 1), tomlPath, tomlMembers); err != nil {
		t.Errorf("as deep as allowed: %v", err)
	}
	for name, change := range map[string][2]string{
		"no value":            {"[1, true]", ""},
		"an open list":        {"true]", "true"},
		"no comma":            {"1, true", "1 true"},
		"no such word":        {"true", "yes"},
		"two on a line":       {"true]", "true] c = 1"},
		"no =":                {"a =", "a"},
		"no name":             {"a =", "="},
		"a name in pieces":    {"a =", "a b ="},
		"an open string":      {"'x'", "'x"},
		"a raw line break":    {"'x'", "\"\n\""},
		"no escape":           {"'x'", `"\x"`},
		"half a character":    {"'x'", `"\ud800"`},
		"an open long string": {"'x'", `"""x""`},
		"a line break inside": {"{ c", "{\nc"},
		"a comma at the end":  {"'x' }", "'x', }"},
		"an open header":      {"patch]", "patch"},
		"a list of ours":      {"[mcp_servers.patch]", "[[mcp_servers.patch]]"},
		"a list of servers":   {"a =", "[[mcp_servers]]\na ="},
		"servers of text":     {"a =", "mcp_servers = 'x'\na ="},
		"ours twice":          {"a =", "[mcp_servers.patch]\n[z]\na ="},
		"ours twice, inline":  {"a =", "mcp_servers.patch = {}\na ="},
		"our args twice":      {"args", "args = []\nargs"},
		"a lone return":       {"a =", "\ra ="},
		"a control character": {"a =", "# \x01\na ="},
		"too deep":            {"1", strings.Repeat("[", limits.HostDepth) + strings.Repeat("]", limits.HostDepth)},
		"far too deep":        {"1", strings.Repeat("[", 1_000_000)},
		"args a table":        {"args = [\"x\"]", "[mcp_servers.patch.args]"},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Fatalf("%s changes nothing", name)
		}
		if _, after, err := setTOML(bad, tomlPath, tomlMembers); err == nil {
			t.Errorf("%s became\n%s", name, after)
		}
	}
	if _, _, err := setTOML("mcp_servers.patch.command = 'x'\n", tomlPath, tomlMembers); err == nil {
		t.Error("a key with dots got a neighbour that it may not have")
	}
}

// TestTOMLEnv: a variable in each form that it can have.
func TestTOMLEnv(t *testing.T) {
	set := append(tomlMembers[:2:2], member{"env", []member{{"PATCH_GIT_HOME", `C:\state`}}})
	ours := "[mcp_servers.patch]\ncommand = \"/bin/patch-git\"\nargs = [\"mcp\"]\n"
	for name, tt := range map[string]struct{ before, after string }{
		"nothing":  {"", ours + "env = { PATCH_GIT_HOME = 'C:\\state' }\n"},
		"missing":  {ours, ours + "env = { PATCH_GIT_HOME = 'C:\\state' }\n"},
		"others":   {ours + "env = { A = 'b' }\n", ours + "env = { PATCH_GIT_HOME = 'C:\\state', A = 'b' }\n"},
		"empty":    {ours + "env = {}\n", ours + "env = { PATCH_GIT_HOME = 'C:\\state' }\n"},
		"old":      {ours + "env = { PATCH_GIT_HOME = 'x' }\n", ours + "env = { PATCH_GIT_HOME = 'C:\\state' }\n"},
		"a table":  {ours + "[mcp_servers.patch.env]\nA = 'b'\n[z]\n", ours + "[mcp_servers.patch.env]\nA = 'b'\nPATCH_GIT_HOME = 'C:\\state'\n[z]\n"},
		"in table": {ours + "[mcp_servers.patch.env]\nPATCH_GIT_HOME = 'x'\n", ours + "[mcp_servers.patch.env]\nPATCH_GIT_HOME = 'C:\\state'\n"},
		"dotted":   {ours + "env.PATCH_GIT_HOME = 'x'\n", ours + "env.PATCH_GIT_HOME = 'C:\\state'\n"},
	} {
		_, got, err := setTOML(tt.before, tomlPath, set)
		if err != nil || got != tt.after {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, tt.after)
		}
		if steps, _, err := setTOML(tt.after, tomlPath, set); err != nil || len(steps) > 0 {
			t.Errorf("%s is changed again: %v %v", name, steps, err)
		}
		e, err := hosts[len(hosts)-1].read(tt.after)
		if err != nil || e.Env["PATCH_GIT_HOME"] != `C:\state` || e.Command != "/bin/patch-git" {
			t.Errorf("%s: read as %+v, %v", name, e, err)
		}
		edits, err := dropTOML(tt.after, tomlPath)
		if got := apply(tt.after, edits); err != nil || strings.Contains(got, "patch") {
			t.Errorf("%s: %v, left\n%s", name, err, got)
		}
	}
}

// TestTOMLString: every string is read back as it was.
func TestTOMLString(t *testing.T) {
	for _, s := range []string{"", `C:\a b\c`, `it's\`, "a\"b", "\x00\x1f\x7f\t\n", "ünï", `\u0041`} {
		all, err := readTOML("x = " + tomlString(s) + "\n")
		if err != nil || len(all) != 1 || all[0].text != s {
			t.Errorf("%q is written as %s and read as %v, %v", s, tomlString(s), all, err)
		}
	}
}

// FuzzTOML: whatever is read can be changed, is the same after the second time, and
// has nothing of ours after it was taken out.
func FuzzTOML(f *testing.F) {
	for _, tt := range tomlCases {
		f.Add(tt.before)
		f.Add(tt.after)
	}
	f.Fuzz(func(t *testing.T, text string) {
		before, err := readTOML(text)
		if err != nil {
			return
		}
		_, put, err := setTOML(text, tomlPath, tomlMembers)
		if err != nil {
			return
		}
		if again, _, err := setTOML(put, tomlPath, tomlMembers); err != nil || len(again) > 0 {
			t.Fatalf("%q became %q, which is changed again: %v %v", text, put, again, err)
		}
		after, err := readTOML(put)
		if err != nil {
			t.Fatal(err)
		}
		same(t, text, before, put, after)
		edits, err := dropTOML(put, tomlPath)
		if err != nil {
			return // it is inside of an inline table
		}
		out := apply(put, edits)
		left, err := readTOML(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", put, out, err)
		}
		same(t, text, before, out, left)
	})
}

// same holds everything that is not ours against each other.
func same(t *testing.T, text string, before []statement, now string, after []statement) {
	t.Helper()
	others := func(text string, all []statement) []string {
		var out []string
		for _, s := range all {
			// An inline table that ours is in is another one.
			if len(s.path) >= 2 && s.path[0] == "mcp_servers" && s.path[1] == "patch" || s.inside {
				continue
			}
			out = append(out, strings.Join(s.path, "\x00")+"="+text[s.value:s.end])
		}
		return out
	}
	if a, b := others(text, before), others(now, after); !reflect.DeepEqual(a, b) {
		t.Fatalf("%q\nbecame\n%q", text, now)
	}
}
