package quarantine

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestStdlibTable holds our own text to its grammar, which the reader does not
// check: a word that is no capability, or a line that nobody reads, would let
// something through.
func TestStdlibTable(t *testing.T) {
	words := func(n int, text string, mixed bool) {
		if mixed {
			text = strings.TrimPrefix(text, "mixed ")
		}
		for w := range strings.FieldsSeq(text) {
			if w != "nothing" && !slices.Contains(allCapabilities, Capability(w)) {
				t.Errorf("line %d: the word %q", n, w)
			}
		}
		if text == "" || strings.Contains(text, "nothing ") || strings.Contains(text, " nothing") {
			t.Errorf("line %d: the words %q", n, text)
		}
	}
	blocks, line := map[string]int{}, 0
	for text := range strings.Lines(stdlibText) {
		line++
		text = strings.TrimRight(text, "\n")
		switch {
		case text == "" || text[0] == '#':
		case strings.HasPrefix(text, "same "):
			_, target, _ := strings.Cut(text, " = ")
			if top, _, _ := strings.Cut(target, "."); !stdlib().knows(top) {
				t.Errorf("line %d: %s is not there", line, target)
			}
		case strings.HasPrefix(text, "methods "):
			if name := text[len("methods "):]; stdlib().modules[name].worst == nil {
				t.Errorf("line %d: %q has no block, or can do nothing", line, name)
			}
		case text[0] == ' ':
			list, names, ok := strings.Cut(strings.TrimSpace(text), " = ")
			if words(line, list, false); !ok || names == "" {
				t.Errorf("line %d: %q", line, text)
			}
		default:
			names, list, ok := strings.Cut(text, ": ")
			if words(line, list, true); !ok {
				t.Errorf("line %d: %q", line, text)
			}
			for name := range strings.FieldsSeq(names) {
				if before := blocks[name]; before > 0 && len(stdlib().modules[name].worst) > 0 {
					t.Errorf("line %d: %s stands in line %d, too", line, name, before)
				}
				blocks[name] = line
			}
		}
	}
	for name, can := range stdlib().attributes {
		mod, _ := stdlib().home(name)
		for _, c := range can {
			// What is dynamic can do all of it.
			if m := stdlib().modules[mod]; m.mixed && !slices.Contains(m.worst, c) && !slices.Contains(m.worst, CapabilityDynamic) {
				t.Errorf("%s has %s, which its module %s has not: the worst of it is not its worst", name, c, mod)
			}
		}
	}
}

// TestStdlibIsWhole asks every interpreter of this machine which modules it has.
func TestStdlibIsWhole(t *testing.T) {
	const names = "import sys; print('\\n'.join(getattr(sys, 'stdlib_module_names', sys.builtin_module_names)))"
	asked := map[string]bool{}
	home, _ := os.UserHomeDir()
	found, _ := filepath.Glob(filepath.Join(home, ".pyenv", "versions", "*", "bin", "python3"))
	for _, path := range append(found, "python3", "python3.14") {
		path, err := exec.LookPath(path)
		if err != nil || asked[path] {
			continue
		}
		asked[path] = true
		out, err := exec.CommandContext(t.Context(), path, "-I", "-S", "-c", names).Output()
		if err != nil {
			continue // a shim, or too old
		}
		for name := range bytes.Lines(out) {
			if name := strings.TrimSpace(string(name)); !stdlib().knows(name) && !strings.HasPrefix(name, "_sysconfigdata_") {
				t.Errorf("%s has the module %s, which the table does not know", path, name)
			}
		}
	}
	if len(asked) == 0 {
		t.Skip("no interpreter")
	}
	// The names that the interpreters of 3.8 to 3.14 have, whichever are here.
	for name := range strings.FieldsSeq(knownModules) {
		if !stdlib().knows(name) {
			t.Errorf("the table does not know %s", name)
		}
	}
	if stdlib().knows("no_such_module") {
		t.Error("the table knows everything")
	}
}

// knownModules are the top-level modules of 3.8 to 3.14, by sys.stdlib_module_names
// and, before 3.10, by the folders of the library.
const knownModules = `
	__future__ __phello__ _abc _aix_support _android_support _apple_support _ast _ast_unparse _asyncio _bisect _blake2
	_bootlocale _bootsubprocess _bz2 _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw
	_collections _collections_abc _colorize _compat_pickle _compression _contextvars _crypt _csv _ctypes _ctypes_test
	_curses _curses_panel _datetime _dbm _decimal _dummy_thread _elementtree _frozen_importlib
	_frozen_importlib_external _functools _gdbm _hashlib _heapq _hmac _imp _interpchannels _interpqueues _interpreters
	_io _ios_support _json _locale _lsprof _lzma _markupbase _md5 _msi _multibytecodec _multiprocessing _opcode
	_opcode_metadata _operator _osx_support _overlapped _peg_parser _pickle _posixshmem _posixsubprocess _py_abc
	_py_warnings _pydatetime _pydecimal _pyio _pylong _pyrepl _queue _random _remote_debugging _scproxy _sha1 _sha2
	_sha256 _sha3 _sha512 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics _string _strptime _struct
	_suggestions _symtable _sysconfig _testbuffer _testcapi _testimportmultiple _testinternalcapi _testmultiphase
	_thread _threading_local _tkinter _tokenize _tracemalloc _types _typing _uuid _warnings _weakref _weakrefset
	_winapi _wmi _xxsubinterpreters _xxtestfuzz _zoneinfo _zstd abc aifc annotationlib antigravity argparse array ast
	asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb
	chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser contextlib
	contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest
	dummy_threading email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter
	fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html
	http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale
	logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis
	nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools
	pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc
	pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select
	selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile
	sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symbol symtable sys sysconfig
	syslog tabnanny tarfile telnetlib tempfile termios test textwrap this threading time timeit tkinter token tokenize
	tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv
	warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc xxlimited xxsubtype zipapp zipfile
	zipimport zlib zoneinfo`
