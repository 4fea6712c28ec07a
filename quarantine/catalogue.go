package quarantine

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// catalogue.txt says its own grammar in its head.
//
//go:embed catalogue.txt
var catalogueText string

// catalogue is what is known of the modules of other people's packages.
type catalogue struct {
	modules  map[string]*catalogued   // by dotted name; those of one line share what it says
	packages map[string]string        // the modules of a package, with commas, by its normal name
	below    map[string][]*catalogued // those of the modules below a dotless name
}

// catalogued is what a module can do.
type catalogued struct {
	ceiling []Capability // of every name that is not listed
	names   []listed
	methods []listed
}

// listed are names that do the same, as they stand in the catalogue.
type listed struct {
	capabilities []Capability
	names        string
}

// known is the catalogue, read when it is first asked.
var known = sync.OnceValue(func() *catalogue { return readCatalogue(catalogueText) })

// readCatalogue reads our own text, which TestCatalogueIsWellFormed holds to its
// grammar; a line that it cannot read adds nothing, so its module stays unknown.
func readCatalogue(text string) *catalogue {
	c := &catalogue{modules: make(map[string]*catalogued, 4096), packages: make(map[string]string, 4096), below: map[string][]*catalogued{}}
	entry := &catalogued{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '\t':
			words, names, _ := strings.Cut(line[1:], ":")
			l := listed{capabilityWords(strings.TrimPrefix(words, ".")), names}
			if words[0] == '.' {
				entry.methods = append(entry.methods, l)
			} else {
				entry.names = append(entry.names, l)
			}
		default:
			head, words, _ := strings.Cut(line, " = ")
			entry = &catalogued{ceiling: capabilityWords(words)}
			for p := range strings.FieldsSeq(head) {
				name, modules, named := strings.Cut(p, ":")
				if !named {
					modules = strings.ReplaceAll(name, "-", "_")
				}
				c.packages[name] = modules
				for m := range strings.SplitSeq(modules, ",") {
					c.modules[m] = entry
					if top, _, dotted := strings.Cut(m, "."); dotted && !slices.Contains(c.below[top], entry) {
						c.below[top] = append(c.below[top], entry)
					}
				}
			}
		}
	}
	return c
}

func capabilityWords(text string) []Capability {
	var all []Capability
	for w := range strings.FieldsSeq(text) {
		if w != "pure" {
			all = append(all, Capability(w))
		}
	}
	return all
}

// packageCapabilities tells what a dotted name of a third-party module can do,
// as "requests.get". A module that the catalogue does not have is not known,
// and neither is a name through which a module of Python is reached that is not
// pure: "requests.sessions.os.system" is no matter of requests. The name of a
// module alone does nothing; followed by ".*" it is everything in the module,
// which is what a star import and a module used as a value stand for.
func packageCapabilities(reference string) (capabilities []Capability, ok bool) {
	module, entry, ok := known().find(reference)
	if !ok {
		return nil, false
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(reference, module), ".")
	if rest == "" || hasWord(plainNames, rest) {
		return nil, true
	}
	capabilities, rest = entry.match(rest)
	for segment := range strings.SplitSeq(rest, ".") {
		switch way := wayOut(segment); {
		case way == "":
			capabilities = join(capabilities, methodsOf(entry, segment))
		case slices.Contains(entry.ceiling, way) || len(entry.ceiling) == len(allCapabilities):
			capabilities = join(capabilities, entry.ceiling) // nothing is known of it but that it is no more
		default:
			return nil, false
		}
	}
	return capabilities, true
}

// listedBelow tells whether the catalogue lists nothing of a name but what is
// below it, as "lxml.etree" of which there is "lxml.etree.tostring".
func listedBelow(reference string) bool {
	module, entry, ok := known().find(reference)
	rest := strings.TrimPrefix(strings.TrimPrefix(reference, module), ".")
	if !ok || rest == "" || strings.HasSuffix(rest, "*") {
		return false
	}
	below := false
	for _, l := range entry.names {
		if l.covers(rest) > 0 {
			return false
		}
		below = below || strings.Contains(l.names, " "+rest+".")
	}
	return below
}

// methodCapabilities tells what a method of a value that nobody can resolve may
// do while the module is imported, as "to_csv" of "pandas". A module without dots
// stands for all below it.
func methodCapabilities(module, method string) []Capability {
	var all []Capability
	for _, entry := range known().below[module] {
		all = join(all, methodsOf(entry, method))
	}
	for ; module != ""; module = parent(module) {
		if entry, ok := known().modules[module]; ok {
			all = join(all, methodsOf(entry, method))
		}
	}
	return all
}

