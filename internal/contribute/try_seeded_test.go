package contribute

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

// seeded is a tool that does one thing which it does not declare.
type seeded struct {
	name string
	// body are the first lines of main; top stands before main, so it is done on
	// import.
	body, top string
	uses      string // what must be seen; "" where no record is whole
	twin      string // lines in place of both that do not do it; "" declares it instead
	damaged   bool   // nobody can tell, also where it is declared
}

var seededTools = []seeded{
	{name: "writes a file", body: "open('/var/x', 'w')", uses: "write"},
	{name: "appends", body: "open('/etc/hosts', 'a')", uses: "write", twin: "open('/tmp/hosts', 'a').close()"},
	{name: "reads a file", body: "open('/etc/passwd').read()", uses: "read", twin: "open('/tmp/tool.py').close()"},
	{name: "reads by the system's call", body: "import os\nos.open('/etc/passwd', os.O_RDONLY)", uses: "read"},
	{name: "reads by a path object", body: "import pathlib\npathlib.Path('/etc/passwd').read_text()", uses: "read"},
	{name: "reads by FileIO", body: "import io, pathlib\nio.FileIO(pathlib.Path('/etc/passwd'))", uses: "read"},
	{name: "reads beside the folder", body: "open('../etc/passwd')", uses: "read", twin: "open('tool.py').close()"},
	{name: "reads through a link", body: "import os\nos.symlink('/etc', '/tmp/a')\nopen('/tmp/a/passwd')", uses: "read"},
	{name: "reads through a link of dots", body: "import os\nos.makedirs('/tmp/a/b')\nos.chdir('/tmp/a/b')\nos.symlink('../../etc/passwd', '/tmp/x')\nopen('/tmp/x')", uses: "read"},
	{name: "reads after a change of folder", body: "import os\nos.chdir('/etc')\nopen('passwd')", uses: "read"},
	{name: "lists a folder", body: "import os\nos.listdir('/')", uses: "read", twin: "import os\nos.listdir('/tmp')"},
	{name: "walks a folder", body: "import os\nlist(os.walk('/root'))", uses: "read"},
	{name: "copies a file", body: "import shutil\nshutil.copy('/etc/passwd', '/tmp/x')", uses: "read", twin: "import shutil\nshutil.copy('/tmp/tool.py', '/tmp/x')"},
	{name: "opens a database", body: "import sqlite3\nsqlite3.connect('/var/x.db')", uses: "write", twin: "import sqlite3\nsqlite3.connect(':memory:').close()"},
	{name: "opens a database by URI", body: "import sqlite3\nsqlite3.connect('file:/etc/passwd?mode=ro', uri=True)", uses: "read"},
	{name: "removes a file", body: "import os\nos.remove('/etc/passwd')", uses: "write"},
	{name: "connects", body: "import socket\nsocket.create_connection(('127.0.0.1', PORT), 1)", uses: "network", twin: "import socket\nsocket.socketpair()"},
	{name: "connects without a name", body: "import socket\nsocket.socket().connect_ex(('127.0.0.1', PORT))", uses: "network"},
	{name: "looks up a name", body: "import socket\nsocket.getaddrinfo('localhost', 80)", uses: "network"},
	{name: "looks up a host", body: "import socket\nsocket.gethostbyname('localhost')", uses: "network"},
	{name: "listens", body: "import socket\nsocket.socket().listen()", uses: "network"},
	{name: "sends a datagram", body: "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT))", uses: "network"},
	{name: "asks for a page", body: "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:PORT/', timeout=1)", uses: "network"},
	{name: "starts a process", body: "import subprocess\nsubprocess.run(['/bin/true'])", uses: "process"},
	{name: "starts a process below subprocess", body: "import _posixsubprocess\n_posixsubprocess.fork_exec([b'/bin/true'], [b'/bin/true'])", uses: "process"},
	{name: "starts a shell", body: "import os\nos.system('true')", uses: "process"},
	{name: "starts by posix_spawn", body: "import os\nos.posix_spawn('/bin/true', ['true'], {})", uses: "process"},
	{name: "forks", body: "import os\npid = os.fork()\nif not pid:\n    os._exit(0)\nos.waitpid(pid, 0)", uses: "process"},
	{name: "becomes another program", body: "import os\nos.execv('/bin/true', ['true'])", uses: "process"},
	{name: "starts by multiprocessing", body: "import multiprocessing\nmultiprocessing.get_context('spawn').Process(target=print).start()", uses: "process"},
	{name: "kills itself", body: "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", uses: "process"},
	{name: "reads a variable", body: "import os\nos.environ['SECRET'] if 'SECRET' in os.environ else 0", uses: "environment"},
	{name: "reads a variable by getenv", body: "import os\nos.getenv('SECRET')", uses: "environment", twin: "import tempfile\ntempfile.gettempdir()"},
	{name: "reads bytes of a variable", body: "import os\nos.environb.get(b'SECRET')", uses: "environment"},
	{name: "reads all variables", body: "import os\ndict(os.environ)", uses: "environment"},
	{name: "reads variables below os", body: "import posix\nlist(posix.environ)", uses: "environment"},
	{name: "expands a variable", body: "import os\nos.path.expandvars('$SECRET')", uses: "environment"},
	{name: "reads variables from the kernel", body: "open('/proc/self/environ').read()", uses: "environment"},
	{name: "loads a library", body: "import ctypes\nctypes.CDLL(None).getpid()", uses: "native"},
	{name: "executes a text", body: "exec('1')", uses: "dynamic"},
	{name: "evaluates a text", body: "eval('1')", uses: "dynamic", twin: "import collections\ncollections.namedtuple('A', 'b')"},
	{name: "unpickles", body: "import pickle\npickle.loads(b'cos\\nsystem\\n.')", uses: "dynamic", twin: "import pickle\npickle.loads(pickle.dumps([1]))"},
	{name: "looks at frames", body: "import sys\nsys._getframe().f_back", uses: "dynamic"},
	{name: "acts on import", top: "import os\nos.listdir('/')", uses: "read"},
	{name: "acts in a thread", top: "import threading, time\ndef later():\n    time.sleep(0.2)\n    open('/etc/passwd')\nthreading.Thread(target=later, daemon=True).start()", uses: "read"},
	{name: "acts in a thread without code", body: "import os, _thread, time\n_thread.start_new_thread(os.listdir, ('/',))\ntime.sleep(0.1)", uses: "read"},
	{name: "acts at exit", top: "import atexit, os\natexit.register(os.listdir, '/')", uses: "read"},
	{name: "acts at the end of an object", top: "class End:\n    def __del__(self):\n        open('/etc/passwd')\nEND = End()", uses: "read"},
	{name: "acts at the end of a circle", body: "class End:\n    def __del__(self):\n        open('/etc/passwd')\na = End()\na.a = a\ndel a", uses: "read"},
	{name: "acts on import of a forged name", top: "exec(compile('open(\"/etc/passwd\")', '/usr/lib/python3/os.py', 'exec'))", uses: "dynamic"},
	{name: "adds a hook", top: "import sys\ndef deaf(event, args):\n    raise RuntimeError\nsys.addaudithook(deaf)\ntry:\n    open('/etc/passwd')\nexcept RuntimeError:\n    pass", uses: "dynamic", twin: "import sys\nsys.getrecursionlimit()"},
	{name: "looks for the hook", body: "import gc\n[h.clear() for h in gc.get_objects() if type(h) is list and len(h) == 1 and callable(h[0])]\nopen('/etc/passwd')", uses: "dynamic"},
	{name: "asks for the hook's names", body: "import gc\n[gc.get_referents(h) for h in gc.get_objects() if type(h).__name__ == 'function']", uses: "dynamic"},
	{name: "leaves after it", body: "import os\nos.listdir('/')\nos._exit(0)", uses: "read"},
	{name: "replaces builtins", top: "import builtins\nreal = builtins.open\nbuiltins.len = builtins.type = builtins.str = builtins.repr = builtins.isinstance = lambda *a: ''\nreal('/etc/passwd')", uses: "read"},
	{name: "replaces the system", top: "import posix, sys, _thread\nposix.write = posix._exit = sys._getframe = _thread.get_ident = lambda *a: 0\nopen('/etc/passwd')", uses: "read"},
	{name: "makes a module anew", top: "import sys, importlib\nfor name in ('_posixsubprocess', '_signal'):\n    sys.modules.pop(name, None)\n    __import__(name)", uses: "", twin: "import sys\nsys.modules.get('_signal')"},
	{name: "has an object for a path", body: "class P:\n    def __fspath__(self):\n        return '/etc/passwd'\n    def __str__(self):\n        return '/tmp/x'\n    __repr__ = __str__\nimport io, os\nio.FileIO(P())", uses: "read"},
	{name: "has a text for a path", body: "class S(str):\n    def __str__(self):\n        return '/tmp/x'\n    startswith = lambda *a: False\nopen(S('/etc/passwd'))", uses: "read"},
	{name: "closes all descriptors", body: "import os\nos.closerange(3, 200)\nopen('/etc/passwd')", damaged: true},
	{name: "leads the record away and back", body: "import os\nnull = os.open('/dev/null', os.O_RDWR)\nfor fd in range(3, 20):\n    try:\n        kept = os.dup(fd)\n    except OSError:\n        continue\n    os.dup2(null, fd)\n    try:\n        os.listdir('/')\n    except OSError:\n        pass\n    os.dup2(kept, fd)\n    os.close(kept)", damaged: true},
	{name: "reads the record and writes another", body: "import os\nr, w = os.pipe()\nfor fd in range(3, 20):\n    if fd in (r, w):\n        continue\n    try:\n        kept = os.dup(fd)\n    except OSError:\n        continue\n    os.dup2(w, fd)\n    try:\n        open('/etc/passwd')\n    except OSError:\n        pass\n    os.write(w, b'x')\n    entry = os.read(r, 9999)\n    os.dup2(kept, fd)\n    os.write(kept, entry.replace(b'/etc/passwd', b'/tmp/passwd'))\n    os.close(kept)", damaged: true},
}

