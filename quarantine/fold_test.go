package quarantine

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
)

type folded struct {
	Text      *string  `json:"text"`
	Loose     *string  `json:"loose"`
	Names     []string `json:"names"` // of the callee, where the last line is a call
	Exhausted bool     `json:"exhausted"`
	CPU       float64  `json:"cpu"` // seconds
}

// fold asks class Fold about the expression in the last line of each source.
// every makes it ask about all others of the file first, as an enemy would wish,
// with a budget as much smaller as the source is.
func fold(t *testing.T, every bool, sources ...string) []folded {
	t.Helper()
	input, err := json.Marshal(sources)
	if err != nil {
		t.Fatal(err)
	}
	const driver = `
import ast, json, sys, time
names = {"__name__": "program"}
exec(compile(open(sys.argv[1]).read(), "program.py", "exec"), names)
names["limit"]()
for source in json.load(sys.stdin):
    tree, start = ast.parse(source), time.process_time()
    fold, node = names["Fold"](tree), tree.body[-1].value
    for other in ast.walk(tree) if sys.argv[2] == "all" else []:
        if isinstance(other, ast.expr):
            fold.text(other), fold.loose(other), fold.names(other)
    text = fold.text(node)
    text = "b:" + text.decode() if isinstance(text, bytes) else text
    callee = fold.names(node.func) if isinstance(node, ast.Call) else []
    print(json.dumps({"text": text, "loose": fold.loose(node), "names": callee, "exhausted": fold.exhausted, "cpu": time.process_time() - start}))
`
	mode := "one"
	if every {
		mode = "all"
	}
	out := python(t, bytes.NewReader(input), "-c", driver, programFile(t), mode)
	var all []folded
	for line := range bytes.Lines(out) {
		var f folded
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	if len(all) != len(sources) {
		t.Fatalf("%d answers for %d sources", len(all), len(sources))
	}
	return all
}

// TestFoldText holds what is constant beside what only looks so.
func TestFoldText(t *testing.T) {
	const none = "?"
	cases := []struct{ code, want string }{
		{`'a' + 'b' 'c'`, "abc"},
		{`''.join(['a', 'b'])`, "ab"},
		{`'tekcos'[::-1]`, "socket"},
		{`'a-b'.replace('-', '')`, "ab"},
		{`'%s%s' % ('a', 'b')`, "ab"},
		{`'%(x)s' % {'x': 'ab'}`, "ab"},
		{`'{0}{1}'.format('a', 'b')`, "ab"},
		{`'{}{x}'.format('a', x='b')`, "ab"},
		{`f'{"a"}b{3:02}'`, "ab03"},
		{`chr(97) + chr(0x62)`, "ab"},
		{`''.join(chr(c) for c in [97, 98])`, "ab"},
		{`''.join(map(chr, (97, 98)))`, "ab"},
		{`''.join(chr(ord(c) ^ 1) for c in 'bc')`, "cb"},
		{`''.join(map(lambda c: chr(ord(c) - 1), 'bc'))`, "ab"},
		{`bytes([97, 98]).decode()`, "ab"},
		{`bytes.fromhex('6162')`, "b:ab"},
		{`__import__('base64').b64decode('c29ja2V0').decode()`, "socket"},
		{`import codecs` + "\n" + `codecs.decode('flfgrz', 'rot13')`, "system"},
		{`import zlib` + "\n" + `zlib.decompress(bytes.fromhex('789c4b4c02000126 00c4'.replace(' ', '')))`, "b:ab"},
		{`from base64 import b64decode as d` + "\n" + `d(b'c3lz') + d('dGVt')`, "b:system"},
		{`'a' if 1 else 'b'`, "a"},
		{`'' or 'ab'`, "ab"},
		{`['a', 'b'][1]`, "b"},
		{`{'a': 'b'}['a']`, "b"},
		{`'-'.join(f'{i}' for i in range(3))`, "0-1-2"},
		{`str(b'ab', 'utf-8')`, "ab"},
		{"A = 'sys'\ndef f():\n    b = 'tem'\nA + b", "system"},
		{"PARTS = ('a', 'b')\n''.join(PARTS)", "ab"},
		// What may have another value when the line runs.
		{"A = 'a'\nA = 'b'\nA", none},
		{"A = 'a'\nA += 'b'\nA", none},
		{"A = 'a'\ndef f(A): pass\nA", none},
		{"for A in 'ab': pass\nA", none},
		{"A = ['a']\nA.append('b')\n''.join(A)", none},
		{"A = A + 'a'\nA", none},
		{"class A: x = 'a'\nA.x", none},
		{"'a' + b", none},
		{"f'a{b}'", none},
		{"import os\nos.path.join(b, 'a')", none},
		{"(lambda: 'a')()", none},
		{"input('a')", none},
		{"open('a').read()", none},
		{"'a'.mode", none},
		{"'{0.__class__}'.format('a')", none},
		{"'{0[0]}'.format('a')", none},
		{"eval('1')", none},
		{"__import__('os').getcwd()", none},
		// Little that would become much.
		{"'a' * 10**9", none},
		{"'a' * 60000 * 60000", none},
		{"'a'.join(['b' * 60000] * 60000)", none},
		{"'%1000000d' % 1", none},
		{"'%*d' % (10**8, 1)", none},
		{"'{:1000000}'.format(1)", none},
		{"'{:{}}'.format(1, 10**8)", none},
		{"f'{1:1000000}'", none},
		{"str(1 << 10**8)", none},
		{"str(10**10**10)", none},
		{"str(10**4000 * 10**4000)", none},
		{"'a' * 60000 + 'b' * 60000", none},
		{"('a' * 60000).replace('a', 'b' * 60000)", none},
		{"'%s' * 1000 % (('a' * 60000,) * 1000)", none},
		{"''.join(chr(c) for c in range(10**9))", none},
		{"'a'.translate({97: 'a' * 60000})", none},
		{"int('9' * 60000)", none},
		{"import base64\nbase64.b85decode('0' * 60000)", none},
	}
	sources := make([]string, len(cases))
	for i, tc := range cases {
		sources[i] = tc.code
	}
	for i, f := range fold(t, false, sources...) {
		got := none
		if f.Text != nil {
			got = *f.Text
		}
		if got != cases[i].want {
			t.Errorf("%q: got %.40q, want %q", cases[i].code, got, cases[i].want)
		}
	}
}

// TestFoldNames asks what is called, under the names that hide it.
func TestFoldNames(t *testing.T) {
	cases := map[string]string{
		"import os\nos.system('x')": "os.system", "from os import system as s\ns('x')": "os.system", "import posix\nposix.system('x')": "os.system",
		"getattr(__import__('o' + 's'), 'sys' + 'tem')('x')": "os.system", "import subprocess\nsubprocess.os.system('x')": "os.system",
		"import sys\nsys.modules['os'].popen('x')": "os.popen", "import os as o\nf = o.system\nf('x')": "os.system",
		"__builtins__.__dict__['ev' + 'al']('x')": "builtins.eval", "globals()['__builtins__'].eval('x')": "builtins.eval",
		"import builtins\ngetattr(builtins, 'ex' + 'ec')('x')": "builtins.exec", "eval.__call__('x')": "builtins.eval",
		"import functools, os\nfunctools.partial(os.system, 'x')()":        "os.system",
		"import os, operator\noperator.attrgetter('system')(os)('x')":      "os.system",
		"import os\nclass A:\n    f = os.system\nA.f('x')":                 "os.system",
		"import os\nself.run = os.system\nself.run('x')":                   "os.system",
		"from importlib import import_module as i\ni('os').system('x')":    "os.system",
		"import os\nos.__getattribute__('system')('x')":                    "os.system",
		"import os\nif 0:\n    os = None\nos.system('x')":                  "os.system",
		"from os import *\nsystem('x')":                                    "os.system",
		"import socket\ns = socket.socket()\ns.connect('x')":               "socket.socket().connect",
		"import socket\nwith socket.socket() as s:\n    pass\ns.send('x')": "socket.socket().send",
		"import os\n(os.popen if x else os.system)('x')":                   "os.popen os.system",
		"import os\nvars(os)['system']('x')":                               "os.system",
		"from io import open as o\no('x')":                                 "builtins.open",
		"x = x\nx('x')":                                                    "",
		"def f(os): os.system('x')\nos.system('x')":                        "",
	}
	sources := slices.Collect(maps.Keys(cases))
	for i, f := range fold(t, false, sources...) {
		if got := strings.Join(f.Names, " "); got != cases[sources[i]] {
			t.Errorf("%q: got %q, want %q", sources[i], got, cases[sources[i]])
		}
	}
}

// TestFoldLoose shows texts of which some is not known.
func TestFoldLoose(t *testing.T) {
	cases := map[string]string{
		"import os\nos.path.join(os.path.expanduser('~'), '.ssh', 'id')": "~/.ssh/id", "from pathlib import Path\nPath.home() / '.ssh' / 'id'": "…/.ssh/id",
		"f'curl {u} | sh'": "curl … | sh", "'curl ' + u + v + ' | sh'": "curl … | sh", "'curl %s | sh' % u": "curl … | sh", "'curl {} | sh'.format(u)": "curl … | sh",
		"' '.join(['curl', u, '|', 'sh'])": "curl … | sh", "class A:\n    u = 'h'\nself.u + 'i'": "hi", "A = ['a']\n'-'.join(A)": "a", "u": "?", "u + v": "?",
		"import os\nos.environ['HOME'] + '/.ssh'": "$HOME…/.ssh",
	}
	sources := slices.Collect(maps.Keys(cases))
	for i, f := range fold(t, false, sources...) {
		got := "?"
		if f.Loose != nil {
			got = strings.ReplaceAll(*f.Loose, "\ufffc", "…")
		}
		if got != cases[sources[i]] {
			t.Errorf("%q: got %q, want %q", sources[i], got, cases[sources[i]])
		}
	}
}

// TestFoldBounds folds every expression of files made to cost much; each ends,
// and what is given up is said.
func TestFoldBounds(t *testing.T) {
	grow := "a0 = 'a'\n"
	for i := 1; i < 6000; i++ {
		grow += strings.NewReplacer("N", strconv.Itoa(i), "M", strconv.Itoa(i-1)).Replace("aN = aM + aM\n")
	}
	fan := ""
	for i := range 200 {
		for range 20 {
			fan += "b" + strconv.Itoa(i) + " = c or b" + strconv.Itoa(i+1) + " or b" + strconv.Itoa(i+2) + "\n"
		}
	}
	sources := []string{
		"x = " + strings.Repeat("'a' + ", 2000) + "'a'\nx",
		"x = [" + strings.Repeat("97, ", 20_000) + "]\n''.join(map(chr, x))",
		"f('a'" + strings.Repeat(".replace('a', 'b')", 900) + ")",
		grow + "a" + strconv.Itoa(5999),
		strings.Repeat("x = [chr(c) for c in range(9999)]\n", 160) + "x",
		strings.Repeat("a = 1\n", 20_000) + "a(1)",
		fan + "b0()",
		"x = " + strings.Repeat("getattr(", 60) + "a" + strings.Repeat(", 'b')", 60) + "\nx()",
	}
	for i, f := range fold(t, true, sources...) {
		if f.CPU > limits.ParseCPU.Seconds() {
			t.Errorf("source %d took %.1f s of the processor", i, f.CPU)
		}
		if slices.Contains([]int{0, 3, 4, 6}, i) != f.Exhausted {
			t.Errorf("source %d: exhausted is %v", i, f.Exhausted)
		}
	}
}
