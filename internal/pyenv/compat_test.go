package pyenv

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/trusted"
	"github.com/patch-cat/patch-git/ledger"
)

// compat is one thing that ordinary tools do: a file of testdata/compat. Its
// first line is a docstring of what it tries. Comments right below it say what
// it needs:
//
//	# network                      it runs as a tool with the network does
//	# packages: numpy              it is for the network lane
//	# module: sqlite3              it is left out where Python was built without
//	# file: table.pdf              it is granted this file, and gets its path
//	# not in landlock: reason      there it fails, which is a known limit
type compat struct {
	name, about string
	source      string
	network     bool
	packages    []string
	module      string
	file        string
	limits      map[string]string // driver -> why it fails there
}

func compats(tb testing.TB) []compat {
	tb.Helper()
	files, err := filepath.Glob("testdata/compat/*.py")
	if err != nil || len(files) < 30 {
		tb.Fatalf("got %d cases, %v, want at least 30", len(files), err)
	}
	var out []compat
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		c := compat{name: strings.TrimSuffix(filepath.Base(file), ".py"), source: string(b), limits: map[string]string{}}
		lines := strings.Split(c.source, "\n")
		c.about = strings.Trim(lines[0], `"`)
		for _, line := range lines[1:] {
			text, ok := strings.CutPrefix(line, "# ")
			if !ok {
				break
			}
			key, value, _ := strings.Cut(text, ": ")
			switch driver, limited := strings.CutPrefix(key, "not in "); {
			case limited:
				c.limits[driver] = value
			case key == "network":
				c.network = true
			case key == "packages":
				c.packages = strings.Fields(value)
			case key == "module":
				c.module = value
			case key == "file":
				c.file = value
			default:
				tb.Errorf("%s: nobody knows %q", file, line)
			}
		}
		out = append(out, c)
	}
	return out
}

// working are the drivers of this machine that can be tried.
func working(tb testing.TB) []string {
	tb.Helper()
	var out []string
	for _, r := range sandbox.Probe(tb.Context(), sandbox.Options{Now: time.Now}) {
		if r.Works {
			out = append(out, r.Name)
		} else {
			tb.Logf("not tried in %s: %s", r.Name, r.Reason)
		}
	}
	if len(out) == 0 {
		tb.Skip("this machine confines nothing, so nothing can be run")
	}
	return out
}

// play runs one case in one driver.
func (c compat) play(t *testing.T, p *Pythons, in *Interpreter, env Env) {
	t.Helper()
	if c.module != "" && slices.Contains(in.Missing, c.module) {
		t.Skipf("Python %s was built without %s", in.Version, c.module)
	}
	call := Call{Args: []byte("{}"), Env: env, Network: c.network, Limits: sandbox.Limits{Wall: time.Minute}}
	if c.file != "" {
		path, err := filepath.Abs(filepath.Join("testdata", "compat", "files", c.file))
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		call.Args = fmt.Appendf(nil, `{"file": %q}`, path)
		call.Grants = []sandbox.Mount{{Source: path, Target: path}}
	}
	start := time.Now()
	out := run(t, p, in, c.source, call)
	why, limited := c.limits[out.Driver]
	t.Logf("%v", time.Since(start).Round(time.Millisecond))
	switch passed := out.Exit == 0 && !out.TimedOut; {
	case limited && passed:
		t.Errorf("it works, and is said not to: %s", why)
	case !limited && !passed:
		t.Errorf("got exit %d %s\n%s%s", out.Exit, out.Signal, out.Stdout, out.Stderr)
	}
}

// What ordinary tools do with the standard library works in every driver.
func TestCompatibility(t *testing.T) {
	drivers := working(t)
	if os.Getenv("PATCH_GIT_NETWORK_TESTS") != "1" {
		drivers = drivers[:min(len(drivers), 1)] // the others in make network, with the packages
	}
	for _, driver := range drivers {
		p := New(testHost(t, map[string]string{"PATH": os.Getenv("PATH")}), box(t, driver))
		in := anyPython(t, p)
		if exact, err := p.Find(t.Context(), "3.12", false); err == nil {
			in = exact
		}
		for _, c := range compats(t) {
			if len(c.packages) == 0 {
				t.Run(driver+"/"+c.name, func(t *testing.T) {
					t.Parallel()
					c.play(t, p, in, Env{})
				})
			}
		}
	}
}

