package registry_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

var ada = ledger.Owner{Login: "ada", ID: 7}

// newTree is a source tree with csv_to_json 1.0.0 and text_diff 0.1.0.
func newTree(tb testing.TB) (*registry.Tree, string) {
	tb.Helper()
	dir := tb.TempDir()
	if err := registry.InitTree(dir, sealOptions(tb, 0).Registry); err != nil {
		tb.Fatal(err)
	}
	t, err := registry.OpenTree(dir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, r := range []*spec.Release{contributed("csv_to_json", "1.0.0"), contributed("text_diff", "0.1.0")} {
		if err := t.Stage(r, ada); err != nil {
			tb.Fatal(err)
		}
	}
	return t, dir
}

// contributed is a release as its author proposes it, without generated files.
func contributed(name, version string, more ...spec.File) *spec.Release {
	r := sealRelease(name, version, "Does something.", more...)
	r.Files = slices.DeleteFunc(r.Files, func(f spec.File) bool { return f.Path == ledger.ReportFileName })
	return r
}

// publishTree seals all that the tree has new.
func publishTree(tb testing.TB, t *registry.Tree, s registry.Store, second int) registry.Sealed {
	tb.Helper()
	c := mustDiff(tb, t, s)
	if len(c.Findings) > 0 {
		tb.Fatalf("findings: %v", c.Findings)
	}
	b := registry.Batch{Withdraw: c.Withdraw, Meta: c.Meta}
	for _, p := range c.New {
		r := sealRelease(string(p.Ref.Name), string(p.Ref.Version), "Does something.")
		r.Files = append(slices.DeleteFunc(r.Files, func(f spec.File) bool { return f.Path != ledger.ReportFileName }), p.Files...)
		slices.SortFunc(r.Files, func(a, b spec.File) int { return strings.Compare(a.Path, b.Path) })
		a := acceptance(r)
		a.Owners = p.Owners
		b.Accept = append(b.Accept, a)
	}
	return mustSeal(tb, s, b, sealOptions(tb, second))
}

func mustDiff(tb testing.TB, t *registry.Tree, s registry.Source) *registry.Changes {
	tb.Helper()
	c, err := t.Diff(tb.Context(), s, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func writeText(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}

func TestTreeLife(t *testing.T) {
	tree, dir := newTree(t)
	s := registry.NewMemory()
	if out := publishTree(t, tree, s, 1); len(out.Accepted) != 2 {
		t.Fatalf("first publication: %+v", out)
	}
	if c := mustDiff(t, tree, s); len(c.New)+len(c.Withdraw)+len(c.Meta)+len(c.Findings) != 0 {
		t.Errorf("nothing changed, but: %+v", c)
	}
	steps := []struct {
		name string
		do   func() error
		want func(registry.Sealed) bool
	}{
		{
			"new version", func() error { return tree.Stage(contributed("csv_to_json", "1.1.0"), ada) },
			func(o registry.Sealed) bool { return len(o.Accepted) == 1 && o.Accepted[0].Version == "1.1.0" },
		},
		{
			"the same again", func() error { return tree.Stage(contributed("csv_to_json", "1.1.0"), ada) },
			func(o registry.Sealed) bool { return !o.New },
		},
		{"yank and revoke at once", func() error {
			if err := setRevoked(tree, "csv_to_json", "1.1.0", `says "no": & more`); err != nil {
				return err
			}
			return setYanked(tree, "csv_to_json", "1.1.0", "loses lines")
		}, func(o registry.Sealed) bool { return len(o.Withdrawn) == 2 }},
		{
			"another reason", func() error { return setYanked(tree, "csv_to_json", "1.1.0", "loses all lines") },
			func(o registry.Sealed) bool {
				return len(o.Withdrawn) == 1 && o.Withdrawn[0].Reason == "loses all lines"
			},
		},
		{
			"unyank", func() error { return unyank(tree, "csv_to_json", "1.1.0") },
			func(o registry.Sealed) bool {
				return len(o.Withdrawn) == 1 && o.Withdrawn[0].Event == ledger.EventUnyank
			},
		},
		{"deprecate and transfer by hand", func() error {
			return os.WriteFile(filepath.Join(dir, "tools/te/text_diff/tool.yaml"),
				[]byte("owners:\n  - {login: eve, id: 9}\ndeprecated: There is a better one.\nreplaced_by: csv_to_json\n"), 0o644)
		}, func(o registry.Sealed) bool { return slices.Equal(o.Changed, []spec.Name{"text_diff"}) }},
	}
	for i, step := range steps {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if out := publishTree(t, tree, s, i+2); !step.want(out) {
			t.Errorf("%s: %+v", step.name, out)
		}
	}
	a := auditSettled(t, s.Files())
	v := a.records["csv_to_json"].Find("1.1.0")
	if v.Revoked != `says "no": & more` || v.Yanked != "" || a.records["text_diff"].Owners[0].ID != 9 {
		t.Errorf("got %+v, %+v", v, a.records["text_diff"])
	}
}

func TestTreeOpen(t *testing.T) {
	_, dir := newTree(t)
	good, err := os.ReadFile(filepath.Join(dir, "registry.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(good)
	for name, c := range map[string]struct {
		yaml string
		want []string // parts of the message
	}{
		"three problems at once": {strings.Replace(text, "acme/tools", "ACME", 1) + "colour: red\nmirrors: 7\n", []string{"ACME", "colour", "mirrors"}},
		"anchor":                 {text + "source: &a x\n", []string{"anchor"}},
		"key twice":              {text + "name: acme/tools\n", []string{"twice"}},
		"key that is none":       {strings.Replace(text, "key: M", "key: A", 1), []string{"public key"}},
		"other trust":            {strings.Replace(text, "kind: key", "kind: hope", 1), []string{"hope"}},
		"empty":                  {"", []string{"empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			writeText(t, filepath.Join(dir, "registry.yaml"), c.yaml)
			_, err := registry.OpenTree(dir)
			if fault.KindOf(err) != fault.Findings {
				t.Fatalf("got %v", err)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not in %q", w, err)
				}
			}
		})
	}
	writeText(t, filepath.Join(dir, "registry.yaml"), text)
	tree, err := registry.OpenTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := ledger.Encode(tree.Registry()), sealOptions(t, 0).Registry; got == nil || tree.Registry().Name != want.Name || !bytes.Equal(tree.Registry().Trust.Key, want.Trust.Key) {
		t.Errorf("got %s", got)
	}
	if _, err := registry.OpenTree(t.TempDir()); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a folder without registry: %v", err)
	}
}

func TestTreeStageRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string, r *spec.Release)
		reason string
	}{
		"other bytes of a version": {func(_ *testing.T, _ string, r *spec.Release) {
			r.Ref.Name, r.Tool.Name = "text_diff", "text_diff"
			r.Ref.Version, r.Tool.Version = "0.1.0", "0.1.0"
		}, "immutable"},
		"a file more in a version": {func(_ *testing.T, _ string, r *spec.Release) {
			*r = *contributed("text_diff", "0.1.0", spec.File{Path: "more.txt"})
		}, "immutable"},
		"name that climbs":    {func(_ *testing.T, _ string, r *spec.Release) { r.Ref.Name = "../../x" }, "release"},
		"version that climbs": {func(_ *testing.T, _ string, r *spec.Release) { r.Ref.Version = "../1.0.0" }, "release"},
		"file that climbs":    {func(_ *testing.T, _ string, r *spec.Release) { r.Files[0].Path = "../tool.yaml" }, "release"},
		"second file that climbs": {func(_ *testing.T, _ string, r *spec.Release) {
			r.Files = append(r.Files, spec.File{Path: "a/../../x"})
		}, "unsafe_path"},
		"twins": {func(_ *testing.T, _ string, r *spec.Release) {
			r.Files = append(r.Files, spec.File{Path: "TOOL.py", Data: []byte("x")})
		}, "unsafe_path"},
		"main file too large": {func(_ *testing.T, _ string, r *spec.Release) { r.Files[0].Data = make([]byte, 256<<10+1) }, "release"},
		"release too large": {func(_ *testing.T, _ string, r *spec.Release) {
			r.Files = append(r.Files, spec.File{Path: "big", Data: make([]byte, 2<<20)})
		}, "release"},
		"too many files": {func(_ *testing.T, _ string, r *spec.Release) {
			for i := range 200 {
				r.Files = append(r.Files, spec.File{Path: fmt.Sprint("f", i)})
			}
		}, "release"},
		"link as shard": {func(t *testing.T, dir string, _ *spec.Release) {
			link(t, t.TempDir(), filepath.Join(dir, "tools/ne"))
		}, "not_a_folder"},
		"link as name": {func(t *testing.T, dir string, _ *spec.Release) {
			writeText(t, filepath.Join(dir, "tools/ne/x"), "")
			link(t, t.TempDir(), filepath.Join(dir, "tools/ne/new_tool"))
		}, "not_a_folder"},
		"link as version": {func(t *testing.T, dir string, _ *spec.Release) {
			writeText(t, filepath.Join(dir, "tools/ne/new_tool/x"), "")
			link(t, t.TempDir(), filepath.Join(dir, "tools/ne/new_tool/1.0.0"))
		}, "not_a_folder"},
	} {
		t.Run(name, func(t *testing.T) {
			tree, dir := newTree(t)
			r := contributed("new_tool", "1.0.0")
			c.change(t, dir, r)
			if err := tree.Stage(r, ada); fault.ReasonOf(err) != c.reason || fault.KindOf(err) != fault.Findings {
				t.Errorf("got %v, want %q", err, c.reason)
			}
			if _, err := os.Stat(filepath.Join(dir, "tools/ne/new_tool/tool.yaml")); err == nil {
				t.Error("a refused release left a tool.yaml behind")
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "tools/*/*/.*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	tree, _ := newTree(t)
	if err := tree.Stage(contributed("new_tool", "1.0.0"), ada); err != nil {
		t.Errorf("the twin: %v", err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func TestTreeRevocationStays(t *testing.T) {
	tree, dir := newTree(t)
	s := registry.NewMemory()
	publishTree(t, tree, s, 1)
	if err := setRevoked(tree, "text_diff", "0.1.0", "malware"); err != nil {
		t.Fatal(err)
	}
	publishTree(t, tree, s, 2)
	writeText(t, filepath.Join(dir, "tools/te/text_diff/tool.yaml"), "owners:\n  - login: ada\n    id: 7\n")
	if c := mustDiff(t, tree, s); len(c.Withdraw) > 0 || len(c.Findings) != 1 || !strings.Contains(c.Findings[0].Message, "nothing takes back") {
		t.Errorf("got %+v", c)
	}
}

func TestTreeSetRefuses(t *testing.T) {
	tree, dir := newTree(t)
	path := filepath.Join(dir, "tools/te/text_diff/tool.yaml")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		err  error
		kind fault.Kind
	}{
		"no such version":  {setYanked(tree, "text_diff", "9.0.0", "broken"), fault.NotFound},
		"no such tool":     {setYanked(tree, "no_such", "1.0.0", "broken"), fault.NotFound},
		"yank without":     {setYanked(tree, "text_diff", "0.1.0", ""), fault.Usage},
		"unyank of none":   {unyank(tree, "text_diff", "9.0.0"), fault.NotFound},
		"revoke without":   {setRevoked(tree, "text_diff", "0.1.0", ""), fault.Usage},
		"two lines":        {setYanked(tree, "text_diff", "0.1.0", "a\nb"), fault.Usage},
		"escape":           {setYanked(tree, "text_diff", "0.1.0", "\x1b[2J"), fault.Usage},
		"byte order mark":  {setYanked(tree, "text_diff", "0.1.0", "a\ufeffb"), fault.Findings},
		"invalid encoding": {setYanked(tree, "text_diff", "0.1.0", "a\xff"), fault.Usage},
		"too long":         {setYanked(tree, "text_diff", "0.1.0", strings.Repeat("x", 1025)), fault.Usage},
	} {
		if fault.KindOf(c.err) != c.kind {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("tool.yaml became %s, %v", after, err)
	}
	for _, reason := range []string{`"quoted": # & * !`, "yes", "1.0", "ünïcode 😀", "- x"} {
		if err := setYanked(tree, "text_diff", "0.1.0", reason); err != nil {
			t.Errorf("%q: %v", reason, err)
		}
		if m, err := tree.Meta("text_diff"); err != nil || m.Yanked["0.1.0"] != reason || m.Owners[0] != ada {
			t.Errorf("%q became %+v, %v", reason, m, err)
		}
	}
}

// FuzzTreeConfig reads hostile registry.yaml: what is accepted says whom to trust,
// and written by the program it says the same.
func FuzzTreeConfig(f *testing.F) {
	id := ledger.GitHubIdentity("acme/tools")
	for _, trust := range []ledger.Trust{sealOptions(f, 0).Registry.Trust, {Kind: ledger.TrustKeyless, Identity: &id}} {
		dir := f.TempDir()
		if err := registry.InitTree(dir, &ledger.Registry{Schema: ledger.RegistrySchema, Name: "acme/tools", Source: "https://x", Trust: trust}); err != nil {
			f.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "registry.yaml"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
		f.Add(string(text) + "    repository_id: 0x7\n    owner_id: \"7\\\"\"\n")
	}
	f.Add("name: acme/tools\ntrust: &a {kind: *a}\n")
	f.Add("name: acme/tools\npolicy: {maintainers: [{login: ada, id: 7}], new_name_wait: 72h, judge: required, auto_merge: false, updates_per_day: 3}\n")
	dir, other, third := f.TempDir(), f.TempDir(), f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		writeText(t, filepath.Join(dir, "registry.yaml"), text)
		tree, err := registry.OpenTree(dir)
		if err != nil {
			return
		}
		r := tree.Registry()
		if err := r.Trust.CheckTemplate(); err != nil {
			t.Fatalf("%q is accepted: %v", text, err)
		}
		p := tree.Policy()
		if p.NewNameWait < 0 || p.NewNameWait > limits.PolicyWait || p.UpdatesPerDay < 0 || p.UpdatesPerDay > limits.PolicyUpdates ||
			slices.ContainsFunc(p.Maintainers, func(o ledger.Owner) bool { return o.ID <= 0 || o.Login == "" }) {
			t.Fatalf("%q lets pull requests do %+v", text, p)
		}
		again, err := policyTree(t, third, policyText(p))
		if err != nil || !reflect.DeepEqual(again.Policy(), p) {
			t.Fatalf("%q has the policy %+v and, written, %+v: %v", text, p, again, err)
		}
		if err := os.RemoveAll(filepath.Join(other, "registry.yaml")); err != nil {
			t.Fatal(err)
		}
		if err := registry.InitTree(other, r); err != nil {
			t.Fatal(err)
		}
		again, err = registry.OpenTree(other)
		if err != nil || again.Registry().Name != r.Name || again.Registry().Source != r.Source || !again.Registry().Trust.Equal(&r.Trust) {
			t.Errorf("%q was read as %+v and then, written, as %+v: %v", text, r, again, err)
		}
	})
}

// FuzzTreeMeta reads hostile tool.yaml; what is read is written and read alike.
func FuzzTreeMeta(f *testing.F) {
	f.Add("owners:\n  - login: ada\n    id: 7\nyanked:\n  \"1.0.0\": broken\n")
	f.Add("owners: []\nrevoked: {1.0.0: yes}\ndeprecated: \"x\"\nreplaced_by: csv_to_json\n")
	f.Add("owners: &a [*a]\n")
	f.Add("deprecated: \"\\u2028\"\n")
	dir := f.TempDir()
	if err := registry.InitTree(dir, sealOptions(f, 0).Registry); err != nil {
		f.Fatal(err)
	}
	tree, err := registry.OpenTree(dir)
	if err != nil {
		f.Fatal(err)
	}
	if err := tree.Stage(contributed("csv_to_json", "1.0.0"), ada); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		writeText(t, filepath.Join(dir, "tools/cs/csv_to_json/tool.yaml"), text)
		m, err := tree.Meta("csv_to_json")
		if err != nil || len(m.Owners) == 0 {
			return
		}
		if err := setYanked(tree, "csv_to_json", "1.0.0", "broken"); err != nil {
			t.Fatalf("%q was read as %+v and cannot be written: %v", text, m, err)
		}
		again, err := tree.Meta("csv_to_json")
		if err != nil {
			t.Fatal(err)
		}
		if m.Yanked == nil {
			m.Yanked = map[spec.Version]string{}
		}
		m.Yanked["1.0.0"] = "broken"
		if got, want := fmt.Sprintf("%q", fmt.Sprint(again)), fmt.Sprintf("%q", fmt.Sprint(m)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func setYanked(t *registry.Tree, n spec.Name, v spec.Version, reason string) error {
	r := spec.Ref{Name: n, Version: v}
	return t.Amend(r, func(m *registry.Meta) error { return m.Yank(r, reason) })
}

func unyank(t *registry.Tree, n spec.Name, v spec.Version) error {
	return t.Amend(spec.Ref{Name: n, Version: v}, func(m *registry.Meta) error { m.Unyank(v); return nil })
}

func setRevoked(t *registry.Tree, n spec.Name, v spec.Version, reason string) error {
	r := spec.Ref{Name: n, Version: v}
	return t.Amend(r, func(m *registry.Meta) error { return m.Revoke(r, reason) })
}

// What an amendment must not write, and the twin that it may.
func TestAmendRefuses(t *testing.T) {
	ann, bob := ledger.Owner{Login: "ann", ID: 7}, ledger.Owner{Login: "bob", ID: 8}
	for name, c := range map[string]struct {
		edit func(m *registry.Meta) error
		bad  bool
	}{
		"deprecated":               {func(m *registry.Meta) error { return m.Deprecate("text_diff", "old", "csv_to_json") }, false},
		"not deprecated":           {func(m *registry.Meta) error { return m.Deprecate("text_diff", "", "") }, false},
		"instead without a reason": {func(m *registry.Meta) error { return m.Deprecate("text_diff", "", "csv_to_json") }, true},
		"replaced by itself":       {func(m *registry.Meta) error { return m.Deprecate("text_diff", "old", "text_diff") }, true},
		"two lines":                {func(m *registry.Meta) error { return m.Deprecate("text_diff", "a\nb", "") }, true},
		"transferred":              {func(m *registry.Meta) error { return m.Transfer("text_diff", []ledger.Owner{ann, bob}) }, false},
		"to nobody":                {func(m *registry.Meta) error { return m.Transfer("text_diff", nil) }, true},
		"to one twice": {func(m *registry.Meta) error {
			return m.Transfer("text_diff", []ledger.Owner{ann, {Login: "anna", ID: 7}})
		}, true},
		"to a number below zero": {func(m *registry.Meta) error { return m.Transfer("text_diff", []ledger.Owner{{Login: "ann", ID: -7}}) }, true},
		"to a login with an escape": {func(m *registry.Meta) error {
			return m.Transfer("text_diff", []ledger.Owner{{Login: "a\x1b[2J", ID: 7}})
		}, true},
		"two without numbers": {func(m *registry.Meta) error {
			return m.Transfer("text_diff", []ledger.Owner{{Login: "a"}, {Login: "b"}})
		}, false},
		"one without a number twice": {func(m *registry.Meta) error {
			return m.Transfer("text_diff", []ledger.Owner{{Login: "a"}, {Login: "a"}})
		}, true},
	} {
		m := registry.Meta{Owners: []ledger.Owner{ann}}
		err := c.edit(&m)
		if (err != nil) != c.bad || c.bad && fault.KindOf(err) != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
		if c.bad && (!slices.Equal(m.Owners, []ledger.Owner{ann}) || m.Deprecated != "" || m.ReplacedBy != "") {
			t.Errorf("%s: it changed %+v", name, m)
		}
	}
}
