package pyenv

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// scripts are tools whose output, errors and exit code must be those of
// script mode. None may print what differs from run to run.
var scripts = map[string]string{
	"hello":          "import json,sys\nprint(json.dumps({'got': json.load(sys.stdin)}))\n",
	"argv":           "import sys\nprint(len(sys.argv), __name__, __file__.endswith('tool.py'), __spec__, __package__, __cached__, __doc__)\n",
	"docstring":      "'''about'''\nprint(__doc__, __builtins__.__name__, type(__loader__).__name__)\n",
	"exit nothing":   "import sys\nprint('x')\nsys.exit()\n",
	"exit code":      "import sys\nsys.exit(7)\n",
	"exit big":       "import sys\nsys.exit(300)\n",
	"exit negative":  "import sys\nsys.exit(-1)\n",
	"exit true":      "raise SystemExit(True)\n",
	"exit text":      "import sys\nprint('out')\nsys.exit('bad luck')\n",
	"exit tuple":     "raise SystemExit((1, 'two'))\n",
	"exit builtin":   "exit(5)\n",
	"quit builtin":   "quit()\n",
	"exit in thread": "import threading,sys\nt=threading.Thread(target=lambda: sys.exit(9))\nt.start()\nt.join()\nprint('on')\n",
	"traceback":      "def f(n):\n    return 1 / n  # here\n\n\nprint('before')\nf(0)\n",
	"chained":        "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('outer') from e\n",
	"group":          "class E(Exception):\n    def __str__(self): return 'custom'\nraise E\n",
	"syntax error":   "print('no'\n",
	"indent error":   "if True:\nprint(1)\n",
	"nul byte":       "print('a')\x00\n",
	"latin cookie":   "# -*- coding: latin-1 -*-\nprint('caf\xe9')\n",
	"bad utf-8":      "print('caf\xe9')\n",
	"bom":            "\xef\xbb\xbfprint('bom')\n",
	"atexit":         "import atexit\natexit.register(print, 'last')\nprint('first')\n",
	"atexit fails":   "import atexit\ndef f(): raise SystemExit(4)\natexit.register(f)\nprint('first')\n",
	"thread waits":   "import threading\nthreading.Timer(0.05, lambda: print('late')).start()\nprint('early')\n",
	"daemon":         "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\nprint('end')\n",
	"second wrapper": "import sys,io\nout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\nout.write('kept')\n",
	"second file":    "keep = [open(1, 'w', closefd=False)]\nkeep[0].write('kept too')\n",
	"replaced":       "import sys,io\nsys.stdout = io.StringIO()\nprint('gone')\n",
	"closed":         "import sys\nprint('x')\nsys.stdout.close()\n",
	"no newline":     "import sys\nsys.stdout.write('end')\n",
	"stderr":         "import sys\nsys.stderr.write('talk')\nprint('answer')\n",
	"excepthook":     "import sys\nsys.excepthook = lambda t, e, tb: print('hook', t.__name__, tb.tb_lineno)\nraise KeyError(1)\n",
	"pickle main":    "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)\n",
	"dataclass":      "from __future__ import annotations\nimport dataclasses, typing\n@dataclasses.dataclass\nclass P:\n    x: int = 1\nprint(P(), typing.get_type_hints(P))\n",
	"inspect":        "import inspect\ndef f():\n    return 42\nprint(inspect.getsource(f))\n",
	"reimport":       "import sys\nprint(sys.modules['__main__'].__dict__ is globals())\n",
	"recursion":      "def f(): return f()\ntry:\n    f()\nexcept RecursionError:\n    print('deep')\n",
	"unicode out":    "print('\u00e9\u4e16\U0001f600')\n",
	"surrogate out":  "print('\\udc80')\n",
	"warning":        "import warnings\nwarnings.warn('old', DeprecationWarning)\n",
	"async":          "import asyncio\nasync def m(): return 3\nprint(asyncio.run(m()))\n",
	"stdin lines":    "import sys\nfor line in sys.stdin: print(repr(line))\n",
	"stdin itself":   "import sys, os\nprint(sys.stdin.name, sys.stdin.mode, sys.stdin.encoding, sys.stdin.errors, sys.stdin.line_buffering, sys.stdin.newlines, sys.stdin is sys.__stdin__, sys.stdin.buffer.raw.closefd)\n",
	"stdin twice":    "import sys\nprint(sys.stdin.read(), sys.stdin.fileno())\n",
	"stdin bytes":    "import os, sys\nprint(os.read(0, 3))\n",
	"input":          "print(repr(input()))\n",
	"no stdin":       "import sys\nsys.stdin.close()\nprint('closed')\n",
	"print first":    "print('mine')\nimport this\n",
	"import this":    "import json, this, re\n",
	"modules":        "'''doc'''\nfrom __future__ import annotations\nimport json, xml.dom\nfrom collections import abc as a, OrderedDict\nimport sys\nprint(sorted(m for m in sys.modules if m.startswith(('json', 'xml', 'coll', 're'))))\n",
	"import missing": "import json\nimport no_such_module\nimport re\n",
	"import warns":   "import warnings\nimport sre_compile, imp\n",
	"detached":       "import sys\nout = sys.stdout.detach()\nsys.stdout = None\nout.write(b'by hand')\n",
	"kept aside":     "import sys, io\nprint('first', end='')\nold, sys.stdout, sys.__stdout__ = sys.stdout, io.StringIO(), None\nold.write('kept')\ndel old\n",
	"garbage":        "import gc\nclass A:\n    def __init__(self): self.me = self\nfor i in range(5000): A()\nprint(gc.isenabled(), gc.get_threshold() == gc.get_threshold(), gc.collect() >= 0)\n",
	"cycle closes":   "class A:\n    def __init__(self): self.me, self.f = self, open(1, 'w', closefd=False)\na = A()\na.f.write('in a cycle')\n",
	"interrupt-like": "class Quiet(SystemExit): pass\nraise Quiet(6)\n",
	"future":         "from __future__ import annotations\nx: int = 1\nprint(__annotations__)\n",
	"empty":          "",
}

