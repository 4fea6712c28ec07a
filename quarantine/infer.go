package quarantine

import (
	"slices"
	"strings"
	"sync"
)

// Capability is one kind of thing outside of itself that a tool reaches.
type Capability string

// The capabilities. Network and files are declared as such in the manifest, the
// others by x-needs.
const (
	CapabilityNetwork     Capability = "network"
	CapabilityRead        Capability = "read"  // files
	CapabilityWrite       Capability = "write" // files
	CapabilityProcess     Capability = "process"
	CapabilityEnvironment Capability = "environment"
	CapabilityNative      Capability = "native"  // machine code: ctypes, cffi, mapped devices
	CapabilityDynamic     Capability = "dynamic" // code that nobody sees before it runs, and ways around names
)

// allCapabilities is in the order in which people are told.
var allCapabilities = []Capability{
	CapabilityNetwork, CapabilityRead, CapabilityWrite, CapabilityProcess, CapabilityEnvironment, CapabilityNative, CapabilityDynamic,
}

// Inferred is what a source can do, as far as its own text tells.
type Inferred struct {
	// Uses has the first place that shows a capability.
	Uses map[Capability]Reference
	// Unclassified are the names of which nobody knows what they can do, each
	// module once.
	Unclassified []Reference
}

// Has tells whether the source shows a capability.
func (i Inferred) Has(c Capability) bool {
	_, ok := i.Uses[c]
	return ok
}

// Infer works out what a source can do from what it names, called or not. It
// goes by allow-lists: an attribute that the table of the standard library does
// not list counts as the worst of its module, and a module that neither that nor
// the catalogue has is unclassified. The packages that the tool declares change
// nothing so far: the catalogue goes by the names of modules.
func Infer(f *Facts, _ []string) Inferred {
	r := &inference{facts: f, out: Inferred{Uses: map[Capability]Reference{}}, named: map[string]bool{}, whole: map[string]bool{}, foreign: map[string]bool{}}
	for _, i := range f.Imports {
		if i.Name == "" {
			r.whole[i.Module] = true
		}
		if !i.Stdlib && i.Level == 0 {
			top, _, _ := strings.Cut(i.Module, ".")
			r.foreign[top] = true
		}
	}
	for _, ref := range f.References {
		for name := resolved(ref.Name); name != ""; name = above(name) {
			r.named[name] = true
		}
	}
	for _, ref := range f.References {
		r.reference(ref)
	}
	return r.out
}

type inference struct {
	facts   *Facts
	out     Inferred
	named   map[string]bool // dotted names, and all above them
	whole   map[string]bool // modules that are imported as such
	foreign map[string]bool // top-level modules that the interpreter says are not its own
	unknown []string
}

// resolved is a name that stands for one thing, "" for an attribute of anything.
func resolved(name string) string {
	if name == "?" || strings.HasPrefix(name, "?.") {
		return ""
	}
	return name
}

// above is a dotted name without its last part.
func above(name string) string { return name[:max(strings.LastIndexByte(name, '.'), 0)] }

func (r *inference) reference(ref Reference) {
	switch name := ref.Name; {
	case name == "?":
		r.found(ref, CapabilityDynamic)
	case strings.HasPrefix(name, "?."):
		r.method(ref, name[2:])
	default:
		top, _, _ := strings.Cut(name, ".")
		if stdlib().knows(top) && !r.foreign[top] {
			r.library(ref)
			return
		}
		r.foreigner(ref)
	}
}

func (r *inference) found(ref Reference, can ...Capability) {
	for _, c := range can {
		if _, ok := r.out.Uses[c]; !ok {
			r.out.Uses[c] = ref
		}
	}
}

// library judges a name of the standard library.
func (r *inference) library(ref Reference) {
	lib := stdlib()
	mod, rest := lib.home(ref.Name)
	if mod == "builtins" && rest != "" && !lib.lists(mod, rest) {
		r.unclassified(ref, "builtins."+rest)
		return
	}
	can := lib.use(ref.Name, ref.How)
	if ref.How == "computed" {
		can = append(slices.Clip(can), CapabilityDynamic)
	}
	full := strings.Trim(mod+"."+rest, ".")
	switch {
	case mod == "builtins" && walks(ref, strings.TrimPrefix(rest, "str.")):
		can = []Capability{CapabilityDynamic}
	case opens(full):
		can = nil // of an open file; the call that opened it is told with its mode
	case ref.How != "call":
	case full == "sqlite3.connect" && ref.Detail == "ro":
		can = []Capability{CapabilityRead}
	case mod == "sqlite3" && ref.Detail == "memory" && r.statements():
		// A statement that nobody knows may attach a file.
	case ref.Detail == "memory" || modes()[full]:
		can = opened(can, ref.Detail)
	case ref.Detail != "":
		can = append(slices.Clip(can), switched(full)...)
	}
	r.found(ref, can...)
}

