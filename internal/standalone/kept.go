package standalone

import (
	"path"
	"slices"
	"strings"
)

// Kept tells whether a file of a build, by its path below the build's folder,
// is of use to a tool in the sandbox. Left out are the tests of the standard
// library, the windows that nobody could see there (Tk, IDLE, turtle), pip, and
// what only compilers read. Licences stay.
func Kept(name string) bool {
	first, rest, _ := strings.Cut(name, "/")
	switch first {
	case "bin": // Unix: the interpreter and its other names
		return rest == "" || strings.HasPrefix(rest, "python") && !strings.HasSuffix(rest, "-config")
	case "include", "share", "libs", "tcl", "Scripts":
		return false
	case "DLLs": // Windows: extensions, and the libraries that they need
		return keptExtension(rest) && !strings.HasPrefix(rest, "tcl") && !strings.HasPrefix(rest, "tk")
	case "lib", "lib64", "Lib":
	default:
		return true
	}
	inside, modules := rest, first == "Lib" // Windows has the modules here
	if dir, below, _ := strings.Cut(rest, "/"); strings.HasPrefix(dir, "python3.") {
		inside, modules = below, true
	}
	if modules {
		return keptModule(inside)
	}
	// Beside the modules: libraries.
	base, _, _ := strings.Cut(rest, "/")
	return base != "pkgconfig" && !strings.HasSuffix(base, ".a") &&
		!slices.ContainsFunc([]string{"tcl", "tk", "itcl", "thread", "libtcl", "libtk"}, func(p string) bool { return strings.HasPrefix(base, p) })
}

// keptModule tells it for a path below the standard library.
func keptModule(name string) bool {
	parts := strings.Split(name, "/")
	switch parts[0] {
	case "test", "tests", "idlelib", "tkinter", "turtledemo", "turtle.py", "ensurepip", "site-packages":
		return false
	case "lib-dynload":
		return keptExtension(path.Base(name))
	}
	if strings.HasPrefix(parts[0], "config-3") {
		return false
	}
	return !slices.Contains(parts, "test") && !slices.Contains(parts, "tests")
}

// keptExtension tells it for a module in machine code.
func keptExtension(base string) bool {
	return !slices.ContainsFunc([]string{"_tkinter.", "_test", "_ctypes_test.", "_xxtestfuzz.", "xx"}, func(p string) bool { return strings.HasPrefix(base, p) })
}

// bytecode tells whether a file is some.
func bytecode(name string) bool {
	return slices.Contains(strings.Split(name, "/"), "__pycache__") || strings.HasSuffix(name, ".pyc") || strings.HasSuffix(name, ".pyo")
}