// find returns the nearest module around a dotted name.
func (c *catalogue) find(name string) (module string, entry *catalogued, ok bool) {
	for module = strings.TrimSuffix(name, ".*"); module != ""; module = parent(module) {
		if entry, ok = c.modules[module]; ok {
			return module, entry, true
		}
	}
	return "", nil, false
}

// parent is the dotted name without its last part.
func parent(name string) string { return name[:max(strings.LastIndexByte(name, '.'), 0)] }

// match finds the longest listed name that rest is or begins with, and returns
// what is left of rest behind it. Where none is listed, the ceiling holds.
func (e *catalogued) match(rest string) (capabilities []Capability, left string) {
	best := 0
	capabilities, left = e.ceiling, rest
	for _, l := range e.names {
		if n := l.covers(rest); n > best {
			best, capabilities, left = n, l.capabilities, rest[n:]
		}
	}
	if best > 0 && rest[best-1] != '.' && left != "" && left[0] != '.' {
		_, left, _ = strings.Cut(left, ".") // the rest of a word whose beginning is listed
	}
	return capabilities, strings.TrimPrefix(left, ".")
}

func methodsOf(e *catalogued, method string) []Capability {
	for _, l := range e.methods {
		if l.covers(method) > 0 {
			return l.capabilities
		}
	}
	return nil
}

// covers returns how much of a dotted name the longest of the listed ones is.
// One that ends with "*" covers all that begins alike; "linalg.*" is also
// "linalg". The text is searched as it stands: most is never asked for.
func (l listed) covers(name string) (n int) {
	for whole := name; whole != "" && n == 0; whole = parent(whole) {
		if hasWord(l.names, whole) {
			n = len(whole)
		}
	}
	for i := strings.IndexByte(l.names, '*'); i >= 0; {
		beginning := l.names[strings.LastIndexByte(l.names[:i], ' ')+1 : i]
		if strings.HasPrefix(name, beginning) || name+"." == beginning {
			n = max(n, min(len(beginning), len(name)))
		}
		next := strings.IndexByte(l.names[i+1:], '*')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return n
}

// hasWord tells whether a word stands among words with spaces between them.
func hasWord(words, word string) bool {
	for from := 0; ; {
		i := strings.Index(words[from:], word)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(word)
		if (i == 0 || words[i-1] == ' ') && (from == len(words) || words[from] == ' ') {
			return true
		}
	}
}

// anything is what a way out leads to where no one capability says it.
const anything Capability = "anything"

// waysOut are the modules of Python that are not pure, and what gets at them: a
// module has them for itself and hands them on to whoever asks.
const waysOut = "os posix nt sys subprocess socket shutil builtins importlib ctypes cffi pickle cPickle marshal pathlib " +
	"tempfile pty multiprocessing runpy code codeop imp pkgutil zipimport urllib fileinput io codecs gzip bz2 " +
	"lzma zipfile tarfile glob asyncio http ssl sqlite3 dbm shelve threading concurrent linecache webbrowser " +
	"smtplib ftplib telnetlib cgi FunctionType CodeType ModuleType"

// plainNames are the names with two underscores that lead nowhere.
const plainNames = "__version__ __name__ __doc__ __all__ __author__ __title__ __license__ __file__ __path__ __class__ " +
	"__init__ __new__ __call__ __enter__ __exit__ __aenter__ __aexit__ __iter__ __next__ __len__ __getitem__ " +
	"__setitem__ __contains__ __str__ __repr__ __eq__ __hash__ __annotations__ __members__ __fields__ " +
	"__table__ __tablename__ __post_init__"

// wayOut tells where a part of a dotted name may leave its package to: "" is
// nowhere, a capability is a function that may be the package's own if the
// package has that capability anyway, as pdfplumber.open.
func wayOut(segment string) Capability {
	switch strings.TrimRight(segment, "_") { // exec_ is what the bridges between versions call it
	case "open":
		return CapabilityRead
	case "exec", "eval", "compile", "attrgetter", "methodcaller":
		return CapabilityDynamic
	case "system", "popen", "Popen":
		return CapabilityProcess
	case "environ", "getenv":
		return CapabilityEnvironment
	}
	if strings.HasPrefix(segment, "__") && !hasWord(plainNames, segment) {
		return anything
	}
	if name := strings.TrimLeft(segment, "_"); name != "" && hasWord(waysOut, name) {
		return anything
	}
	return ""
}

func join(a, b []Capability) []Capability {
	for _, c := range b {
		if !slices.Contains(a, c) {
			a = append(slices.Clone(a), c)
		}
	}
	return a
}
