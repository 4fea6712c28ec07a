package quarantine

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/spec"
)

// checkScriptBlock compares inline script metadata (PEP 723), which other
// runners obey, with the manifest, which patch-git obeys. Text that holds no
// opening line of such a block passes unread.
func checkScriptBlock(c *collector) {
	if c.tool.Format != spec.FormatPatch {
		return
	}
	first := 0
	lines := strings.Split(string(c.source), "\n")
	for i := range lines {
		if strings.TrimRight(lines[i], "\r \t") != "# /// script" {
			continue
		}
		where := at{c.main, i + 1, 1}
		if first > 0 {
			c.add(scriptBlock, where, "a second script block follows that of line %d", first)
			return
		}
		first = i + 1
		content, ok := scriptContent(lines[i+1:])
		if !ok {
			c.addAs(scriptBlock, bad, where, `close the block with a line "# ///"`, "the script block is not closed")
			return
		}
		meta, err := readScript(content)
		if err != nil {
			c.add(scriptBlock, where, "the script block is not readable: %v", err)
			return
		}
		c.compareScript(where, meta)
	}
}

// scriptContent returns the block's text up to its last closing line, as the
// reference expression of PEP 723 finds it.
func scriptContent(lines []string) (string, bool) {
	end := -1
	var content []string
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if line == "# ///" {
			end = i
		}
		if line != "#" && !strings.HasPrefix(line, "# ") {
			break
		}
		content = append(content, strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "))
	}
	if end < 0 {
		return "", false
	}
	return strings.Join(content[:end], "\n"), true
}

func (c *collector) compareScript(where at, meta scriptMeta) {
	declared := map[string]bool{}
	for _, p := range c.tool.Runtime.Packages {
		declared[normalPin(p)] = true
	}
	inBlock := map[string]bool{}
	for _, d := range meta.dependencies {
		pin := normalPin(d)
		inBlock[pin] = true
		if !declared[pin] {
			c.add(scriptBlock, where, "the block depends on %s, which is not in runtime.packages", spec.Quote(d))
		}
	}
	for _, p := range c.tool.Runtime.Packages {
		if meta.hasDependencies && !inBlock[normalPin(p)] {
			c.add(scriptBlock, where, "runtime.packages has %s, on which the block does not depend", spec.Quote(p))
		}
	}
	if meta.requiresPython != "" {
		ok, err := allowsPython(meta.requiresPython, c.tool.Runtime.PythonVersion)
		switch {
		case err != nil:
			c.add(scriptBlock, where, "requires-python is not readable: %v", err)
		case !ok:
			c.add(scriptBlock, where, "requires-python is %s and runtime.python_version %s", spec.Quote(meta.requiresPython), spec.Quote(c.tool.Runtime.PythonVersion))
		}
	}
	if meta.tables {
		c.warn(scriptBlock, where, "the block has tables, with which other runners take packages from other places")
	}
}

// normalName is the spelling of PEP 503, in which package names are compared.
func normalName(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(strings.TrimSpace(name)) {
		if r == '-' || r == '_' || r == '.' {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}

// normalPin makes "Name_X == 1.0" and "name-x==1.0" equal. Anything but a name
// and an exact version stays as it is, and so equals no pin of a manifest.
func normalPin(pin string) string {
	name, version, ok := strings.Cut(pin, "==")
	if !ok {
		return pin
	}
	return normalName(name) + "==" + strings.TrimSpace(version)
}

var specifier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(~=|==|!=|<=|>=|<|>)\s*([0-9]{1,4}(?:\.[0-9]{1,4}){0,3})(\.\*)?$`)
})

// allowsPython tells whether any patch release of a minor version, such as
// "3.12", satisfies a version specifier such as ">=3.10,<4".
func allowsPython(wanted, minor string) (bool, error) {
	lowest, highest := versionParts(minor+".0"), versionParts(minor+".999")
	low, high := true, true
	for part := range strings.SplitSeq(wanted, ",") {
		m := specifier().FindStringSubmatch(strings.TrimSpace(part))
		if m == nil || m[3] != "" && m[1] != "==" && m[1] != "!=" {
			return false, fmt.Errorf("%s is not a version specifier that is understood here", spec.Quote(strings.TrimSpace(part)))
		}
		low = low && satisfies(lowest, m[1], m[2], m[3] != "")
		high = high && satisfies(highest, m[1], m[2], m[3] != "")
	}
	return low || high, nil
}

func versionParts(s string) []int {
	var parts []int
	for p := range strings.SplitSeq(s, ".") {
		n, _ := strconv.Atoi(p) // digits only, by the expression above or by the manifest's grammar
		parts = append(parts, n)
	}
	return parts
}

func satisfies(v []int, op, version string, wildcard bool) bool {
	w := versionParts(version)
	prefix := len(w) <= len(v) && slices.Equal(v[:len(w)], w)
	padded := append(slices.Clone(w), make([]int, max(0, len(v)-len(w)))...)
	order := slices.Compare(v, padded)
	switch op {
	case "==":
		return wildcard && prefix || !wildcard && order == 0
	case "!=":
		return wildcard && !prefix || !wildcard && order != 0
	case ">=":
		return order >= 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case "<":
		return order < 0
	}
	// ~=3.12.1 is at least 3.12.1 and still 3.12.
	return order >= 0 && len(w) > 1 && slices.Equal(v[:min(len(v), len(w)-1)], w[:len(w)-1])
}