// lines puts a seeded tool's lines into the standard one.
func (s seeded) files(port int, top, body, more string) []spec.File {
	text := string(Template("word_count", ""))
	indent := func(lines string) string { return "    " + strings.ReplaceAll(lines, "\n", "\n    ") + "\n" }
	if body != "" {
		i := strings.Index(text, "\ndef main")
		j := i + strings.Index(text[i:], ":\n") + 2
		text = text[:j] + "    try:\n    " + strings.ReplaceAll(indent(body), "\n    ", "\n        ") + "    except OSError:\n        pass\n" + text[j:]
	}
	if top != "" {
		text = strings.Replace(text, "\ndef main", "\ntry:\n"+indent(top)+"except OSError:\n    pass\n\ndef main", 1)
	}
	text = strings.Replace(text, "# ---\n\n", "# "+SmokeKey+": {text: \"two words\"}\n"+more+"# ---\n\n", 1)
	return []spec.File{{Path: "tool.py", Data: []byte(strings.ReplaceAll(text, "PORT", fmt.Sprint(port)))}}
}

// declared are the lines of the manifest that declare a capability.
func declared(files []spec.File, uses string) []spec.File {
	text := string(files[0].Data)
	switch uses {
	case "network":
		text = strings.Replace(text, "network: false", "network: true", 1)
	case "read":
		text = strings.Replace(text, "filesystem: none", "filesystem: read-only", 1)
	case "write":
		text = strings.Replace(text, "filesystem: none", "filesystem: read-write", 1)
	default:
		text = strings.Replace(text, "# ---\n\n", "# "+quarantine.NeedsKey+": ["+uses+"]\n# ---\n\n", 1)
	}
	return []spec.File{{Path: "tool.py", Data: []byte(text)}}
}

