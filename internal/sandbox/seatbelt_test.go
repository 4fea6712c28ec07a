package sandbox

import (
	"embed"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
)

//go:embed testdata/seatbelt
var golden embed.FS

var update = flag.Bool("update", false, "write the golden files anew")

const (
	beltScratch = "/private/tmp/patch-git-run-1"
	beltHelper  = "/opt/patch-git"
)

func beltJob(more ...Mount) Job {
	return Job{Argv: []string{"/opt/python/bin/python3", "/tmp/tool.py"}, Mounts: append([]Mount{{Source: "/opt/python", Target: "/opt/python"}}, more...)}
}

// TestBeltProfiles compares what sandbox-exec is told with the golden files,
// which a person has read.
func TestBeltProfiles(t *testing.T) {
	network := beltJob()
	network.Network = true
	for name, j := range map[string]Job{
		"hello":   beltJob(),
		"read":    beltJob(Mount{Source: "/Users/me/a report.pdf", Target: "/Users/me/a report.pdf"}),
		"write":   beltJob(Mount{Source: "/Users/me/out", Target: "/Users/me/out", Write: true}, Mount{Source: "/Users/me/out/kept", Target: "/Users/me/out/kept"}),
		"network": network,
		"hostile": beltJob(Mount{Source: `/Users/me/") (allow default) ("\`, Target: "/x"}, Mount{Source: "/Users/me/P0=/ (param)", Target: "/y", Write: true}),
	} {
		b, err := newBelt(j, beltScratch, beltHelper)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := b.profile + "; " + strings.Join(b.params, "\n; ") + "\n"
		file := "testdata/seatbelt/" + name + ".sb"
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := golden.ReadFile(file) // not from the disk: the tests run elsewhere, too
		if err != nil || got != string(want) {
			t.Errorf("%s: %v, got\n%s", name, err, got)
		}
	}
}

// TestBeltRefuses: a path that cannot be told is refused, and not left out.
func TestBeltRefuses(t *testing.T) {
	for _, p := range []string{"/a\nb", "/a\x00b", "/a\x1b", "/a\x7f", "/a\xff", "a", "/a/../b", ""} {
		if _, err := newBelt(beltJob(Mount{Source: p}), beltScratch, beltHelper); fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != "bad_job" {
			t.Errorf("%q: %v", p, err)
		}
		if _, err := newBelt(beltJob(), p, beltHelper); err == nil {
			t.Errorf("%q as scratch was accepted", p)
		}
	}
	if _, err := newBelt(beltJob(Mount{Source: "/a b"}), beltScratch, beltHelper); err != nil {
		t.Errorf("the twin: %v", err)
	}
}

// TestBeltArguments: the profile and each parameter are one argument, and what
// is executed is this program and nothing that a job names.
func TestBeltArguments(t *testing.T) {
	b, err := newBelt(beltJob(Mount{Source: "/a -D P0=/b"}), beltScratch, "/bin/other")
	if err != nil {
		t.Fatal(err)
	}
	got := b.argv("/bin/other")
	want := []string{"sandbox-exec", "-p", b.profile}
	for _, p := range b.params {
		want = append(want, "-D", p)
	}
	if want = append(want, "/bin/other", beltWord); !slices.Equal(got, want) || got[4] != "P0=/a -D P0=/b" {
		t.Errorf("got %q", got)
	}
}

// TestBeltOrder: later rules win, so what lies in another mount comes after it,
// and the scratch last.
func TestBeltOrder(t *testing.T) {
	b, err := newBelt(beltJob(Mount{Source: "/g/in/ro"}, Mount{Source: "/g", Write: true}, Mount{Source: "/g/in", Write: true}), beltScratch, beltHelper)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, p := range b.params {
		_, path, _ := strings.Cut(p, "=")
		order = append(order, path)
	}
	if want := []string{"/g", "/g/in", "/g/in/ro", "/opt/python", beltHelper, beltScratch}; !slices.Equal(order[:6], want) {
		t.Errorf("got %q", order)
	}
	if i, k := strings.Index(b.profile, `(deny file-write* (subpath (param "P2")))`), strings.Index(b.profile, `(allow file-read* file-write* (subpath (param "P1")))`); i < k || k < 0 {
		t.Errorf("%d, %d in\n%s", i, k, b.profile)
	}
}

// expression is a list, or an atom: a word or a string with its quotes.
type expression struct {
	atom string
	list []expression
}

// parseBelt reads the language of profiles as far as ours uses it: lists, words
// and strings. It returns nil for what does not end where it should.
func parseBelt(s string) (all []expression, rest string, ok bool) {
	for {
		s = strings.TrimLeft(s, " \n")
		switch {
		case s == "" || s[0] == ')':
			return all, s, true
		case s[0] == '(':
			list, after, ok := parseBelt(s[1:])
			if !ok || after == "" {
				return nil, "", false
			}
			all, s = append(all, expression{list: list}), after[1:]
		case s[0] == '"':
			end := strings.IndexByte(s[1:], '"')
			if end < 0 || strings.ContainsAny(s[1:1+end], "\\\n") {
				return nil, "", false // ours have no need of it
			}
			all, s = append(all, expression{atom: s[:end+2]}), s[end+2:]
		default:
			end := strings.IndexAny(s, " \n()\"")
			if end <= 0 {
				return nil, "", false
			}
			all, s = append(all, expression{atom: s[:end]}), s[end:]
		}
	}
}

// shapeOf is an expression without what its strings say.
func shapeOf(all []expression) string {
	var b strings.Builder
	for _, e := range all {
		switch {
		case e.list != nil || e.atom == "":
			b.WriteString("(" + shapeOf(e.list) + ")")
		case e.atom[0] == '"':
			b.WriteString(`"" `)
		default:
			b.WriteString(e.atom + " ")
		}
	}
	return b.String()
}

// grants are the rules but for those that let a directory on the way be looked
// at, of which a deeper path has more; sorted, for a path decides their order.
func grants(all []expression) (rules []string) {
	for _, e := range all {
		if s := shapeOf([]expression{e}); !strings.Contains(s, "file-read-metadata") {
			rules = append(rules, s)
		}
	}
	slices.Sort(rules)
	return rules
}

// FuzzBelt gives a path the chance to become a rule: the profile has the same
// rules for it as for a harmless one, and the path arrives as one parameter.
func FuzzBelt(f *testing.F) {
	for _, p := range []string{"/a", `/")(allow default)("`, "/\\", "/(", "/a b;c", "/P0=x", "/\u202e", "/é"} {
		f.Add(p, true)
		f.Add(p, false)
	}
	f.Fuzz(func(t *testing.T, p string, write bool) {
		b, err := newBelt(beltJob(Mount{Source: p, Write: write}), beltScratch, beltHelper)
		if err != nil {
			return
		}
		all, rest, ok := parseBelt(b.profile)
		if !ok || rest != "" {
			t.Fatalf("%q: the profile is not one\n%s", p, b.profile)
		}
		twin, err := newBelt(beltJob(Mount{Source: "/x", Write: write}), beltScratch, beltHelper)
		if err != nil {
			t.Fatal(err)
		}
		want, _, _ := parseBelt(twin.profile)
		if a, z := grants(all), grants(want); !slices.Equal(a, z) {
			t.Errorf("%q has rules of its own: %q, not %q", p, a, z)
		}
		if n := len(slices.DeleteFunc(slices.Clone(b.params), func(s string) bool { _, v, _ := strings.Cut(s, "="); return v != p })); n == 0 {
			t.Errorf("%q is no parameter: %q", p, b.params)
		}
	})
}