// sameOutput forgives what no tool can rely on.
func sameOutput(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		// The message of "Exception ignored in" names an address.
		if strings.Contains(line, " at 0x") || strings.Contains(line, "Exception ignored") {
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

// The runner must not be noticed: for every script the same output, talk and
// exit code as script mode; with PATCH_GIT_ALL_PYTHONS=1 on every interpreter here.
func TestSameAsScriptMode(t *testing.T) {
	p := real(t)
	good, _, err := p.Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(good) == 0 {
		t.Skip("no Python to compare with")
	}
	if os.Getenv("PATCH_GIT_ALL_PYTHONS") == "" {
		good = good[len(good)-1:] // the newest; all take a minute
	}
	for _, in := range good {
		t.Run(in.Version, func(t *testing.T) {
			t.Parallel()
			for name, source := range scripts {
				const args = `{"a": 1}`
				wantOut, wantErr, wantExit := bare(t, &in, source, args)
				out := run(t, p, &in, source, Call{Args: []byte(args)})
				if string(out.Stdout) != wantOut || out.Exit != wantExit {
					t.Errorf("%s: got exit %d, output %q; want exit %d, output %q\n%s", name, out.Exit, out.Stdout, wantExit, wantOut, out.Stderr)
				}
				if got, want := sameOutput(string(out.Stderr)), sameOutput(wantErr); got != want {
					t.Errorf("%s: got on stderr\n%s\nwant\n%s", name, got, want)
				}
			}
		})
	}
}

// A tool that can reach files or hosts ends as slowly as script mode, so that
// what its objects do at their end is done.
func TestEndOfObjects(t *testing.T) {
	p := real(t)
	in := anyPython(t, p)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	source := "class A:\n    def __del__(self): print('deleted')\na = A()\nf = open(" + strconvQuote(filepath.Join(dir, "f")) + ", 'w')\nf.write('content')\n"
	out := run(t, p, in, source, Call{Args: []byte("{}"), Grants: []sandbox.Mount{{Source: dir, Target: dir, Write: true}}})
	if string(out.Stdout) != "deleted\n" || out.Exit != 0 {
		t.Errorf("got exit %d, output %q, %s; want the object deleted", out.Exit, out.Stdout, out.Stderr)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(b) != "content" {
		t.Errorf("got file %q, %v; want its content written", b, err)
	}
}

// What a tool finds around itself is the contract and nothing else [AR-40..43].
func TestSurroundings(t *testing.T) {
	p := real(t)
	in := anyPython(t, p)
	source := `
import json, os, sys
print(json.dumps({
    "argv": sys.argv, "file": __file__, "cwd": os.getcwd(), "tmp": sorted(os.listdir("/tmp")),
    "env": dict(os.environ), "args": open("/tmp/args.json").read(), "stdin": sys.stdin.read(),
    "path": [p for p in sys.path if not p.startswith(sys.base_prefix)], "utf8": sys.flags.utf8_mode,
    "home": os.path.isdir(` + strconvQuote(filepath.Join(p.host.Home, ".ssh")) + `),
}))`
	out := run(t, p, in, source, Call{Args: []byte(`{"x":1}`), Token: "secret-token"})
	got := string(out.Stdout)
	for _, want := range []string{
		`"argv": ["/tmp/tool.py"]`, `"file": "/tmp/tool.py"`, `"cwd": "/tmp"`, `"tmp": ["args.json", "tool.py"]`,
		`"args": "{\"x\":1}"`, `"stdin": "{\"x\":1}"`, `"path": []`, `"utf8": 1`, `"home": false`,
		`"HOME": "/tmp"`, `"TMPDIR": "/tmp"`, `"LANG": "C.UTF-8"`, `"PATCH_ACCESS_TOKEN": "secret-token"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s%s; want %s in it", got, out.Stderr, want)
		}
	}
	for _, name := range []string{"LD_LIBRARY_PATH", "PYTHONPATH", "USER"} {
		if strings.Contains(got, name) {
			t.Errorf("got %s; want no %s in it", got, name)
		}
	}
	out = run(t, p, in, source, Call{Args: []byte(`{}`)})
	if strings.Contains(string(out.Stdout), TokenVariable) {
		t.Errorf("got %s; want no token without one being given", out.Stdout)
	}
}

// The Landlock driver has no root of its own; tracebacks still show the lines.
func TestLandlock(t *testing.T) {
	p := New(testHost(t, map[string]string{"PATH": os.Getenv("PATH")}), box(t, "landlock"))
	in := anyPython(t, p)
	out := run(t, p, in, "import sys\nprint(sys.argv == [__file__], open(__file__).readline())\n1/0  # the line\n", Call{Args: []byte("{}")})
	if out.Exit != 1 || !strings.HasPrefix(string(out.Stdout), "True import sys") || !strings.Contains(string(out.Stderr), "1/0  # the line") {
		t.Errorf("got exit %d, %q, %s", out.Exit, out.Stdout, out.Stderr)
	}
}

// What a tool imports first is imported before it is there, unless somebody
// could notice.
func TestImports(t *testing.T) {
	p := real(t)
	in := anyPython(t, p)
	for source, want := range map[string][]string{
		"import json\nimport sys\n": {"json", "sys"},
		"\"\"\"about\"\"\"\nimport json, re as r\nfrom xml.dom import minidom\n": {"json", "re", "xml.dom"},
		"from __future__ import annotations\nimport json\n":                      {"__future__", "json"},
		"import json\nx = 1\nimport re\n":                                        {"json"},
		"import json\nimport numpy\nimport re\n":                                 {"json"}, // its time is the tool's own
		"import json\nimport this\nimport re\n":                                  {"json"}, // prints
		"from . import x\n":                                                      nil,
		"def f():\n    import json\n":                                            nil,
		"":                                                                       nil,
	} {
		g, err := p.Prepare(t.Context(), in, []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(g.launch.imports, want) {
			t.Errorf("%q: got %q, want %q", source, g.launch.imports, want)
		}
	}
}

// The standard input is a file, as with `< args.json`, and not the pipe that
// the tool itself came through.
func TestStandardInput(t *testing.T) {
	p := real(t)
	in := anyPython(t, p)
	out := run(t, p, in, "import os, stat, sys\nprint(stat.S_ISREG(os.fstat(0).st_mode), sys.stdin.seekable(), sys.stdin.read(), sys.stdin.seek(0), sys.stdin.read(), sorted(os.listdir('/proc/self/fd')))\n", Call{Args: []byte("{}")})
	if want := "True True {} 0 {} ['0', '1', '2', '3']\n"; string(out.Stdout) != want {
		t.Errorf("got %q, %s, want %q", out.Stdout, out.Stderr, want)
	}
}

func TestBytecodeCache(t *testing.T) {
	p := real(t)
	in := anyPython(t, p)
	p.collect(t.Context(), in) // the modules of the library are another job
	counted := &counting{Box: p.box}
	p.box = counted
	const source = "print('cached')\n"
	prepare := func() *Program {
		t.Helper()
		g, err := p.Prepare(t.Context(), in, []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	first := prepare()
	list, err := filepath.Glob(filepath.Join(p.host.Paths.Cache(), "bytecode", "*"))
	if err != nil || len(list) != 1 {
		t.Fatalf("got %v, %v in the cache, want one file", list, err)
	}
	if flags := binary.LittleEndian.Uint32(first.launch.runner[4:]); flags != pycUnchecked {
		t.Errorf("got flags %d, want %d: the interpreter would compile again", flags, pycUnchecked)
	}
	if prepare(); len(counted.jobs) != 1 {
		t.Fatalf("got %d jobs for two preparations, want 1", len(counted.jobs))
	}
	whole, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	// Each damage must be noticed, and the next preparation must repair it.
	for name, damage := range map[string]func([]byte) []byte{
		"cut short":    func(b []byte) []byte { return b[:len(b)-1] },
		"empty":        func([]byte) []byte { return nil },
		"flipped bit":  func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"other check":  func(b []byte) []byte { b[0] ^= 1; return b },
		"other python": func(b []byte) []byte { b[32+4] ^= 1; return b },
	} {
		if err := durable.Replace(list[0], damage(slices.Clone(whole)), 0o600); err != nil {
			t.Fatal(err)
		}
		before := len(counted.jobs)
		if g := prepare(); len(counted.jobs) != before+1 || !reflect.DeepEqual(g.launch, first.launch) {
			t.Errorf("%s: got %d compilations, want 1 and the same bytecode", name, len(counted.jobs)-before)
		}
	}
	// The file of another source under this one's name is noticed too.
	if _, err := p.Prepare(t.Context(), in, []byte("print('other')\n")); err != nil {
		t.Fatal(err)
	}
	both, err := filepath.Glob(filepath.Join(p.host.Paths.Cache(), "bytecode", "*"))
	if err != nil || len(both) != 2 {
		t.Fatalf("got %v, %v in the cache, want two files", both, err)
	}
	other, err := os.ReadFile(both[1-slices.Index(both, list[0])])
	if err != nil {
		t.Fatal(err)
	}
	if err := durable.Replace(list[0], other, 0o600); err != nil {
		t.Fatal(err)
	}
	if g := prepare(); !reflect.DeepEqual(g.launch, first.launch) {
		t.Error("got another tool's bytecode, want its own")
	}
}

// A tool with a network finds the authorities' certificates where its OpenSSL
// looks for them, and needs no connection to do so.
func TestCertificates(t *testing.T) {
	p := real(t)
	in := anyPython(t, p)
	if slices.Contains(in.Missing, "ssl") {
		t.Skip("this Python has no ssl")
	}
	const source = "import os, ssl\np = ssl.get_default_verify_paths()\nprint(any(x and os.path.exists(x) for x in (p.openssl_cafile, p.openssl_capath)))\n"
	wantOut, _, _ := bare(t, in, source, "{}")
	if out := run(t, p, in, source, Call{Args: []byte("{}"), Network: true}); string(out.Stdout) != wantOut {
		t.Errorf("got %q, %s, want %q as outside", out.Stdout, out.Stderr, wantOut)
	}
}
