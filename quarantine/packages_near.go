package quarantine

import (
	"slices"
	"strings"
)

// nearPackage finds the known package that a name can be taken for, and says
// how. It words a refusal and decides nothing: of names that were made to
// deceive, most are near to no known one.
func nearPackage(name string) (near, how string) {
	if len(name) < 3 {
		return "", ""
	}
	bare, sorted, drawn := unseparated(name), byWord(name), look(name)
	core := withoutAffix(name)
	var shape, letter string
	for other := range strings.Lines(packageList()) {
		other = strings.TrimSuffix(other, "\n")
		// The list is long, and what changes little changes the length little.
		if d := len(other) - len(name); d < -4 || d > 4 {
			continue
		}
		switch {
		case unseparated(other) == bare:
			return other, "they differ in hyphens alone"
		case len(other) == len(name) && strings.Contains(other, "-") && byWord(other) == sorted:
			return other, "the same words in another order"
		case letter == "" && min(len(name), len(other)) >= 4 && oneEdit(name, other):
			letter = other
		case shape == "" && letter == "" && drawn[0] == look(other[:1])[0] && look(other) == drawn:
			shape = other
		}
	}
	switch {
	case shape != "":
		return shape, "they look alike"
	case letter != "":
		return letter, "they are one letter apart"
	case core != name && len(core) >= 4 && knownPackage(core):
		return core, "it is that name with something added"
	}
	return "", ""
}

func unseparated(name string) string { return strings.ReplaceAll(name, "-", "") }

func byWord(name string) string {
	words := strings.Split(name, "-")
	slices.Sort(words)
	return strings.Join(words, "-")
}

// look is what a name looks like at a glance, where digits and pairs of letters
// stand for others.
func look(name string) string {
	name = unseparated(name)
	for _, pair := range [][2]string{{"rn", "m"}, {"vv", "w"}, {"cl", "d"}} {
		name = strings.ReplaceAll(name, pair[0], pair[1])
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case '0':
			return 'o'
		case '1', 'l':
			return 'i'
		case '3':
			return 'e'
		case '4':
			return 'a'
		case '5':
			return 's'
		case '7':
			return 't'
		case '8':
			return 'b'
		case '9':
			return 'g'
		}
		return r
	}, name)
}

// withoutAffix takes off what is put before or behind known names.
func withoutAffix(name string) string {
	for _, before := range []string{"python-", "python3-", "py-", "python", "py"} {
		if core, ok := strings.CutPrefix(name, before); ok {
			return core
		}
	}
	core := strings.TrimRight(name, "0123456789-")
	for _, behind := range []string{"-python", "-py", "-lib", "-sdk", "-api", "-client", "-utils", "-tools", "-core", "-dev", "-official", "lib", "py", "sdk", "s"} {
		if c, ok := strings.CutSuffix(core, behind); ok {
			return c
		}
	}
	return core
}
