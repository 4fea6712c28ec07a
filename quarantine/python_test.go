package quarantine

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// TestProgram runs the program as floor 4 does, on a file and on its input.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	program, file := filepath.Join(dir, "program.py"), filepath.Join(dir, "tool.py")
	for path, data := range map[string][]byte{program: ProgramSource(), file: []byte(validSource)} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := python(t, bytes.NewReader(nil), program, file)
	if again := python(t, bytes.NewReader([]byte(validSource)), program); !bytes.Equal(out, again) {
		t.Errorf("file gives %s, standard input %s", out, again)
	}
	facts, err := ParseFacts(out)
	if err != nil {
		t.Fatal(err)
	}
	want := validFacts()
	if !slices.EqualFunc(facts.Main, want.Main, func(a, b Main) bool {
		return a.Kind == b.Kind && a.Place == b.Place && slices.Equal(a.Params, b.Params)
	}) {
		t.Errorf("main is %+v, want %+v", facts.Main, want.Main)
	}
	s := valid(t)
	s.Facts = &facts
	s.Release.Tool.Runtime.PythonVersion = strings.Join(strings.SplitN(facts.Python, ".", 3)[:2], ".")
	if r := Check(t.Context(), s); len(r.Findings) > 0 || len(r.Unchecked) > 0 || r.Python != facts.Python {
		t.Errorf("got %v, unchecked %v", r.Findings, r.Unchecked)
	}
}

// TestProgramSurvives feeds it what breaks parsers; every answer is an error.
func TestProgramSurvives(t *testing.T) {
	sources := []string{
		strings.Repeat("(", 100_000), strings.Repeat("-", 200_000) + "1", "x = " + strings.Repeat("lambda: ", 20_000) + "1",
		"a" + strings.Repeat(".b", 100_000), strings.Repeat("[", 90) + strings.Repeat("]", 90)[:10], "x = " + strings.Repeat("9", 100_000),
		"a\x00b", "def main(:\n", "return 1\n", "\x0c\tx = 1\n  y\n", "x = '\\ud800'\nprint(", "break\n", strings.Repeat("x", limits.ToolFile+1),
		"if 1:\n" + strings.Repeat(" ", 100) + "x\n y\n",
	}
	for i, f := range ask(t, sources...) {
		if f.Error == nil {
			t.Errorf("source %d (%.20q…) is said to compile", i, sources[i])
			continue
		}
		s := valid(t)
		s.Facts = &f
		if r := Check(t.Context(), s); r.Passed() {
			t.Errorf("source %d passes with %+v", i, f.Error)
		}
	}
}

