package pyenv

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Override names the environment variable with which a person points at an
// interpreter.
const Override = "PATCH_GIT_PYTHON"

// Versions that this program's own scripts are tested with.
const (
	lowestMinor  = 9
	highestMinor = 20 // how far up names are looked for; a newer one is still found as python3
)

// programName tells the minor version of an interpreter by its file name.
var programName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^python3\.(\d{1,2})$`) })

// candidate is a program that may be an interpreter.
type candidate struct {
	path   string // links resolved
	minor  int    // by the name, or the pin; -1 when the name does not tell
	from   string // [Installed] and the like
	mine   bool   // the person pointed at it for this command
	pinned bool   // the person said that it serves its minor version
}

// candidates lists programs that may be a Python of at least the given minor,
// best first: the person's own, the exact minor, those that don't tell, the
// lowest newer one; of one minor version the pinned one, what this program
// brought, and what the host has. Nothing is run to make the list.
func (p *Pythons) candidates(minor int, pins map[string]string) []candidate {
	var out []candidate
	seen := map[string]bool{}
	add := func(c candidate) {
		if !seen[c.path] && (c.minor < 0 || c.minor >= minor) {
			out = append(out, c)
		}
		seen[c.path] = true
	}
	found := func(path string, mine bool) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || !regular(real) {
			return
		}
		c := candidate{path: real, minor: -1, from: p.origin(real), mine: mine}
		if m := programName().FindStringSubmatch(filepath.Base(real)); m != nil {
			c.minor = number(m[1])
		}
		add(c)
	}
	if mine := p.host.Getenv(Override); filepath.IsAbs(mine) {
		found(mine, true)
	}
	for want, path := range pins {
		_, m := versionParts(want)
		add(candidate{path: path, minor: m, from: p.origin(path), pinned: true})
	}
	for _, in := range p.installed() {
		found(in.program(p.host.GOOS), false)
	}
	if e := p.embedded; e != nil {
		_, m := versionParts(e.Version)
		add(candidate{path: p.embeddedProgram(), minor: m, from: e.ID()})
	}
	for _, dir := range p.directories() {
		for _, name := range names(minor, p.host.GOOS) {
			found(filepath.Join(dir, name), false)
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(a.order(minor), b.order(minor)) })
	return out
}

// order is smaller for what should be tried sooner.
func (c candidate) order(minor int) int {
	switch {
	case c.mine:
		return -3
	case c.minor == minor && c.pinned:
		return -2
	case c.minor == minor:
		return -1
	case c.minor < 0:
		return 0
	}
	return c.minor
}

// names are what interpreters of at least the given minor are called.
func names(minor int, goos string) []string {
	if goos == "windows" {
		return []string{"python.exe", "python3.exe"}
	}
	out := []string{"python3", "python"}
	for n := minor; n <= highestMinor; n++ {
		out = append(out, fmt.Sprintf("python3.%d", n))
	}
	return out
}

// directories are the places of the host where interpreters lie, in the order
// in which they are preferred. Entries of PATH that are not absolute are ignored: what
// they mean depends on where one stands.
func (p *Pythons) directories() []string {
	getenv := p.host.Getenv
	below := func(base, pattern string) []string {
		if !filepath.IsAbs(base) {
			return nil
		}
		found, _ := filepath.Glob(filepath.Join(globQuote(base), pattern))
		return found
	}
	var out []string
	for _, dir := range filepath.SplitList(getenv("PATH")) {
		if filepath.IsAbs(dir) {
			out = append(out, filepath.Clean(dir))
		}
	}
	pyenv, uv := p.managers()
	out = append(out, below(pyenv, "*/bin")...)
	out = append(out, below(uv, "*/bin")...)
	switch p.host.GOOS {
	case "windows":
		out = append(out, below(uv, "*")...)
		out = append(out, below(getenv("LOCALAPPDATA"), `Programs/Python/Python3*`)...)
	default:
		out = append(out, "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
		out = append(out, below("/opt", "*/bin")...)
		out = append(out, below("/Library/Frameworks/Python.framework/Versions", "3.*/bin")...)
	}
	var unique []string
	seen := map[string]bool{}
	for _, dir := range out {
		if !seen[dir] {
			seen[dir] = true
			unique = append(unique, dir)
		}
	}
	return unique
}

// managers are the folders in which pyenv and uv keep interpreters.
func (p *Pythons) managers() (pyenv, uv string) {
	getenv := p.host.Getenv
	inHome := func(parts ...string) string {
		if p.host.Home == "" {
			return ""
		}
		return filepath.Join(append([]string{p.host.Home}, parts...)...)
	}
	pyenv = filepath.Join(or(getenv("PYENV_ROOT"), inHome(".pyenv")), "versions")
	uv = or(getenv("UV_PYTHON_INSTALL_DIR"), filepath.Join(or(getenv("XDG_DATA_HOME"), inHome(".local", "share")), "uv", "python"))
	return pyenv, uv
}

// globQuote keeps the characters of a directory's name from being a pattern.
// A backslash is a separator on Windows and quotes nothing there.
func globQuote(dir string) string {
	if filepath.Separator == '\\' {
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// installHint says how to get a Python of a version, in the words of the
// system's own package managers.
func installHint(version string) string {
	return fmt.Sprintf("install Python %s: uv python install %s, or apt install python%s, dnf install python%s, apk add python3, brew install python@%s; or set %s to the program",
		version, version, version, version, version, Override)
}