// TestSeeded: each tool that does one thing beyond its manifest is found out, and
// its twin, which declares that or does not do it, has no such finding.
func TestSeeded(t *testing.T) {
	w := trying(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	port := listener.Addr().(*net.TCPAddr).Port
	has := func(tried *Tried, uses string) bool {
		for _, f := range tried.Findings {
			if f.ID == "DYN-001" && (uses == "" || strings.Contains(f.Message, map[string]string{
				"network": "network", "read": "tool read", "write": "changed or made", "process": "process", "environment": "environment", "native": "native", "dynamic": "made code",
			}[uses])) {
				return true
			}
		}
		return false
	}
	for _, s := range seededTools {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			files := s.files(port, s.top, s.body, "")
			got, err := w.Try(t.Context(), files)
			if s.damaged {
				if fault.KindOf(err) != fault.Unavailable && (err != nil || !has(got, "")) {
					t.Fatalf("%+v, %v; want no answer", got, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !has(got, s.uses) {
				t.Fatalf("not seen: %v, %v", got.Words(), got.Findings)
			}
			twin := declared(files, s.uses)
			if s.twin != "" {
				twin = s.files(port, "", s.twin, "")
			}
			if got, err = w.Try(t.Context(), twin); err != nil {
				t.Fatalf("twin: %v", err)
			}
			if has(got, s.uses) {
				t.Errorf("twin: %v", got.Findings)
			}
		})
	}
}
