package contribute

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/quarantine"
)

// around is what a program in the trial has without asking anybody.
type around struct {
	tool    string   // its main file
	scratch string   // its own folder
	reads   []string // the interpreter, its library and the packages
}

// observe adds to what was seen of a tool what it did by the events of a record.
// An event that nobody knows is no deed; those that this interpreter can raise and
// that matter are all named here.
func observe(seen []quarantine.Observation, r record, a around, when string) []quarantine.Observation {
	a.reads = append(slices.Clone(a.reads), r.paths...)
	add := func(e event, uses, what string) {
		o := quarantine.Observation{Uses: uses, What: what, When: when}
		switch {
		case e.Source == a.tool:
			o.Line = e.Line
		case a.under(e.Source):
			o.By = e.Source
		}
		// A process that subprocess starts is told by it and by what it calls.
		again := e.Direct == "lib/subprocess.py" && e.Name != "subprocess.Popen"
		if !slices.ContainsFunc(seen, func(s quarantine.Observation) bool {
			return s.Uses == o.Uses && s.By == o.By && (s.What == o.What || again && s.Line == o.Line)
		}) {
			seen = append(seen, o)
		}
	}
	for _, e := range r.events {
		for _, d := range a.deeds(e) {
			add(e, d.uses, d.what)
		}
	}
	return seen
}

type deed struct{ uses, what string }

// deeds are what one event is. A file that is read and written is both.
func (a around) deeds(e event) []deed {
	one := func(uses string, parts ...string) []deed { return []deed{{uses, strings.Join(parts, " ")}} }
	switch family, _, _ := strings.Cut(e.Name, "."); {
	case e.Name == "open":
		return a.opened(e)
	case slices.Contains([]string{"os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.chdir", "os.getxattr", "os.listxattr"}, e.Name):
		return a.file("read", e, 0)
	case slices.Contains([]string{
		"os.mkdir", "os.rmdir", "os.remove", "os.truncate", "os.utime", "os.chmod", "os.chown", "os.chflags", "os.lchmod",
		"os.setxattr", "os.removexattr", "os.lockf", "tempfile.mkdtemp", "tempfile.mkstemp",
	}, e.Name):
		return a.file("write", e, 0)
	case e.Name == "os.rename" || e.Name == "os.link":
		return append(a.file("write", e, 0), a.file("write", e, 1)...)
	case e.Name == "os.symlink": // who makes a way out of the folder will go it
		if slices.Contains(strings.Split(e.arg(0), "/"), "..") {
			return one("read", "by a link to", e.arg(0))
		}
		return append(a.file("read", e, 0), a.file("write", e, 1)...)
	case e.Name == "sqlite3.connect" && e.arg(0) != ":memory:" && e.arg(0) != "":
		return append(a.file("read", e, 0), a.file("write", e, 0)...)
	case e.Name == "sqlite3.load_extension" || e.Name == "sqlite3.enable_load_extension":
		return one("native", e.Name)

	case e.Name == "socket.__new__":
		// Pairs of sockets within the process are of the family 1 on all systems.
		if family := e.arg(1); family != "1" && family != "-1" && family != "0" {
			return one("network", "a socket of the family "+family)
		}
	case e.Name == "socket.gethostname" || e.Name == "socket.getservbyname" || e.Name == "socket.getservbyport":
	case family == "socket":
		return one("network", e.Name, strings.Join(slices.DeleteFunc(slices.Clone(e.Args), func(s string) bool { return s == "<object>" }), " "))
	case slices.Contains([]string{"ftplib", "imaplib", "poplib", "smtplib", "telnetlib", "nntplib", "webbrowser"}, family), e.Name == "urllib.Request", strings.HasPrefix(e.Name, "http.client."):
		return one("network", e.Name, e.arg(0), e.arg(1))

	case e.Name == "subprocess.Popen":
		return one("process", e.arg(1))
	case slices.Contains([]string{
		"os.system", "os.exec", "os.fork", "os.fork1", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.kill", "os.killpg", "pty.spawn",
		"signal.pthread_kill", "patch.fork_exec",
	}, e.Name):
		return one("process", e.Name, e.arg(0))
	case e.Name == "patch.signal" && e.arg(1) == "<object>" && !strings.HasPrefix(e.Direct, "lib/asyncio/"):
		return one("process", "signal.signal", e.arg(0))
	case e.Name == "import" && strings.Contains(path.Base(e.arg(1)), "_posixsubprocess."):
		return one("process", e.arg(1))

	case e.Name == "patch.environ":
		if a.asks(e) {
			return one("environment", e.arg(0))
		}
	case e.Name == "os.putenv" || e.Name == "os.unsetenv":
		if a.own(e) {
			return one("environment", e.Name, e.arg(0))
		}

	case family == "ctypes" && e.Name != "ctypes.set_errno" && e.Name != "ctypes.get_errno":
		return one("native", e.Name, e.arg(0))
	case e.Name == "import" && slices.Contains([]string{"ctypes", "_ctypes", "cffi", "_cffi_backend"}, e.arg(0)):
		return one("native", "import", e.arg(0))
	case e.Name == "fcntl.ioctl":
		return one("native", e.Name)

	case e.Name == "patch.create_builtin":
		if a.own(e) {
			return one("dynamic", "a builtin module is made anew")
		}
	case e.Name == "exec" || e.Name == "compile":
		if !a.generated(e) {
			return one("dynamic", e.Name, e.arg(0))
		}
	case e.Name == "pickle.find_class":
		if a.own(e) {
			return one("dynamic", e.Name, e.arg(0), e.arg(1))
		}
	case slices.Contains([]string{
		"marshal.loads", "marshal.load", "code.__new__", "function.__new__", "sys._getframe", "sys._getframemodulename", "sys._current_frames",
		"sys._current_exceptions", "sys.settrace", "sys.setprofile", "sys.addaudithook", "sys.monitoring.register_callback",
		"gc.get_objects", "gc.get_referrers", "gc.get_referents", "object.__getattr__", "object.__setattr__", "object.__delattr__",
		"builtins.breakpoint", "code.interact", "pdb.Pdb", "sys.remote_exec", "cpython.run_interactivehook",
	}, e.Name):
		if a.own(e) && e.Direct == e.Source {
			return one("dynamic", e.Name, strings.Trim(e.arg(1), "<object>null"))
		}
	case strings.HasPrefix(e.Name, "cpython.PyInterpreterState"), e.Name == "import" && slices.Contains([]string{
		"_interpreters", "_xxsubinterpreters", "_testcapi", "_testinternalcapi", "_testlimitedcapi",
	}, e.arg(0)):
		return one("dynamic", e.Name, e.arg(0), "(another interpreter, which nobody sees into)")
	}
	return nil
}