// What tools do with the packages that most of them take works in every driver,
// resolved by uv, out of the package index, and installed by our own store.
func TestCompatibilityPackages(t *testing.T) {
	if os.Getenv("PATCH_GIT_NETWORK_TESTS") != "1" {
		t.Skip("needs the package index: set PATCH_GIT_NETWORK_TESTS=1")
	}
	p := realUV(t, indexEnvironment())
	in, err := p.Find(t.Context(), "3.12", true)
	if err != nil {
		in = anyPython(t, p)
	}
	var packages, targets []string
	for _, c := range compats(t) {
		packages = append(packages, c.packages...)
	}
	slices.Sort(packages)
	for _, name := range Targets() {
		if _, err := choose(&ledger.Closure{Targets: map[string][]ledger.Wheel{name: nil}}, in.Target); err == nil {
			targets = append(targets, name)
		}
	}
	c, _, err := p.Resolve(t.Context(), trusted.Run, Request{Packages: slices.Compact(packages), Python: in.Minor(), Targets: targets, ExcludeNewer: time.Now().UTC().Format(time.RFC3339)})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	env, err := p.Install(t.Context(), in, c, InstallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d wheels for Python %s installed in %v", len(c.Targets[targets[0]]), in.Version, time.Since(start).Round(time.Millisecond))
	for _, driver := range working(t) {
		confined := New(p.host, box(t, driver))
		for _, c := range compats(t) {
			if len(c.packages) > 0 {
				t.Run(driver+"/"+c.name, func(t *testing.T) { c.play(t, confined, in, env) })
			}
		}
	}
}

// compatTable is the part of docs/sandbox.md that says what works where.
func compatTable(cases []compat, drivers []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| case | what | %s |\n|---|---|%s\n", strings.Join(drivers, " | "), strings.Repeat("---|", len(drivers)))
	var notes []string
	for _, c := range cases {
		what := c.about
		if len(c.packages) > 0 {
			what += " (" + strings.ReplaceAll(c.packages[0], "==", " ") + ")"
		}
		fmt.Fprintf(&b, "| `%s` | %s |", c.name, strings.ReplaceAll(what, "|", `\|`))
		for _, d := range drivers {
			if why, limited := c.limits[d]; limited {
				note := slices.Index(notes, why) + 1
				if note == 0 {
					notes = append(notes, why)
					note = len(notes)
				}
				fmt.Fprintf(&b, " no (%d) |", note)
			} else {
				b.WriteString(" yes |")
			}
		}
		b.WriteString("\n")
	}
	for i, why := range notes {
		fmt.Fprintf(&b, "\n(%d) %s\n", i+1, why)
	}
	return b.String()
}

// The table in docs/sandbox.md is that of the cases and the drivers of this
// system; PATCH_GIT_UPDATE=1 writes it.
func TestCompatibilityTable(t *testing.T) {
	const begin, end = "<!-- compatibility: made by PATCH_GIT_UPDATE=1 go test -run CompatibilityTable ./internal/pyenv -->\n", "<!-- end -->\n"
	cases := compats(t)
	slices.SortStableFunc(cases, func(a, b compat) int { return len(a.packages) - len(b.packages) })
	drivers := []string{}
	for _, r := range sandbox.Probe(t.Context(), sandbox.Options{Now: time.Now}) {
		drivers = append(drivers, r.Name)
	}
	if len(drivers) == 0 {
		t.Skip("this system has no driver, so nothing to make a table of")
	}
	for _, c := range cases {
		for driver := range maps.Keys(c.limits) {
			if !slices.Contains(drivers, driver) {
				t.Errorf("%s: there is no driver %s", c.name, driver)
			}
		}
	}
	path := filepath.Join("..", "..", "docs", "sandbox.md")
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/sandbox.md has no place for the table")
	}
	want := before + begin + compatTable(cases, drivers) + end + after
	if string(doc) == want {
		return
	}
	if os.Getenv("PATCH_GIT_UPDATE") == "" {
		t.Error("the table in docs/sandbox.md is another one; PATCH_GIT_UPDATE=1 writes it")
		return
	}
	if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}
