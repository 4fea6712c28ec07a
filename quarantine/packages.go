package quarantine

import (
	_ "embed"
	"fmt"
	"sort"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// packagesText is the allow-list. docs/packages makes it.
//
//go:embed packages.txt
var packagesText string

// checkPackages holds runtime.packages to names that are known: what a tool
// asks for is code that runs beside it, and anybody can upload a name that
// nobody has. A list of names refuses what distance to known names cannot see.
func checkPackages(c *collector) {
	for _, p := range c.tool.Runtime.Packages {
		name, version, pinned := strings.Cut(p, "==")
		where := c.packageAt(p)
		if !pinned || !isPackageName(name) || !isPlainVersion(version) {
			c.add(notExact, where, "%s is no name with an exact version", spec.Quote(p))
			continue
		}
		name = normalName(name)
		if knownPackage(name) {
			continue
		}
		if near, how := nearPackage(name); near != "" {
			c.addAs(lookalike, lookalike.Severity, where, fmt.Sprintf("write %q if that is meant, else do without the package or ask a maintainer", near),
				"the package %s is not known, but %q is: %s", spec.Quote(name), near, how)
			continue
		}
		c.add(unknownPackage, where, "the package %s is none of the known ones", spec.Quote(name))
	}
}

// packageAt finds the line of the manifest that asks for a package.
func (c *collector) packageAt(pin string) at {
	line := 0
	for text := range strings.Lines(string(c.source)) {
		line++
		if col := strings.Index(text, pin); col >= 0 && strings.HasPrefix(text, "#") {
			return at{c.main, line, col + 1}
		}
	}
	return at{file: c.main}
}

// knownPackage tells whether a normal name is in the allow-list or in the
// catalogue.
func knownPackage(name string) bool {
	_, catalogued := known().packages[name]
	return catalogued || listedPackage(name)
}

// listedPackage looks a name up in the sorted text, where it stands: reading the
// whole list into a map would cost more than all the look-ups of a day.
func listedPackage(name string) bool {
	list := packageList()
	// The least offset whose line is not below the name.
	i := sort.Search(len(list), func(i int) bool { return lineAround(list, i) >= name })
	return name != "" && i < len(list) && lineAround(list, i) == name
}

// packageList is the text without its head.
func packageList() string {
	_, list, _ := strings.Cut(packagesText, "\n\n")
	return list
}

// lineAround is the line that an offset lies in; its end belongs to it.
func lineAround(text string, i int) string {
	from := strings.LastIndexByte(text[:i], '\n') + 1
	to := strings.IndexByte(text[i:], '\n')
	if to < 0 {
		return text[from:]
	}
	return text[from : i+to]
}

// isPackageName is the grammar of names in the index (PEP 508).
func isPackageName(s string) bool {
	for i := range len(s) {
		if edge := i == 0 || i == len(s)-1; !isAlnum(s[i]) && (edge || !strings.ContainsRune("-_.", rune(s[i]))) {
			return false
		}
	}
	return s != ""
}

// isPlainVersion tells whether a version is numbers with dots and nothing else.
func isPlainVersion(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return true
}

func isAlnum(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