// own tells whether the tool's own code is at it, or code that nobody knows.
func (a around) own(e event) bool { return e.Source == a.tool || !a.under(e.Source) }

// under tells whether a file belongs to the interpreter or to a package.
func (a around) under(file string) bool {
	return slices.ContainsFunc(a.reads, func(dir string) bool { return below(file, dir) })
}

func below(file, dir string) bool {
	return dir != "" && (file == dir || strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/"))
}

// asks tells whether a reading of the environment is the tool's. What the
// standard library looks at for itself, such as where temporary files go, is not.
func (a around) asks(e event) bool {
	if !a.own(e) {
		return false
	}
	if !strings.HasPrefix(e.Direct, "lib/") {
		return true
	}
	name := strings.ToUpper(e.arg(0))
	if name == "*" { // the proxies are found by going through all names
		return e.Direct != "lib/urllib/request.py"
	}
	for _, of := range []string{"PYTHON", "_PYTHON", "LC_", "SSL_CERT_"} {
		if strings.HasPrefix(name, of) {
			return false
		}
	}
	return !slices.Contains([]string{
		"TMPDIR", "TEMP", "TMP", "HOME", "PATH", "LANG", "LANGUAGE", "TZ", "PYTHONTZPATH", "COLUMNS", "LINES", "TERM", "NO_COLOR", "FORCE_COLOR",
		"HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY", "REQUEST_METHOD", "SOURCE_DATE_EPOCH", "XDG_CACHE_HOME", "SSLKEYLOGFILE",
		"DEB_PYTHON_INSTALL_LAYOUT",
	}, name)
}

// generated tells whether code is made by a module that makes nothing but what
// its caller declared, such as a dataclass, or by the import of a module.
func (a around) generated(e event) bool {
	if e.Source == "" && e.Direct == "" && e.arg(0) == a.tool {
		return true // the recorder runs the tool
	}
	if !a.own(e) {
		return true
	}
	for _, of := range []string{
		"lib/<frozen importlib", "lib/importlib/", "lib/<frozen zipimport", "lib/collections/__init__.py", "lib/dataclasses.py", "lib/typing.py",
		"lib/enum.py", "lib/ast.py", "lib/inspect.py", "lib/annotationlib.py", "lib/functools.py", "lib/gettext.py", "lib/warnings.py",
		"lib/encodings/",
	} {
		if strings.HasPrefix(e.Direct, of) {
			return true
		}
	}
	return false
}

// opened is what it is to open a file. The second argument is the mode of open(),
// or null for os.open, which has the flags of the system alone.
func (a around) opened(e event) []deed {
	mode, flags := e.arg(1), 0
	if mode == "null" {
		mode = ""
		flags, _ = strconv.Atoi(e.arg(2))
	}
	const changes = 1 | 2 | 8 | 64 | 512 | 1024 // write, append, create, truncate, on Linux and macOS
	writes := strings.ContainsAny(mode, "wax+") || flags&changes != 0
	if _, err := strconv.Atoi(e.arg(0)); err == nil {
		return nil // a descriptor that is open already
	}
	if slices.Contains([]string{"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"}, e.arg(0)) {
		return nil
	}
	var out []deed
	if writes {
		out = a.file("write", e, 0)
	}
	if !writes || strings.Contains(mode, "+") || flags&2 != 0 {
		out = append(out, a.file("read", e, 0)...)
	}
	if strings.HasPrefix(e.arg(0), "/proc/") && len(out) > 0 {
		switch path.Base(e.arg(0)) {
		case "environ":
			out = append(out, deed{"environment", e.arg(0)})
		case "mem":
			out = append(out, deed{"native", e.arg(0)})
		}
	}
	return out
}

// file is a deed where the path in an argument lies outside of what the tool has.
// A path that is too long to be whole, or no text, lies nowhere.
func (a around) file(uses string, e event, arg int) []deed {
	name := e.arg(arg)
	if _, err := strconv.Atoi(name); err == nil || name == "null" {
		return nil
	}
	full := name
	if !path.IsAbs(full) {
		if e.Dir == "" && arg == 0 {
			return []deed{{uses, name}}
		}
		full = path.Join(e.Dir, name)
	}
	full = path.Clean(full)
	switch {
	case strings.HasSuffix(name, "…"), strings.HasPrefix(name, "<"), strings.HasPrefix(name, "file:"), strings.ContainsRune(name, 0):
	case below(full, a.scratch):
		return nil
	case uses == "read" && a.under(full):
		return nil
	}
	return []deed{{uses, full}}
}