// statements tells whether the source runs SQL that is not known to stay in the
// database that it is run in, or hands on the method that would.
func (r *inference) statements() bool {
	return slices.ContainsFunc(r.facts.References, func(ref Reference) bool {
		switch ref.Name[strings.LastIndexByte(ref.Name, '.')+1:] {
		case "execute", "executemany", "executescript":
			return ref.How != "call" || ref.Detail == "?"
		}
		return false
	})
}

// modes are the functions of which the facts tell how they open a file.
var modes = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(`builtins.open io.open io.FileIO codecs.open os.fdopen pathlib.Path.open gzip.open
		gzip.GzipFile bz2.open bz2.BZ2File lzma.open lzma.LZMAFile zipfile.ZipFile tarfile.open tarfile.TarFile wave.open`) {
		set[name] = true
	}
	return set
})

// opens tells whether a name is an attribute of what a function of modes returns.
func opens(name string) bool {
	for up := above(name); up != ""; up = above(up) {
		if modes()[up] || up == "sqlite3.connect" {
			last := name[len(up)+1:]
			return last != "__call__" && !gadgets()[last]
		}
	}
	return false
}

// switched are the functions that one argument gives an effect.
func switched(name string) []Capability {
	switch name {
	case "logging.basicConfig":
		return []Capability{CapabilityWrite}
	case "argparse.ArgumentParser":
		return []Capability{CapabilityRead}
	case "inspect.signature":
		return []Capability{CapabilityDynamic}
	}
	return nil
}

// opened narrows what opening a file needs to what its mode says.
func opened(can []Capability, mode string) []Capability {
	if mode == "" {
		return can // by a name of which the facts do not tell how
	}
	read := strings.ContainsAny(mode, "r+?") || !strings.ContainsAny(mode, "wax")
	write := strings.ContainsAny(mode, "wax+?")
	if mode == "memory" {
		read, write = false, false
	}
	return slices.DeleteFunc(slices.Clone(can), func(c Capability) bool {
		return c == CapabilityRead && !read || c == CapabilityWrite && !write
	})
}

// method judges an attribute of an object that nobody can follow, by what the
// modules that the file names make such objects of.
func (r *inference) method(ref Reference, attribute string) {
	if gadgets()[attribute] || walks(ref, attribute) {
		r.found(ref, CapabilityDynamic)
	}
	if plainCall(ref, attribute) {
		return
	}
	for _, mod := range stdlib().withMethods {
		if !r.named[mod] {
			continue
		}
		can := stdlib().methods[mod][attribute]
		if attribute == "open" && ref.How == "call" {
			can = opened(can, ref.Detail)
		}
		r.found(ref, can...)
	}
	for top := range r.foreign {
		r.found(ref, methodCapabilities(top, attribute)...)
	}
}

// walks tells whether an attribute is that by which a text reads attributes of what
// it is given, "{0.__globals__[os].environ}", and nobody knows the text.
func walks(ref Reference, attribute string) bool {
	return (attribute == "format" || attribute == "format_map") && (ref.How == "call" && ref.Detail == "?" || attribute == "format_map" && ref.How != "call")
}

// plainCall tells whether a call is that of a built-in type, by the number of its arguments:
// str.replace takes two and Path.replace one, list.copy none, and read of a file
// one number where that of a configuration takes names.
func plainCall(ref Reference, attribute string) bool {
	if ref.How != "call" {
		return attribute == "read" || attribute == "copy" || attribute == "replace"
	}
	switch attribute {
	case "replace":
		return ref.Detail != "1" && ref.Detail != "?"
	case "copy", "read":
		return ref.Detail == "0"
	}
	return false
}

// foreigner judges a name of somebody else's package.
func (r *inference) foreigner(ref Reference) {
	name := ref.Name
	if ref.How == "star" || ref.How == "value" && r.whole[name] {
		name += ".*" // all that is in the module
	}
	if ref.How == "import" && listedBelow(name) {
		return // of a module, and what is named of it tells for itself
	}
	can, ok := packageCapabilities(name)
	if !ok {
		top, _, _ := strings.Cut(ref.Name, ".")
		r.unclassified(ref, top)
		return
	}
	if ref.Detail == "memory" {
		can = slices.DeleteFunc(slices.Clone(can), func(c Capability) bool { return c == CapabilityNetwork || c == CapabilityRead })
	}
	if ref.How == "computed" {
		can = append(slices.Clip(can), CapabilityDynamic)
	}
	r.found(ref, can...)
}

func (r *inference) unclassified(ref Reference, what string) {
	if !slices.Contains(r.unknown, what) {
		r.unknown = append(r.unknown, what)
		r.out.Unclassified = append(r.out.Unclassified, ref)
	}
}
