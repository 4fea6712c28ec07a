package quarantine

import (
	"slices"
	"strings"
	"testing"
)

// evasionClasses are the thirty ways around names that the published set of probes
// has, each in words of our own: what it is, code, the capabilities that it must
// show, and a twin that shows none.
var evasionClasses = []struct{ class, code, want, twin string }{
	{"a package of HTTP", "import requests\nrequests.put('https://host.invalid')", "network", "import requests\nrequests.Timeout('https://host.invalid')"},
	{"a submodule by another name", "from urllib import request as text\ntext.urlopen('https://host.invalid')", "network", "from urllib import parse as text\ntext.urlsplit('https://host.invalid')"},
	{"an import that is called", "m = __import__('socket')\nm.create_server(('', 1))", "network", "import socket as m\nm.inet_aton('127.0.0.1')"},
	{"an import of parts", "import importlib as i\ni.import_module('-'.join(['so', 'cket']).replace('-', '')).socket()", "network", "print('-'.join(['so', 'cket']).replace('-', ''))"},
	{"an import of base64", "import base64 as b\n__import__(b.b64decode(b'c29ja2V0').decode()).socket()", "network", "import base64 as b\nprint(b.b64decode(b'c29ja2V0').decode())"},
	{"an import backwards", "__import__('nohtyp_tekcos'[:6:-1]).socket()", "network", "print('nohtyp_tekcos'[:6:-1])"},
	{"an import out of globals", "globals()['__builtins__']['__import__']('socket').socket()", "network dynamic", "{'__import__': 1}['__import__']"},
	{"an import out of builtins", "import builtins as b\ngetattr(b, '__im' + 'port__')('socket').socket()", "network dynamic", "import builtins as b\ngetattr(b, 'le' + 'n')('socket')"},
	{"an evaluation out of builtins", "getattr(__builtins__, 'e' + 'val')('1')", "dynamic", "getattr(__builtins__, 'a' + 'bs')(1)"},
	{"the globals of a function", "def g(): pass\ng.__globals__['x']", "dynamic", "def g(): pass\ng.__name__[0]"},
	{"an attribute that is worked out", "import os\ndef f(n): return getattr(os, n.lower())()", "dynamic", "import os\ndef f(n): return getattr(n, 'lower')()"},
	{"an attribute by its method", "import os\nos.__getattribute__('popen')('id')", "process dynamic", "import os\nos.__name__.index('popen')"},
	{"a program by another module", "import pty as terminal\nterminal.spawn(['id'])", "process", "terminal = [['id']]\nterminal.reverse()"},
	{"a second process", "from multiprocessing import Process as Thread\nThread(target=print).start()", "process", "from threading import Thread as Process\nProcess(target=print).start()"},
	{"a property", "import os\nclass K:\n    size = property(os.popen)", "process", "import os\nclass K:\n    size = property(os.fspath)"},
	{"a partial function", "import os, functools\nlater = functools.partial(os.execv, 'id')", "process", "import os, functools\nlater = functools.partial(os.fspath, 'id')"},
	{"a foreign library", "from ctypes import CDLL as Text\nText('libm.so.6')", "native", "from io import StringIO as Text\nText('libm.so.6')"},
	{"a file by its path", "from pathlib import PosixPath as P\nP('/etc/hosts').read_bytes()", "read", "from pathlib import PosixPath as P\nP('/etc/hosts').as_posix()"},
	{"files that are lines", "import fileinput as lines\nlist(lines.input(['/etc/hosts']))", "read", "lines = {'input': '/etc/hosts'}\nlist(lines)"},
	{"a log", "import logging as log\nlog.FileHandler('/tmp/x')", "write", "import logging as log\nlog.StreamHandler()"},
	{"a file of the kernel", "open('/proc/self/' + 'environ').read()", "read", "print('/proc/self/' + 'environ')"},
	{"a variable", "import os\nos.getenv('HOME')", "environment", "import os\nos.fspath('HOME')"},
	{"all variables", "import os\nlist(os.environ)", "environment", "import os\nlist(os.sep)"},
	{"an object that is code", "import pickle as p\np.loads(b'')", "dynamic", "import pickle as p\np.dumps(b'')"},
	{"code without source", "import marshal, types\ntypes.FunctionType(marshal.loads(b''), {})()", "dynamic", "import marshal, types\ntypes.SimpleNamespace(code=marshal.dumps(1))"},
	{"a file that is run", "from runpy import run_module\nrun_module('json.tool')", "dynamic", "def run_module(name): return name\nrun_module('json.tool')"},
	{"a console", "import code\ncode.InteractiveConsole().push('1')", "dynamic", "code = ['InteractiveConsole']\ncode.append('1')"},
	{"a page by import", "import antigravity as joke", "network process", "import string as joke"},
	{"mail", "from smtplib import SMTP_SSL as Post\nPost('host.invalid')", "network", "from email.message import EmailMessage as Post\nPost().set_content('host.invalid')"},
	{"a table by its address", "import pandas\npandas.read_json('https://host.invalid/a')", "network", "import pandas\npandas.DataFrame(['https://host.invalid/a'])"},
}

// TestEvasionClasses: all thirty, none of them a twin.
func TestEvasionClasses(t *testing.T) {
	var sources []string
	for _, e := range evasionClasses {
		sources = append(sources, e.code, e.twin)
	}
	facts := ask(t, sources...)
	for i, e := range evasionClasses {
		attack, twin := Infer(&facts[2*i], nil), Infer(&facts[2*i+1], nil)
		for w := range strings.FieldsSeq(e.want) {
			if !attack.Has(Capability(w)) {
				t.Errorf("%s: shows %v, want %s", e.class, shown(attack), e.want)
			}
		}
		if len(twin.Uses)+len(twin.Unclassified) > 0 || facts[2*i+1].Error != nil {
			t.Errorf("%s: the twin shows %v %v", e.class, twin.Uses, twin.Unclassified)
		}
	}
	if n := len(slices.Compact(sources)); len(evasionClasses) != 30 || n != 60 {
		t.Errorf("%d classes, %d sources", len(evasionClasses), n)
	}
}
