package quarantine

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/spec"
)

// checkPython holds the source against the rules for Python. The bytes are
// looked at first, without an interpreter: they decide whether it and a
// reviewer read the same text at all.
func checkPython(c *collector) {
	if c.tool.Format != spec.FormatPatch || c.source == nil {
		return // a missing main file is an error of the shape
	}
	checkBytes(c)
	if !c.readable() {
		return
	}
	if declared := c.tool.Runtime.PythonVersion; declared != "" && !strings.HasPrefix(c.Facts.Python, declared+".") {
		c.skip("%s", OtherPython(c.Facts.Python, declared))
	}
	checkEffects(c)
	checkIdentifiers(c)
	checkMain(c)
	checkImports(c)
	checkCapabilities(c)
	checkThreats(c)
}

// readable tells whether there are facts to judge by, and reports why not.
func (c *collector) readable() bool {
	f := c.Facts
	switch {
	case c.FactsErr != nil:
		c.add(cannotTell, at{file: c.main}, "the interpreter gave no answer: %s", spec.Quote(c.FactsErr.Error()))
		return false
	case f == nil || f.Schema != FactsSchema:
		c.add(cannotTell, at{file: c.main}, "no interpreter was asked")
		return false
	case f.Truncated:
		c.add(cannotTell, at{file: c.main}, "the file has more imports, statements or effects than are listed")
	case f.Error != nil && f.Error.Kind == "internal":
		c.add(cannotTell, c.inMain(f.Error.Place), "the program that asks the interpreter failed: %s", spec.Quote(f.Error.Message))
		return false
	case f.Error != nil:
		c.add(doesNotParse, c.inMain(f.Error.Place), "Python %s does not compile the file (%s: %s)", f.Python, f.Error.Kind, spec.Quote(f.Error.Message))
		return false
	}
	return true
}

// OtherPython is what a report says among [Report].Unchecked where another
// interpreter parsed the file than the one that is declared. Which machine has
// which Python is no fault of the tool, and a newer one reads what an older one
// does; so those who hold against a tool what was not checked may tell it from
// the rest.
func OtherPython(parsed, declared string) string {
	return "the file was parsed by Python " + parsed + ", and the manifest asks for " + spec.Quote(declared)
}

// cookie is the comment of PEP 263, by which Python decodes the file; it
// counts on the first two lines only.
var cookie = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)`) })

// checkBytes finds the bytes that readers of Python disagree about [PY-001].
func checkBytes(c *collector) {
	for _, odd := range []struct {
		bytes string
		seen  string
	}{
		{"\x00", "the file has a NUL byte, where some parsers stop"},
		{"\x0c", "the file has a form feed, which resets the indentation for Python and not for readers"},
		{"\ufeff", "the file has a byte order mark"},
	} {
		if i := bytes.Index(c.source, []byte(odd.bytes)); i >= 0 {
			c.add(doesNotParse, c.offset(i), "%s", odd.seen)
		}
	}
	for i, b := range c.source {
		if b == '\r' && (i+1 == len(c.source) || c.source[i+1] != '\n') {
			c.add(doesNotParse, c.offset(i), "a carriage return stands alone, which is a new line for Python and not for many viewers")
			break
		}
	}
	for i, line := range bytes.SplitN(c.source, []byte("\n"), 3)[:min(2, bytes.Count(c.source, []byte("\n"))+1)] {
		m := cookie().FindSubmatch(line)
		if m == nil {
			continue
		}
		switch strings.ReplaceAll(strings.ToLower(string(m[1])), "_", "-") {
		case "utf-8", "utf8":
		default:
			c.add(doesNotParse, at{c.main, i + 1, 1}, "the comment makes Python decode the file as %s", spec.Quote(string(m[1])))
		}
	}
}

func (c *collector) offset(i int) at {
	line, col := lineCol(c.source, i)
	return at{c.main, line, col}
}

// checkEffects reports the work of an import [PM-53]. A module's own code must
// do none; what a declared package does as a decorator or in the body of a class
// is how such packages are used, and is a warning.
func checkEffects(c *collector) {
	for _, e := range c.Facts.Effects {
		seen := effectWords(e)
		mild := e.Where != "module" && e.Kind != "standalone" && e.Origin == "package"
		mild = mild || e.Kind == "notice" || e.Kind == "call" && e.Origin == "stdlib" && onlyAsks(e.Target)
		if mild {
			c.warn(importWork, c.inMain(e.Place), "%s", seen)
			continue
		}
		c.add(importWork, c.inMain(e.Place), "%s", seen)
	}
}

// onlyAsks tells the calls that read a setting of the process and no more. To
// make a constant of it fixes it before anybody called the tool, which is a
// fault; but nothing is opened, sent, started or changed.
func onlyAsks(target string) bool {
	switch target {
	case "os.getenv", "os.environ.get", "os.getcwd", "os.cpu_count", "pathlib.Path.home", "pathlib.Path.cwd", "os.path.expanduser",
		"platform.system", "platform.machine", "platform.python_version", "sys.getdefaultencoding", "sys.getfilesystemencoding":
		return true
	}
	return false
}

func effectWords(e Effect) string {
	target := spec.Quote(e.Target)
	where := map[string]string{
		"module": "at the top level", "class": "in the body of a class", "default": "in the default of a parameter",
		"decorator": "as a decorator", "annotation": "in an annotation",
	}[e.Where]
	switch e.Kind {
	case "notice":
		return target + " is called where a module is missing"
	case "call", "standalone":
		return target + " is called " + where
	case "statement":
		return "a " + strings.Trim(target, `"`) + " runs " + where
	case "assignment":
		return target + ", which is not the file's own, is changed " + where
	case "import":
		return "the module " + target + " does something when it is imported"
	case "decorator":
		return "the decorator " + target + " runs when the file is imported"
	case "property":
		return "the property " + target + " is read " + where
	case "metaclass":
		return "the metaclass " + target + " runs when the file is imported"
	}
	return "the method " + target + " is called by Python when a class is made"
}

// checkIdentifiers reports names that are not ASCII [PY-008]. What turns into
// ASCII, or mixes scripts, is written to be overlooked; a name in the author's
// own language only keeps others from reading it.
func checkIdentifiers(c *collector) {
	for _, i := range c.Facts.Identifiers {
		switch {
		case isASCII(i.Normal):
			c.add(oddIdentifier, c.inMain(i.Place), "the identifier %s is %s to Python", spec.Quote(i.Name), spec.Quote(i.Normal))
		case sanitize.Scan(i.Name) != nil:
			c.add(oddIdentifier, c.inMain(i.Place), "the identifier %s mixes letters that look alike", spec.Quote(i.Name))
		default:
			c.warn(oddIdentifier, c.inMain(i.Place), "the identifier %s is not ASCII", spec.Quote(i.Name))
		}
	}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