// TestImportWork holds every kind of work at import beside a twin that does none.
func TestImportWork(t *testing.T) {
	cases := []struct{ attack, want, honest string }{
		{"print('hi')", "PY-002 error", "'hi'"},
		{"import os\nos.system('id')", "PY-002 error", "import os\nos.system"},
		{"import os as re\nX = re.compile('a')", "PY-002 error", "import re\nX = re.compile('a')"},
		{"import re\nre = evil = 1\nX = re.compile('a')", "PY-002 error", "import re as r\nX = r.compile('a')"},
		{"import re, os\nclass A:\n    re = os\n    x = re.compile('a')", "PY-002 error", "import re\nclass A:\n    x = re.compile('a')"},
		{"X = open('/etc/passwd').read()", "PY-002 error, PY-002 error", "from pathlib import Path\nX = Path('/etc/passwd')"},
		{"X = [eval(s) for s in ['1']]", "PY-002 error", "X = [int(s) for s in ['1']]"},
		{"import os\nX = sorted(['id'], key=os.system)", "PY-002 error", "X = sorted(['id'])"},
		{"import os\nX = (lambda: os.system('id'))()", "PY-002 error", "import os\nX = (lambda: os.system('id'))"},
		{"import os\nX = {}['a'](os)", "PY-002 error", "X = {'a': 1}['a']"},
		{"import os\nos.environ['A'] = 'b'", "PY-002 error", "ENV = {}\nENV['A'] = 'b'"},
		{"import sys\nsys.stdout = None", "PY-002 error", "def f(): pass\nf.x = None"},
		{"import os\ndel os.environ['A']", "PY-002 error", "A = 1\ndel A"},
		{"for i in range(3): pass", "PY-002 error", "X = [i for i in range(3)]"},
		{"while False: pass", "PY-002 error", "if False: pass"},
		{"import threading\nwith threading.Lock(): pass", "PY-002 error", "import threading\nL = threading.Lock()"},
		{"if __name__ != '__main__':\n    print(1)", "PY-002 error", "if __name__ == '__main__':\n    print(1)"},
		{"if __name__ == '__main__':\n    pass\nelse:\n    print(1)", "PY-002 error", "if __name__ == '__main__':\n    print(1)\nelse:\n    pass"},
		{"if len(print('x') or '') or 1: pass", "PY-002 error", "import sys\nif sys.version_info >= (3, 11):\n    import json as j\nelse:\n    j = None"},
		{"try:\n    import json\nexcept ImportError:\n    print(1)", "PY-002 warning", "try:\n    import json\nexcept ImportError:\n    raise RuntimeError('no json') from None"},
		{"raise SystemExit", "PY-002 error", "try:\n    import json\nexcept ImportError:\n    raise"},
		{"import antigravity", "PY-002 error", "import turtle"},
		{"import atexit\n@atexit.register\ndef f(): pass", "PY-002 error", "import functools\n@functools.lru_cache(maxsize=None)\ndef f(): pass"},
		{"@print\ndef f(): pass", "PY-002 error", "class A:\n    @property\n    def f(self): pass\n    @f.setter\n    def f(self, v): pass"},
		{"from pack import tool\n@tool\ndef f(): pass", "DEP-004 warning, PY-002 warning", "from contextlib import contextmanager\n@contextmanager\ndef f(): yield"},
		{"def f(x=print(1)): pass", "PY-002 error", "def f(x=len('a')): pass"},
		{"def f(x: print(1)): pass", "PY-002 error", "from __future__ import annotations\ndef f(x: print(1)): pass"},
		{"class A:\n    print(1)", "PY-002 error", "class A:\n    def f(self): print(1)"},
		{"class A:\n    x = print(1)", "PY-002 error", "class A:\n    x = len('a')"},
		{"from pack import Field\nclass A:\n    x = Field(1)", "DEP-004 warning, PY-002 warning", "from dataclasses import dataclass, field\n@dataclass\nclass A:\n    x: list = field(default_factory=list)"},
		{"class M(type): pass\nclass A(metaclass=M): pass", "PY-002 error", "import abc\nclass A(metaclass=abc.ABCMeta): pass"},
		{"class A:\n    def __init_subclass__(cls): print(1)", "PY-002 error", "class A:\n    def __init__(self): print(1)"},
		{"class A:\n    def __init__(self): print(1)\nX = A()", "PY-002 error", "from typing import NamedTuple\nclass A(NamedTuple):\n    x: int\nX = A(1)"},
		{
			"from dataclasses import dataclass, field\nimport os\n@dataclass\nclass A:\n    x: str = field(default_factory=os.getcwd)\nX = A()", "PY-002 error",
			"from dataclasses import dataclass\n@dataclass(frozen=True)\nclass A:\n    x: str = ''\nX = A()",
		},
		{
			"from typing import NamedTuple\nclass A(NamedTuple):\n    x: int\n    @property\n    def y(self): print(1)\nX = A(1)\nY = X.y", "PY-002 error",
			"from enum import Enum\nclass A(Enum):\n    X = 1\nY = A.X.value",
		},
		{"def load(): return 1\nX = load()", "PY-002 error", "def load(): return 1\nX = load"},
		{"from os import *\nX = len('a')\nY = system('id')", "PY-002 error, PY-002 error, PY-002 error", "X = len('a')"},
		{"(lambda: 0).__globals__.update(a=1)", "PY-002 error", "X = 'a b'.split()"},
		{"X = f'{print(1)}'", "PY-002 error", "Y = 1\nX = f'{Y:>3} {len(\"a\")}'"},
		{"async def f(): pass\nX = f()", "PY-002 error", "async def f(): pass"},
		{"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    print(1)", "PY-002 error", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy"},
		// Ways around the rule: what looks like a harmless call and is not.
		{"import os\nclass A(dict):\n    def items(self): os.system('id')\nX = A()\nY = X.items()", "PY-002 error", "X = {'a': 1}\nY = X.items()"},
		{"import os\nclass A(dict):\n    __missing__ = os.system\nX = A()\nY = X['id']", "PY-002 error", "class A(dict):\n    missing = 1\nX = A()\nY = X"},
		{"import os\nclass A: pass\nA = os.system\nX = A('id')", "PY-002 error", "class A: pass\nX = A()"},
		{"import os\nclass A:\n    def resolve(self): os.system('id')\nX = A().resolve()", "PY-002 error", "from pathlib import Path\nX = Path(__file__).resolve().parent"},
		{"import os\nclass A:\n    y = property(lambda s: os.system('id'))\nX = A()\nZ = X.y", "PY-002 error", "class A:\n    y = 1\nX = A()\nZ = X.y"},
		{"import os\nclass A:\n    @property\n    def y(self): os.system('id')\nX = '{0.y}'.format(A())", "PY-002 error", "X = '{0:>3}'.format(1)"},
		{"import os\nclass A:\n    __init_subclass__ = classmethod(lambda c: os.system('id'))\nclass B(A): pass", "PY-002 error", "class A:\n    pass\nclass B(A): pass"},
		{"import os\nfrom enum import Enum\nclass A(Enum):\n    X = 1\n    def __init__(self, v): os.system('id')", "PY-002 error", "from enum import Enum\nclass A(Enum):\n    X = 1\n    def label(self): return 'x'"},
		{"import os, enum\nclass A(enum.Enum):\n    def _generate_next_value_(*a): os.system('id')\n    X = enum.auto()", "PY-002 error", "import enum\nclass A(enum.Enum):\n    X = enum.auto()\nY = A.X"},
		{"import os\nfrom enum import Enum\nclass A(Enum):\n    X = 1\n    @classmethod\n    def _missing_(cls, v): os.system('id')\nY = A(9)", "PY-002 error", "from enum import Enum\nclass A(Enum):\n    X = 1\nY = A(1)"},
		{"import abc, os\nclass A(abc.ABC):\n    @classmethod\n    def __subclasshook__(cls, c): os.system('id')\nX = isinstance(1, A)", "PY-002 error", "import abc\nclass A(abc.ABC): pass\nX = isinstance(1, A)"},
		{"import os\ne = os.environ\ne['PATH'] = '/evil'", "PY-002 error", "e = dict(a=1)\ne['PATH'] = '/fine'"},
		{"import os\nclass K:\n    e = os.environ\nK.e['PATH'] = '/evil'", "PY-002 error, PY-002 error", "class K: pass\nK.e = 1"},
		{"import os\nfrom collections import defaultdict\nX = defaultdict(os.getcwd)\nY = X['a']", "PY-002 error", "from collections import defaultdict\nX = defaultdict(list)\nY = X['a']"},
		{"import os\ndef deco(f):\n    os.system('id')\n    return f\n@deco\ndef f(): pass", "PY-002 error", "import functools\ndef deco(f):\n    @functools.wraps(f)\n    def inner(*a): return f(*a)\n    return inner\n@deco\ndef f(): pass"},
		{
			"import os\ndef retry(n):\n    def deco(f):\n        os.system('id')\n        return f\n    return deco\n@retry(3)\ndef f(): pass", "PY-002 error",
			"def retry(n):\n    def deco(f):\n        def inner(*a):\n            for i in range(n): f(*a)\n        return inner\n    return deco\n@retry(3)\ndef f(): pass",
		},
		{"import os\ndef deco(f): return f\ndeco = os.system\n@deco\ndef f(): pass", "PY-002 error", "def deco(f): return f\n@deco\ndef f(): pass"},
		// What only asks, and what only says that a module is missing, is a warning.
		{"import os\nX = os.environ.pop('A')", "PY-002 error", ""},
		{"import os\nX = os.getenv('A', 'b').lower()", "PY-002 warning", ""},
		{"import os\nos.getenv('A')", "PY-002 error", ""},
		{"import subprocess as os\nX = os.getenv('A')", "PY-002 error", ""},
		{"import os\nclass E(str):\n    def lower(self): os.system('id')\nX = os.getenv('A', E()).lower()", "PY-002 error, PY-002 warning", ""},
		{"from pathlib import Path\nX = Path.home() / 'a'", "PY-002 warning", ""},
		{"try:\n    import json\nexcept ImportError:\n    print('no json')", "PY-002 warning", "try:\n    import json\nexcept ImportError:\n    sys.exit(1)"},
		{"try:\n    import json\nexcept ImportError as e:\n    print(f'no json: {e}', file=sys.stderr)\n    sys.exit(1)", "PY-002 warning", ""},
		{"import warnings\ntry:\n    import json\nexcept (ImportError, ModuleNotFoundError):\n    warnings.warn('no json', stacklevel=2)", "PY-002 warning", ""},
		{"import logging\nlog = logging.getLogger('a')\ntry:\n    import json\nexcept ImportError:\n    log.warning('no json')", "PY-002 warning", ""},
		{"import os\ntry:\n    import json\nexcept ImportError:\n    print(os.popen('id'))", "PY-002 error, PY-002 warning", ""},
		{"import os\ntry:\n    import json\nexcept ImportError:\n    os.system('id')", "PY-002 error", ""},
		{"try:\n    import json\nexcept Exception:\n    print('a')", "PY-002 error", ""},
		{"try:\n    import json\n    X = 1\nexcept ImportError:\n    print('a')", "PY-002 error", ""},
		{"try:\n    import json\nfinally:\n    print('a')", "PY-002 error", ""},
		{"try:\n    import json\nexcept ImportError:\n    print('a', file=open('x', 'w'))", "PY-002 error, PY-002 error", ""},
		{"class ImportError(Exception): pass\ntry:\n    import json\nexcept ImportError:\n    print('a')", "PY-002 error", ""},
		{"import os\nprint = os.system\ntry:\n    import json\nexcept ImportError:\n    print('a')", "PY-002 error", ""},
		{"import os, logging\nlog = logging.getLogger('a')\nlog = os\ntry:\n    import json\nexcept ImportError:\n    log.error('a')", "PY-002 error", ""},
		{"import sys as s\ntry:\n    import json\nexcept ImportError:\n    s.exit(s.stdout.write('a'))", "PY-002 error", ""},
		{"import logging\nlogging.basicConfig()", "PY-002 error", "import logging\nlog = logging.getLogger(__name__)"},
	}
	var sources []string
	for _, tc := range cases {
		for _, code := range []string{tc.attack, tc.honest} {
			future := ""
			if rest, ok := strings.CutPrefix(code, "from __future__ import annotations\n"); ok {
				code, future = rest, "from __future__ import annotations\n"
			}
			sources = append(sources, future+validSource[:strings.Index(validSource, "import json")]+"import json, sys, re as _re\nWORD = _re.compile('x')\n"+code+
				validSource[strings.Index(validSource, "\n\ndef main"):])
		}
	}
	for i, f := range ask(t, sources...) {
		tc := cases[i/2]
		code, want := tc.attack, tc.want
		if i%2 == 1 {
			code, want = tc.honest, ""
		}
		s := valid(t)
		f.References = nil // what is named is a matter of TestEvasion
		s.Facts = &f
		// What such work reaches is the matter of other rules, with tables of their own.
		findings := slices.DeleteFunc(Check(t.Context(), s).Findings, func(f spec.Finding) bool {
			return f.ID == importReach.ID || f.ID == gadget.ID
		})
		if got := ids(findings); sorted(got) != sorted(want) {
			t.Errorf("%q: got %q, want %q (%+v %+v)", code, got, want, f.Error, f.Effects)
		}
	}
}

func sorted(ids string) string {
	parts := strings.Split(ids, ", ")
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func TestBytes(t *testing.T) {
	const body = "\nimport json\n"
	runTwins(t, []twin{
		{"NUL", source(body, "\n# \x00"+body), "GOV-003 error, PY-001 error, TXT-001 error", nil},
		{"form feed", source(body, "\n\x0c"+body), "PY-001 error, TXT-001 error", nil},
		{"byte order mark", source("# ---\n# name", "\ufeff# ---\n# name"), "PY-001 error, TXT-001 warning", nil},
		{"carriage return alone", source(body, "\n# x\rimport os"+body), "PY-001 error, TXT-001 error", source(body, "\n# x\r\nimport os"+body)},
		{"utf-7 cookie", source("# ---\n# name", "# -*- coding: utf-7 -*-\n# ---\n# name"), "PY-001 error", source("# ---\n# name", "# -*- coding: UTF-8 -*-\n# ---\n# name")},
		{
			"latin cookie on line two", source("# ---\n# name", "#!/usr/bin/env python3\n# vim: set fileencoding=latin-1 :\n# ---\n# name"), "PY-001 error",
			source("# ---\n# name", "#!/usr/bin/env python3\n# vim: set fileencoding=utf_8 :\n# ---\n# name"),
		},
		{"cookie on line three", source("# ---\n# name", "# coding: cp1252\n\n\n# ---\n# name"), "PY-001 error", source("# ---\n# name", "\n\n# coding: cp1252\n# ---\n# name")},
	})
}

func TestCannotTell(t *testing.T) {
	runTwins(t, []twin{
		{"no interpreter", func(s *Subject) { s.Facts, s.FactsErr = nil, errors.New("no python") }, "PY-000 error", nil},
		{"facts beside an error", func(s *Subject) { s.FactsErr = errors.New("late") }, "PY-000 error", nil},
		{"nobody asked", func(s *Subject) { s.Facts = nil }, "PY-000 error", nil},
		{"zero facts", func(s *Subject) { s.Facts = &Facts{} }, "PY-000 error", nil},
		{"cut lists", func(s *Subject) { s.Facts.Truncated = true }, "PY-000 error", nil},
		{"program failed", func(s *Subject) {
			s.Facts = &Facts{Schema: FactsSchema, Python: "3.9.1", Error: &ParseError{Kind: "internal"}}
		}, "PY-000 error", nil},
		{"does not parse", func(s *Subject) {
			s.Facts = &Facts{Schema: FactsSchema, Python: "3.9.1", Error: &ParseError{Kind: "syntax", Place: Place{3, 4}}}
		}, "PY-001 error", nil},
	})
	s := valid(t)
	s.Facts.Python = "3.90.1"
	if r := Check(t.Context(), s); len(r.Unchecked) != 1 || !r.Passed() {
		t.Errorf("another minor version: unchecked is %q", r.Unchecked)
	}
}

func TestIdentifiers(t *testing.T) {
	odd := func(text string) string {
		return strings.Replace(validSource, "    words =", "    "+text+" = 1\n    words =", 1)
	}
	for i, f := range ask(t, odd("ｅｘｅｃ"), odd("𝓮𝓿𝓪𝓵"), odd("pаth"), odd("größe"), odd("groesse"),
		odd("hint = '# größe'; ｅｘｅｃ"), odd("hint = f'#ö'; ｅｘｅｃ"), odd("hint = ('ö' # ö\n 'ö'); ｅｘｅｃ"), odd("hint = 'größe' # ｅｘｅｃ\n    groesse")) {
		s := valid(t)
		s.Facts = &f
		want := []string{"PY-008 error", "PY-008 error", "PY-008 error", "PY-008 warning", "", "PY-008 error", "PY-008 error", "PY-008 error", ""}[i]
		if got := ids(Check(t.Context(), s).Findings); got != want {
			t.Errorf("source %d: got %q, want %q", i, got, want)
		}
	}
}

type fakeParser func([]byte) (Facts, error)

func (p fakeParser) Facts(_ context.Context, source []byte) (Facts, error) { return p(source) }

func TestInspect(t *testing.T) {
	var asked []byte
	p := fakeParser(func(source []byte) (Facts, error) { asked = source; return *validFacts(), nil })
	s := valid(t)
	if f, err := Inspect(t.Context(), p, s.Release); err != nil || f == nil || string(asked) != validSource {
		t.Errorf("got %v, %v", f, err)
	}
	down := fakeParser(func([]byte) (Facts, error) { return *validFacts(), errors.New("no python") })
	if f, err := Inspect(t.Context(), down, s.Release); err == nil || f != nil {
		t.Errorf("a parser that fails: got %v, %v", f, err)
	}
	asked = nil
	s.Release.Files[0].Data = bytes.Repeat([]byte("#"), limits.ToolFile+1)
	if f, err := Inspect(t.Context(), p, s.Release); fault.KindOf(err) != fault.Unavailable || f != nil || asked != nil {
		t.Errorf("a huge source: got %v, %v", f, err)
	}
	s.Release.Files = nil
	if _, err := Inspect(t.Context(), p, s.Release); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("no source: got %v", err)
	}
	s.Release.Tool.Format = spec.FormatSkill
	if f, err := Inspect(t.Context(), p, s.Release); err != nil || f != nil || asked != nil {
		t.Errorf("another format: got %v, %v", f, err)
	}
}

func TestParseFactsRefuses(t *testing.T) {
	whole := func() *Facts {
		f := validFacts()
		f.Statements, f.Imports, f.Main[0].Params[0].Place = []Statement{}, []Import{}, Place{1, 1}
		f.Effects, f.Identifiers = []Effect{}, []Identifier{}
		return f
	}
	good := ledger.Encode(whole())
	if _, err := ParseFacts(good); err != nil {
		t.Fatalf("the twin of all attacks is refused: %v", err)
	}
	change := func(f func(*Facts)) []byte {
		w := whole()
		f(w)
		return ledger.Encode(w)
	}
	for name, data := range map[string][]byte{
		"empty": nil, "not JSON": []byte("Traceback"), "cut": good[:len(good)-2], "two lines": append(slices.Clone(good), good...),
		"no line end":     good[:len(good)-1],
		"unknown member":  bytes.Replace(good, []byte(`"schema"`), []byte(`"extra":1,"schema"`), 1),
		"member twice":    bytes.Replace(good, []byte(`"truncated":false`), []byte(`"truncated":true,"truncated":false`), 1),
		"other case":      bytes.Replace(good, []byte(`"truncated"`), []byte(`"Truncated"`), 1),
		"null list":       bytes.Replace(good, []byte(`"effects":[]`), []byte(`"effects": []`), 1),
		"other schema":    change(func(f *Facts) { f.Schema = FactsSchema + 1 }),
		"other python":    change(func(f *Facts) { f.Python = "2.7.18" }),
		"unknown word":    change(func(f *Facts) { f.Main[0].Kind = "fun" }),
		"line 0":          change(func(f *Facts) { f.Main[0].Line = 0 }),
		"huge column":     change(func(f *Facts) { f.Main[0].Col = 1 << 30 }),
		"long text":       change(func(f *Facts) { f.Main[0].Params[0].Name = strings.Repeat("x", maxFactText+1) }),
		"default no JSON": change(func(f *Facts) { f.Main[0].Params[1].Default = "{" }),
		"default of none": change(func(f *Facts) { f.Main[0].Params[0].Default = "1" }),
		"error and facts": change(func(f *Facts) { f.Error = &ParseError{Kind: "syntax", Place: Place{1, 1}} }),
		"many":            change(func(f *Facts) { f.Identifiers = slices.Repeat([]Identifier{{Place: Place{1, 1}}}, maxFacts+1) }),
		"many bytes":      append(bytes.Repeat([]byte(" "), maxFactsBytes), good...),
		"level":           change(func(f *Facts) { f.Imports = []Import{{Level: -1, Place: Place{1, 1}}} }),
		"effect word":     change(func(f *Facts) { f.Effects = []Effect{{Kind: "call", Where: "moon", Origin: "own", Place: Place{1, 1}}} }),
	} {
		if f, err := ParseFacts(data); fault.KindOf(err) != fault.Unavailable || f.Schema != 0 {
			t.Errorf("%s: got %+v, %v", name, f, err)
		}
	}
}

func FuzzParseFacts(f *testing.F) {
	f.Add(ledger.Encode(Facts{Schema: FactsSchema, Python: "3.12.1", Statements: []Statement{}, Main: []Main{}, Imports: []Import{}, Effects: []Effect{}, Identifiers: []Identifier{}, References: []Reference{}, Literals: []Literal{}, Threats: []Threat{}}))
	f.Add(ledger.Encode(validFacts()))
	named := validFacts()
	named.References = []Reference{
		{"os.environ.get", "call", "", Place{1, 1}},
		{"os.?", "computed", "", Place{2, 1}},
		{"?", "computed", "", Place{3, 1}},
		{"?.open", "call", "w", Place{4, 1}},
		{"json.codecs.builtins.open", "value", "", Place{5, 1}},
		{"os", "star", "", Place{6, 1}},
		{"no_such.thing", "import", "", Place{7, 1}},
		{".", "value", "", Place{8, 1}},
	}
	f.Add(ledger.Encode(named))
	f.Add([]byte(`{"schema":2,"python":"3.9.1","error":{"kind":"syntax","message":"x","line":1,"col":1},"statements":[],"main":[],"imports":[],"effects":[],"identifiers":[],"references":[],"literals":[],"threats":[],"truncated":false}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		facts, err := ParseFacts(data)
		if err != nil {
			return
		}
		if !bytes.Equal(ledger.Encode(facts), data) {
			t.Fatalf("%q is read but is not canonical", data)
		}
		s := valid(t)
		s.Facts = &facts
		for _, finding := range Check(t.Context(), s).Findings {
			if strings.ContainsFunc(finding.String(), func(r rune) bool { return r < 0x20 || r > 0x7E }) {
				t.Fatalf("a finding holds foreign text: %q", finding.String())
			}
		}
	})
}
