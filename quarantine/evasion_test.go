package quarantine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// evasions are ways of reaching something without naming it plainly, each with
// the capabilities that it must show, and a twin that differs in as little as
// possible and shows none.
var evasions = []struct{ code, want, twin string }{
	// Other names for it.
	{"import os as o\no.system('id')", "process", "import os as o\no.getpid()"},
	{"from os import system as harmless\nharmless('id')", "process", "from os import getpid as system\nsystem()"},
	{"import os\nr = os\nr.system('id')", "process", "import os\nr = os\nr.getpid()"},
	{"import os\na, (b, c) = 1, (os, 2)\nb.system('id')", "process", "import os\na, (b, c) = 1, (os, 2)\nb.getpid()"},
	{"import os\na = b = os\nb.system('id')", "process", "import os\na = b = os\nb.getpid()"},
	{"import os\nx = y = None\ndef f():\n    global x\n    x = os\ndef g(): x.system('id')", "process", "import os\nx = y = None\ndef f():\n    global x\n    x = os\ndef g(): x.getpid()"},
	{"def f():\n    m = None\n    def g():\n        nonlocal m\n        import os\n        m = os\n    g()\n    m.system('id')", "process", "def f():\n    m = None\n    def g():\n        nonlocal m\n        import os\n        m = os\n    g()\n    m.getpid()"},
	{"import os\nb = a\na = os\na = b\nb.system('id')", "process", "import os\nb = a\na = os\na = b\nb.getpid()"},
	{"import os\ndef f(m=os): m.system('id')", "process dynamic", "import os\ndef f(m=os.getpid): m()"},
	{"import os\nif (m := os): m.system('id')", "process dynamic", "import os\nif (m := os.getpid): m()"},
	{"import os\n[m.system('id') for m in (os,)]", "process dynamic", "import os\n[m() for m in (os.getpid,)]"},
	{"import os\n(os if 1 else None).system('id')", "process dynamic", "import os\n(os.getpid if 1 else None)()"},
	{"import os\n(None or os).system('id')", "process dynamic", "import os\n(None or os.getpid)()"},
	{"import os\nwith os as m: m.system('id')", "process dynamic", "import os\nwith os.getpid as m: m()"},
	{"import os\ns: 'anything' = os\ns.system('id')", "process", "import os\ns: 'anything' = os\ns.getpid()"},
	{"open = len\nfor open in (): pass\nopen('/etc/passwd')", "read", "def f(open): open('/etc/passwd')"},
	{"class K:\n    from os import system\nK.system('id')", "process", "class K:\n    from os import getpid\nK.getpid()"},
	{"class K:\n    import os\nK.os.system('id')", "dynamic", "class K:\n    from os import getpid as system"},
	{"import os\nclass K: m = os\nK.m.system('id')", "dynamic", "import os\nclass K: m = os.getpid"},
	{"import os\nclass K:\n    def __init__(self): self.m = os\n    def f(self): self.m.system('id')", "dynamic", "import os\nclass K:\n    def __init__(self): self.m = os.sep\n    def f(self): self.m.upper()"},
	{"import os\ndef f():\n    return os\nf().system('id')", "dynamic", "import os\ndef f():\n    return os.sep\nf().upper()"},
	{"import os\nx = [os]\nx[0].system('id')", "dynamic", "import os\nx = [os.sep]\nx[0].upper()"},
	{"import os\nx = dict(m=os)\nx['m'].system('id')", "dynamic", "import os\nx = dict(m=os.sep)\nx['m'].upper()"},
	{"from os import *\nsystem('id')", "process", "from math import *\nsqrt(2)"},
	{"from posix import system\nsystem('id')", "process", "from posixpath import join\njoin('a', 'b')"},
	{"import _socket\n_socket.socket()", "network", "import socket\nsocket.inet_aton('1.2.3.4')"},
	{"import _io\n_io.open('/etc/passwd')", "read", "import _io\n_io.BytesIO(b'')"},
	// Not called, or called by somebody else.
	{"import os, functools\nrun = functools.partial(os.system, 'id')", "process", "import os, functools\nrun = functools.partial(os.getpid)"},
	{"import os\nclass K:\n    __getattr__ = os.system", "process", "import os\nclass K:\n    __getattr__ = os.fspath"},
	{"import os\n@os.system\ndef f(): pass", "process", "import os\n@os.fspath\ndef f(): pass"},
	{"import subprocess\nclass P(subprocess.Popen): pass", "process", "import io\nclass P(io.BytesIO): pass"},
	{"import os\nlist(map(os.system, ['id']))", "process", "import os\nlist(map(os.fspath, ['id']))"},
	{"sorted(['1'], key=eval)", "dynamic", "sorted(['1'], key=len)"},
	{"class M(type):\n    __call__ = exec", "dynamic", "class M(type):\n    __call__ = len"},
	{"import os\nx = {'f': os.system}", "process", "import os\nx = {'f': os.fspath}"},
	{"import os\ndel os.environ['A']", "environment", "del {}['A']"},
	{"import os\nos.environ |= {'A': 'b'}", "environment", "e = {}\ne |= {'A': 'b'}"},
	{"def f(x=open): pass", "read write", "def f(x=print): pass"},
	// Names that are put together.
	{"import os\ngetattr(os, 'sys' + 'tem')('id')", "process", "import os\ngetattr(os, 'get' + 'pid')()"},
	{"import os\ngetattr(os, f\"sy{'st'}em\")('id')", "process", "import os\ngetattr(os, f\"get{'p'}id\")()"},
	{"import os\ngetattr(os, bytes([115, 121, 115, 116, 101, 109]).decode())('id')", "process", "import os\ngetattr(os, bytes([115, 101, 112]).decode())"},
	{"import os\nfor n in ('getpid', 'system'): getattr(os, n)('id')", "process", "import os\nfor n in ('getpid', 'sep'): getattr(os, n)"},
	{"import os\ndef f(n): return getattr(os, n)", "dynamic", "import os\ndef f(n): return getattr(os, 'sep')"},
	{"def f(o, n): return getattr(o, n)", "dynamic", "def f(o, n): return hasattr(o, n)"},
	{"import os\nos.__dict__['system']('id')", "process dynamic", "import os\nos.__doc__[0]"},
	{"import os\nvars(os)['system']('id')", "process dynamic", "def f(o): return vars(o)['x']"},
	{"import os\nos.__getattribute__('system')('id')", "process dynamic", "import os\nos.__name__.upper()"},
	{"import os\nobject.__getattribute__(os, 'system')('id')", "process dynamic", "object.__repr__('system')"},
	{"import os, types\ntypes.ModuleType.__getattribute__(os, 'system')('id')", "process dynamic", "import types\ntypes.ModuleType('a')"},
	{"import os, operator\noperator.attrgetter('system')(os)('id')", "process dynamic", "import operator\noperator.itemgetter('system')({})"},
	{"import operator\ndef f(o, n): return operator.methodcaller(n, 'id')(o)", "dynamic", "import operator\ndef f(o, n): return operator.itemgetter(n)(o)"},
	{"import os\nsetattr(os, 'environ', {})", "environment", "class K: pass\nsetattr(K, 'environ', {})"},
	{"import os, inspect\ninspect.getattr_static(os, 'system')", "dynamic", "import inspect\ninspect.cleandoc('system')"},
	{"import os\nmatch os:\n    case object(system=run): run('id')", "process dynamic", "import os\nmatch os.sep:\n    case str(x): print(x)"},
	{"import os\nmatch [os]:\n    case [m]: m.system('id')", "dynamic", "import os\nmatch [os.sep]:\n    case [m]: m.upper()"},
	// The import itself is hidden.
	{"__import__('o' + 's').system('id')", "process dynamic", "import os\nos.getpid()"},
	{"f = __import__\nf('os').system('id')", "process dynamic", "f = repr\nf('os').upper()"},
	{"list(map(__import__, ['os']))", "dynamic", "list(map(repr, ['os']))"},
	{"__builtins__.__import__('os').system('id')", "process dynamic", "__name__.upper()"},
	{"__builtins__['eval']('1')", "dynamic", "__doc__['eval']"},
	{"globals()['__builtins__']['eval']('1')", "dynamic", "{'eval': 1}['eval']"},
	{"import os\nglobals()['os'].system('id')", "process dynamic", "import os\n{'os': 1}['os']"},
	{"def f():\n    import os\n    locals()['os'].system('id')", "process dynamic", "def f():\n    import os\n    print('os', os.getpid())"},
	{"import importlib\nimportlib.import_module('os').system('id')", "process dynamic", "import os\nos.getpid()"},
	{"from importlib import import_module as i\ndef f(n): return i(n)", "dynamic", "from importlib import metadata as i\ndef f(n): return i.version(n)"},
	{"import sys\nsys.modules['os'].system('id')", "process dynamic", "import sys\nsys.argv[0].upper()"},
	{"import sys\nsys.modules.get('os').system('id')", "process dynamic", "import sys\nsys.argv.index('os')"},
	{"import sys\nsys.path.append('/tmp')", "dynamic", "import sys\nsys.argv.append('/tmp')"},
	{"__loader__.load_module('os')", "dynamic", "__name__.upper()"},
	{"__spec__.loader.load_module('os')", "dynamic", "__file__.upper()"},
	// Modules have modules.
	{"import json\njson.codecs.builtins.open('/etc/passwd')", "read", "import json\njson.decoder.JSONDecoder()"},
	{"import random\nrandom._os.system('id')", "process", "import random\nrandom.random()"},
	{"from random import _os\n_os.system('id')", "process", "from random import random\nrandom()"},
	{"import enum\nenum.bltns.eval('1')", "dynamic", "import enum\nenum.Enum.__members__"},
	{"import json\ndef f(m): return m.codecs.open('/etc/passwd')\nf(json)", "dynamic", "import json\ndef f(m): return m('{}')\nf(json.loads)"},
	{"import logging\nlogging.os.system('id')", "process", "import logging\nlogging.getLogger('a').info('id')"},
	// From an object to everything.
	{"().__class__.__base__.__subclasses__()", "dynamic", "().__class__.__name__"},
	{"[c for c in ().__class__.__mro__[1].__subclasses__()]", "dynamic", "[c for c in ().__class__.__doc__]"},
	{"(lambda: 0).__globals__['x']", "dynamic", "(lambda: 0).__name__"},
	{"print.__self__.eval('1')", "dynamic", "print.__name__.upper()"},
	{"def f(): yield\nf().gi_frame.f_globals", "dynamic", "def f(): yield\nf().send(1)"},
	{"try: 1 / 0\nexcept Exception as e: e.__traceback__.tb_frame.f_back", "dynamic", "try: 1 / 0\nexcept Exception as e: e.__traceback__.tb_lineno"},
	{"getattr(lambda: 0, '__glo' + 'bals__')", "dynamic", "getattr(lambda: 0, '__na' + 'me__')"},
	{"'{0.__globals__}'.format(lambda: 0)", "dynamic", "'{0.real}'.format(1)"},
	{"import string\nstring.Formatter().get_field('0.__globals__', (print,), {})", "dynamic", "import string\nstring.Template('$a').substitute(a=1)"},
	{"match (lambda: 0):\n    case object(__globals__=g): g['x']", "dynamic", "match (lambda: 0):\n    case object(__name__=g): g.upper()"},
	{"import sys\nsys._getframe().f_globals", "dynamic", "import sys\nsys.getsizeof(1)"},
	{"import gc\ngc.get_objects()", "dynamic", "import gc\ngc.collect()"},
	{"import sys\nsys.settrace(print)", "dynamic", "import sys\nsys.intern('a')"},
	// Code in texts.
	{"exec('import socket\\nsocket.socket()')", "network dynamic", "x = 'import socket\\nsocket.socket()'"},
	{"e = eval\ne(\"__import__('os').system('id')\")", "process dynamic", "e = repr\ne(\"__import__('os').system('id')\")"},
	{"f\"{__import__('os').system('id')}\"", "process dynamic", "f\"{len('os')}\""},
	{"def f(x: \"__import__('os').system('id')\"): pass", "process dynamic", "from typing import Literal\ndef f(x: Literal[\"__import__('os')\"]): pass"},
	{"from typing import Optional as Literal\ndef f(x: Literal[\"eval('1')\"]): pass", "dynamic", "from typing import Optional as Literal\ndef f(x: Literal['str']): pass"},
	{"class M:\n    x: 'list[open(0)]'", "read", "class M:\n    x: 'list[int]'"},
	{"import typing\ntyping.get_type_hints(print)", "dynamic", "import typing\ntyping.get_origin(list)"},
	{"import timeit\ntimeit.timeit(\"__import__('os')\")", "dynamic", "import timeit\ntimeit.default_timer()"},
	{"help('modules')", "process dynamic", "print('modules')"},
	{"breakpoint()", "process dynamic", "input()"},
	{"import pickle\nclass K:\n    def __reduce__(self): return (print, ())\npickle.Unpickler", "dynamic", "import pickle\npickle.dumps(1)"},
	{"import marshal\nmarshal.loads(b'')", "dynamic", "import marshal\nmarshal.dumps(1)"},
	{"import types\ntypes.FunctionType", "dynamic", "import types\ntypes.SimpleNamespace()"},
	{"import unittest.mock\nunittest.mock.patch('os.system')", "dynamic", "import unittest.mock\nunittest.mock.Mock()"},
	// Files, programs and the network by other doors.
	{"import io\nio.FileIO('/etc/passwd')", "read", "import io\nio.StringIO('/etc/passwd')"},
	{"import sys\ntype(sys.stdin.buffer.raw)('/etc/passwd')", "read write", "import sys\nsys.stdin.buffer.read()"},
	{"from pathlib import Path\ndef f(p: Path): return p.read_text()", "read", "from pathlib import Path\ndef f(p: Path): return p.name"},
	{"from pathlib import Path\ndef f(p): p.replace('b')", "write", "from pathlib import Path\ndef f(p): p.replace('a', 'b')"},
	{"from pathlib import Path\nopener = (Path('a') / 'b').open\nopener('w')", "read write", "from pathlib import Path\nname = (Path('a') / 'b').name"},
	{"from pathlib import Path\n(Path.home() / 'a').read_bytes()", "read", "from pathlib import Path\n(Path.home() / 'a').name.replace('a', 'b')"},
	{"from pathlib import Path\nPath('a').parent.write_text('')", "write", "from pathlib import Path\nPath('a').parent.name.upper()"},
	{"from unittest import mock\nmock._importer('os')", "dynamic", "from unittest import mock\nmock.Mock()"},
	{"open('a', mode='w')", "write", "print('a', 'w')"},
	{"def f(mode): open('a', mode)", "read write", "def f(mode): print('a', mode)"},
	{"import zipfile\nzipfile.ZipFile('a.zip')", "read", "import io, zipfile\nzipfile.ZipFile(io.BytesIO(b''))"},
	{"import zipfile, io\nz = zipfile.ZipFile(io.BytesIO(b''))\ndef f(z): z.extractall('/')", "write", "import zipfile, io\nz = zipfile.ZipFile(io.BytesIO(b''))\ndef f(z): z.namelist()"},
	{"import argparse\nargparse.ArgumentParser(fromfile_prefix_chars='@')", "read", "import argparse\nargparse.ArgumentParser('@')"},
	{"import logging\nlogging.basicConfig(filename='/tmp/x')", "write", "import logging\nlogging.basicConfig(level=10)"},
	{"import logging.config\nlogging.config.dictConfig({})", "network read write dynamic", "import logging.handlers\nlogging.handlers.QueueHandler(None)"},
	{"license._Printer__filenames = ['/etc/passwd']\nlicense()", "read", "def license(): pass\nexit()"},
	{"import sqlite3\nsqlite3.connect('a.db')", "read write", "import sqlite3\nsqlite3.connect(':memory:')"},
	{"import xml.etree.ElementTree as E\nE.parse('/etc/passwd')", "read", "import xml.etree.ElementTree as E\nE.fromstring('<a/>')"},
	{"import configparser\nc = configparser.ConfigParser()\nc.read('/etc/passwd')", "read", "import configparser\nc = configparser.ConfigParser()\nc.read_string('')"},
	{"import tempfile\ntempfile.mkdtemp()", "write", "import tempfile\ntempfile.TMP_MAX"},
	{"import asyncio\nasyncio.create_subprocess_exec('id')", "process", "import asyncio\nasyncio.create_task(None)"},
	{"import asyncio\ndef f(loop): loop.create_connection(None)", "network", "import asyncio\ndef f(loop): loop.create_task(None)"},
	{"from concurrent.futures import ProcessPoolExecutor", "process", "from concurrent.futures import ThreadPoolExecutor"},
	{"import uuid\nuuid.getnode()", "environment", "import uuid\nuuid.uuid4()"},
	{"import platform\nplatform.node()", "environment", "import platform\nplatform.system()"},
	{"import shutil\nshutil.copy(':memory:', '/tmp/x')", "read write", "import sqlite3\nsqlite3.connect(':memory:')"},
	{"import pathlib\npathlib.PosixPath('/tmp/x').open('w')", "read write", "import pathlib\npathlib.PosixPath('/tmp/x').with_suffix('w')"},
	{"open(':memory:', 'w')", "write", "print(':memory:', 'w')"},
	{"import duckdb\nduckdb.connect(':memory:')", "network read write", "import sqlite3\nsqlite3.connect(':memory:').close()"},
	{"import sqlite3\nrun = sqlite3.connect(':memory:').execute\ndef f(s): run(s)", "read write", "import sqlite3\nrun = sqlite3.connect(':memory:')\ndef f(s): run.execute('SELECT ?', s)"},
	{"import sqlite3\nsqlite3.connect(':memory:').executescript('SELECT 1; ATTACH \"x\" AS y')", "read write", "import sqlite3\nsqlite3.connect(':memory:').executescript('SELECT 1; DROP TABLE y')"},
	{"import sqlite3\nc = sqlite3.connect(':memory:')\ndef f(v): c.execute(f'{v} x')", "read write", "import sqlite3\nc = sqlite3.connect(':memory:')\ndef f(v): c.execute(f'SELECT {v}')"},
	{"import sqlite3\ndef f(c): c.cursor().execute('/**/ATTACH \"x\" AS y')\nf(sqlite3.dbapi2.connect(':memory:'))", "read write", "import sqlite3\ndef f(c): c.cursor().execute('PRAGMA foreign_keys = ON')\nf(sqlite3.connect(':memory:'))"},
	{"import os\ndef f(t): return t.format(x=f)", "dynamic", "import os\ndef f(t): return 'a {x}'.format(x=t)"},
	{"T = input()\ndef f(t): return str.format(T, t)", "dynamic", "T = 'a {}'\ndef f(t): return str.format(T, t)"},
	{"def f(t, x):\n    show = t.format\n    return show(x)", "dynamic", "import logging\nclass F(logging.Formatter):\n    def format(self, record): return super().format(record)"},
	{"import mmap\nmmap.mmap(-1, 1)", "native", "import array\narray.array('b')"},
	{"import ctypes.util", "native", "import struct"},
	{"import webbrowser\nwebbrowser.open('x')", "network process", "import html\nhtml.escape('x')"},
	{"import antigravity", "network process", "import this"},
	{"from typing import TYPE_CHECKING\nTYPE_CHECKING = True\nif TYPE_CHECKING:\n    import smtplib", "network", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import smtplib"},
	{"import typing\ntyping.TYPE_CHECKING = 1\nif typing.TYPE_CHECKING:\n    import smtplib", "network", "import typing\nif typing.TYPE_CHECKING:\n    import smtplib"},
	{"import tkinter\ntkinter.Tcl().eval('exec id')", "network read write process native", "import textwrap\ntextwrap.dedent('exec id')"},
}

// TestEvasion plays them all: what is asked for must be shown, and the twin must
// show nothing. That more is shown than is asked for is the price of not knowing.
func TestEvasion(t *testing.T) {
	var sources []string
	for _, e := range evasions {
		sources = append(sources, e.code, e.twin)
	}
	matches := pythonHas(t, "match")
	facts := ask(t, sources...)
	for i, e := range evasions {
		if strings.Contains(e.code, "match ") && !matches {
			continue
		}
		attack, twin := facts[2*i], facts[2*i+1]
		if attack.Error != nil || twin.Error != nil {
			t.Errorf("%q: %+v, %+v", e.code, attack.Error, twin.Error)
			continue
		}
		got := Infer(&attack, nil)
		for w := range strings.FieldsSeq(e.want) {
			if !got.Has(Capability(w)) {
				t.Errorf("%q shows %v, want %s\n%v", e.code, shown(got), e.want, attack.References)
			}
		}
		if got := Infer(&twin, nil); len(got.Uses)+len(got.Unclassified) > 0 {
			t.Errorf("twin %q shows %v %v, want nothing", e.twin, got.Uses, got.Unclassified)
		}
	}
	if len(evasions) < 60 {
		t.Errorf("%d evasions", len(evasions))
	}
}

// pythonHas tells whether the interpreter of the tests has a statement.
func pythonHas(t *testing.T, statement string) bool {
	t.Helper()
	return ask(t, map[string]string{"match": "match 1:\n    case _: pass\n"}[statement])[0].Error == nil
}

func shown(in Inferred) []Capability {
	var out []Capability
	for _, c := range allCapabilities {
		if in.Has(c) {
			out = append(out, c)
		}
	}
	return out
}

// TestInferTellsTheFirstPlace holds what a finding points at.
func TestInferTellsTheFirstPlace(t *testing.T) {
	f := ask(t, "import os\n\n\ndef g(): os.kill(1, 9)\ndef f(): os.system('id')\n")[0]
	if use := Infer(&f, nil).Uses[CapabilityProcess]; use.Name != "os.kill" || use.Line != 4 {
		t.Errorf("got %+v", use)
	}
	again := ask(t, "import os\n\n\ndef g(): os.kill(1, 9)\ndef f(): os.system('id')\n")[0]
	if !slices.Equal(f.References, again.References) {
		t.Errorf("got %v, then %v", f.References, again.References)
	}
}

// TestReferencesAreBounded feeds it what grows: every answer is cut or an error,
// and none takes long.
func TestReferencesAreBounded(t *testing.T) {
	var many, tangle, deep strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&many, "x.a%d\n", i)
	}
	tangle.WriteString("import os\n")
	for i := range 150 {
		fmt.Fprintf(&tangle, "v%d = os", i)
		for j := range 150 {
			fmt.Fprintf(&tangle, " or v%d", j)
		}
		fmt.Fprintf(&tangle, " or v%d.b%d\n", (i+1)%150, i)
	}
	deep.WriteString("import os\nx = os" + strings.Repeat(".a()", 80) + "\nx.system('id')\n")
	for i, f := range ask(t, many.String(), tangle.String(), deep.String()) {
		s := valid(t)
		s.Facts = &f
		if r := Check(t.Context(), s); r.Passed() {
			t.Errorf("source %d passes: %v", i, ids(r.Findings))
		}
	}
}
