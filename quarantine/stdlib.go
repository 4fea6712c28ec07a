package quarantine

import (
	_ "embed" // the table
	"slices"
	"strings"
	"sync"
)

// stdlibText is the table; its head says how it is to be read.
//
//go:embed stdlib.txt
var stdlibText string

// stdlib is the table, read when it is first asked.
var stdlib = sync.OnceValue(func() *library { return readLibrary(stdlibText) })

// library is what the modules of Python's standard library can do.
type library struct {
	modules     map[string]module
	attributes  map[string][]Capability            // "os.path.join"; "pathlib.Path.*" for all that is not listed
	same        map[string]string                  // "posix": "os"
	methods     map[string]map[string][]Capability // by module
	withMethods []string
}

// module is one block of the table.
type module struct {
	mixed bool         // the attributes decide
	worst []Capability // of an attribute that is not listed
}

// readLibrary reads our own text; TestStdlibTable holds it to its grammar.
func readLibrary(text string) *library {
	l := &library{map[string]module{}, map[string][]Capability{}, map[string]string{}, map[string]map[string][]Capability{}, nil}
	var blocks []string
	methods := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch head, rest, _ := strings.Cut(line, " "); {
		case line == "" || head == "#":
		case head == "same":
			names, target, _ := strings.Cut(rest, " = ")
			for name := range strings.FieldsSeq(names) {
				l.same[name] = target
			}
		case head == "methods":
			blocks, methods = []string{rest}, true
			l.methods[rest], l.withMethods = map[string][]Capability{}, append(l.withMethods, rest)
		case head != "":
			names, words, _ := strings.Cut(line, ": ")
			blocks, methods = strings.Fields(names), false
			words, mixed := strings.CutPrefix(words, "mixed ")
			for _, b := range blocks {
				l.modules[b] = module{mixed, readCapabilities(words)}
			}
		default:
			words, names, _ := strings.Cut(strings.TrimSpace(line), " = ")
			can := readCapabilities(words)
			for name := range strings.FieldsSeq(names) {
				for _, b := range blocks {
					if methods {
						l.methods[b][name] = can
					} else {
						l.attributes[b+"."+name] = can
					}
				}
			}
		}
	}
	return l
}

func readCapabilities(words string) []Capability {
	var can []Capability
	for w := range strings.FieldsSeq(words) {
		if w != "nothing" {
			can = append(can, Capability(w))
		}
	}
	return can
}

// knows tells whether the table has a top-level module.
func (l *library) knows(top string) bool {
	_, ok := l.modules[top]
	return ok || l.same[top] != ""
}

// home splits a dotted name into its module and what is named of that.
func (l *library) home(name string) (mod, rest string) {
	for mod = name; mod != ""; mod = above(mod) {
		rest = strings.TrimPrefix(name[len(mod):], ".")
		if target := l.same[mod]; target != "" {
			return l.home(strings.TrimSuffix(target+"."+rest, "."))
		}
		if _, ok := l.modules[mod]; ok {
			return mod, rest
		}
	}
	return "", name
}

// lists tells whether an attribute of a module, or what it is read of, stands in
// the table.
func (l *library) lists(mod, rest string) bool {
	_, left := l.attribute(mod, rest)
	return left != rest
}

// attribute returns what the longest listed part of rest can do, and what
// follows that.
func (l *library) attribute(mod, rest string) (can []Capability, left string) {
	for part := rest; part != ""; part = above(part) {
		can, ok := l.attributes[mod+"."+part]
		if !ok {
			continue
		}
		left = strings.TrimPrefix(rest[len(part):], ".")
		if others, ok := l.attributes[mod+"."+part+".*"]; ok && left != "" {
			can = others
		}
		return can, left
	}
	return l.modules[mod].worst, rest
}

// use tells what naming something takes: "os.system", or "os" where the module
// itself is imported or handed on. A module that is handed on is beyond sight:
// each carries others, so that json leads to open.
func (l *library) use(name, how string) []Capability {
	mod, rest := l.home(name)
	m := l.modules[mod]
	switch {
	case rest != "":
	case how == "import" && m.mixed:
		return nil
	case how == "import":
		return m.worst
	case how == "star" && m.mixed:
		return append(slices.Clip(m.worst), CapabilityDynamic)
	case how == "star":
		return m.worst
	case m.mixed:
		return []Capability{CapabilityDynamic}
	default:
		return append(slices.Clip(m.worst), CapabilityDynamic)
	}
	can, left := l.attribute(mod, rest)
	first, _, _ := strings.Cut(rest, ".")
	if slices.Contains([]string{"__doc__", "__name__", "__file__", "__version__", "__all__"}, first) {
		return nil
	}
	if gadgets()[first] || first == "__dict__" {
		return []Capability{CapabilityDynamic}
	}
	for part := range strings.SplitSeq(left, ".") {
		if gadgets()[part] || part == "__dict__" {
			return append(slices.Clip(can), CapabilityDynamic)
		}
		// What comes of a name has methods of its own: Path(a).parent.read_text.
		if !slices.Contains([]string{"replace", "copy", "read", "add"}, part) {
			can = append(slices.Clip(can), l.methods[mod][part]...)
		}
	}
	if left != rest {
		return can
	}
	carried, after, _ := strings.Cut(left, ".")
	if l.carries(mod, carried) {
		return append(slices.Clip(can), l.use(strings.TrimSuffix(strings.TrimLeft(carried, "_")+"."+after, "."), how)...)
	}
	if m.mixed && after == "" && constant(carried) {
		return nil
	}
	if carried[0] == '_' && !strings.HasPrefix(carried, "__") {
		return append(slices.Clip(can), CapabilityDynamic) // nobody's to use, so nobody wrote down what it is
	}
	return can
}

// constant tells whether a name is spelled as numbers and texts are. No module
// that is mixed has a function of that spelling that does more than look at one.
func constant(name string) bool {
	return len(name) > 2 && name[0] != '_' && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// carries tells whether an attribute may be a module that the module imports for
// itself: random._os, json.codecs. What is harmless as a module matters, too,
// because it carries others.
func (l *library) carries(mod, attribute string) bool {
	bare := strings.TrimLeft(attribute, "_")
	return bare != "" && bare != mod[strings.LastIndexByte(mod, '.')+1:] && l.knows(bare)
}

// gadgets are the attributes by which code gets from an object to what made it
// or runs it, and from there to everything.
var gadgets = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(`__subclasses__ __bases__ __base__ __mro__ __globals__ __builtins__ __code__ __closure__
		__self__ __getattribute__ __reduce__ __reduce_ex__ __loader__ __spec__ __import__ __objclass__ gi_frame gi_code cr_frame
		cr_code ag_frame ag_code f_globals f_locals f_builtins f_back f_code tb_frame func_globals func_code cell_contents
		_getframe`) {
		set[name] = true
	}
	return set
})
