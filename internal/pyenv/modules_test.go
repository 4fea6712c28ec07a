package pyenv

import (
	"encoding/binary"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/durable"
)

// specsOf is a tool that says how its modules were found.
const specsOf = `import json, datetime, urllib.parse, xml.etree.ElementTree, zoneinfo, typing, csv
import sys
print([type(f).__name__ for f in sys.meta_path if not type(f).__name__.startswith("Distutils")], sorted(n for n in sys.modules if n.startswith("xml")))
for name in sorted(sys.modules):
    m = sys.modules[name]
    s = getattr(m, "__spec__", None)
    if name.partition(".")[0] in ("json", "re", "datetime", "_datetime", "urllib", "xml", "zoneinfo", "csv", "_csv", "typing", "enum", "collections") and s:
        print(name, m.__name__, getattr(m, "__file__", 0), getattr(m, "__cached__", 0), getattr(m, "__path__", 0), m.__package__, type(m.__loader__).__name__,
              s.name, s.origin, s.cached, s.has_location, s.parent, s.submodule_search_locations, s.loader is m.__loader__, sorted(vars(s.loader)) if hasattr(s.loader, "__dict__") else 0)
`

// TestModulesAreAlike: a module out of the one file says the same of itself as one that
// was found in its directory.
func TestModulesAreAlike(t *testing.T) {
	p := real(t)
	good, _, err := p.Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range good {
		if _, err := p.Prepare(t.Context(), &in, []byte(specsOf)); err != nil {
			t.Fatal(err)
		}
		if p.modules(&in) == "" {
			t.Fatalf("%s: the modules were not collected", in.Version)
		}
		want, talk, exit := bare(t, &in, specsOf, "{}")
		if exit != 0 || strings.Count(want, "\n") < 10 {
			t.Fatalf("%s: %d\n%s\n%s", in.Version, exit, want, talk)
		}
		out := run(t, p, &in, specsOf, Call{Args: []byte("{}")})
		got := strings.Split(string(out.Stdout), "\n")
		for i, line := range strings.Split(want, "\n") {
			if i >= len(got) || got[i] != line {
				t.Errorf("%s: got\n%s\n%s\nwant\n%s", in.Version, strings.Join(got[min(i, len(got)):min(i+1, len(got))], ""), out.Stderr, line)
				break
			}
		}
	}
}

// replaceModule writes other code for one module into a file of modules.
const replaceModule = `import marshal, sys
path, name, later, code = sys.argv[1:]
b = open(path, "rb").read()
n = int.from_bytes(b[:4], "little")
library, tag, index = marshal.loads(b[4 : 4 + n])
code = marshal.dumps(compile(code, name, "exec"))
file, package, time, size, start, length = index[name]
index[name] = file, package, time + int(later), size, len(b) - 4 - n, len(code)
head = marshal.dumps((library, tag, index))
sys.stdout.buffer.write(len(head).to_bytes(4, "little") + head + b[4 + n :] + code)
`

// TestModulesAreUsed: the code comes from the file while the source is the one that it
// was made of, and from the library itself where the source is another or the file is no
// such file.
func TestModulesAreUsed(t *testing.T) {
	p := real(t)
	in := anyPython(t, p)
	const tool = "import textwrap\nprint(hasattr(textwrap, 'dedent'), getattr(textwrap, 'other', 'none'))\n"
	path := p.modulesPath(in)
	says := func() string {
		t.Helper()
		out := run(t, p, in, tool, Call{Args: []byte("{}")})
		if out.Exit != 0 {
			t.Fatalf("exit %d, %s", out.Exit, out.Stderr)
		}
		return strings.TrimSpace(string(out.Stdout) + string(out.Stderr))
	}
	const plain = "True none"
	if got := says(); got != plain {
		t.Fatalf("got %q", got)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put := func(b []byte) {
		t.Helper()
		if err := durable.Replace(path, b, 0o444); err != nil {
			t.Fatal(err)
		}
	}
	other := func(later string) []byte {
		t.Helper()
		put(whole)
		b, err := exec.CommandContext(t.Context(), in.Path, "-I", "-c", replaceModule, path, "textwrap", later, "other = 'taken'").Output()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"another's code":                 {other("0"), "False taken"},
		"the same, of an earlier source": {other("-1"), plain},
		"cut short in the code":          {whole[:len(whole)/2], plain},
		"cut short in the index":         {whole[:100], plain},
		"empty":                          {nil, plain},
		"an index without end":           {binary.LittleEndian.AppendUint32(nil, 1<<31), plain},
		"as it was":                      {whole, plain},
	} {
		put(c.file)
		if got := says(); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := says(); got != plain {
		t.Errorf("without the file: got %q", got)
	}
}

// TestReserved: nothing of the host can be given where a run sees files of patch-git's;
// beside them it can.
func TestReserved(t *testing.T) {
	for _, path := range []string{toolPath, argsPath, launchPath, modulesTarget} {
		if !Reserved(path) || Reserved(path+"s") {
			t.Errorf("%s: %v, beside it %v", path, Reserved(path), Reserved(path+"s"))
		}
	}
}

// TestModulesInEveryDriver: the place of the file is free in each of them.
func TestModulesInEveryDriver(t *testing.T) {
	for _, driver := range working(t) {
		p := New(testHost(t, map[string]string{"PATH": os.Getenv("PATH")}), box(t, driver))
		in := anyPython(t, p)
		out := run(t, p, in, "import json\nprint(json.dumps(1))\n", Call{Args: []byte("{}")})
		if p.modules(in) == "" || out.Driver != driver || string(out.Stdout) != "1\n" {
			t.Errorf("%s: %+v\n%s", driver, out, out.Stderr)
		}
	}
}
