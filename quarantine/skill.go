package quarantine

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/spec"
)

// checkSkill judges what a skill points at, and what it tells its reader to do.
func checkSkill(c *collector) {
	if c.tool.Format != spec.FormatSkill || c.source == nil {
		return
	}
	there := map[string]bool{}
	for _, f := range c.Release.Files {
		there[f.Path] = true
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
			there[dir] = true
		}
	}
	c.declaredFiles(there)
	for _, f := range c.Release.Files {
		if spec.CheckPath(f.Path) != nil || !utf8.Valid(f.Data) {
			continue // an error of its own
		}
		if f.Path == c.main || strings.HasSuffix(f.Path, ".md") {
			c.references(f, there)
		}
		if fileKindOf(f) != pythonScript { // Python has its own reading
			for _, o := range findOrders(string(f.Data)) {
				severity := bad
				if o.mild {
					severity = warn
				}
				c.addAs(orderedInstall, severity, at{f.Path, o.line, 1}, "", "%s", o.seen)
			}
		}
	}
	c.allowedTools()
}

// declaredFiles holds files.required of the skill against the release: what its
// base says to be in the skill has to be in it.
func (c *collector) declaredFiles(there map[string]bool) {
	if c.tool.Skill == nil {
		return
	}
	for _, f := range c.tool.Skill.Files {
		if f.Base != spec.SkillRoot {
			continue // of the person's own folders
		}
		where := c.locateText(f.Path, 1)
		switch clean := path.Clean(strings.ReplaceAll(f.Path, `\`, "/")); {
		case outside(f.Path):
			c.addAs(missingReference, bad, where, "name a file below the folder of the skill", "the file %s that the skill requires is outside of it", spec.Quote(f.Path))
		case !there[clean]:
			c.add(missingReference, where, "the file %s that the skill requires is not in it", spec.Quote(f.Path))
		}
	}
}

// references finds the files of the skill that a text names: targets of links, and
// paths below the folders that a skill has.
func (c *collector) references(f spec.File, there map[string]bool) {
	told := map[string]bool{}
	n := 0
	for line := range strings.Lines(string(f.Data)) {
		n++
		for target, followed := range namedFiles(line) {
			if told[target] {
				continue
			}
			told[target] = true
			where := at{f.Path, n, 1}
			beside := path.Join(path.Dir(f.Path), target)
			switch {
			case followed && outside(target) || followed && strings.HasPrefix(path.Clean(beside), "../"):
				c.addAs(missingReference, bad, where, "name a file below the folder of the skill", "a link leads to %s, outside of the skill", spec.Quote(target))
			case there[path.Clean(target)] || there[beside]:
			case followed:
				c.add(missingReference, where, "the text leads to %s, which is not in the skill", spec.Quote(target))
			default:
				c.warn(missingReference, where, "the text names %s, which is not in the skill", spec.Quote(target))
			}
		}
	}
}

// outside tells whether a path leaves the folder that it is relative to.
func outside(p string) bool {
	p = strings.ReplaceAll(p, `\`, "/")
	clean := path.Clean(p)
	return strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || clean == ".." || strings.HasPrefix(clean, "../") ||
		len(p) > 1 && p[1] == ':' || strings.ContainsRune(p, 0)
}

var (
	linked = lazily(`\]\(\s*<?([^\s)>#?]+)`)
	named  = lazily(`(?:^|[\s"'` + "`" + `(=\[])((?:\./)?(?:scripts|references|assets|templates|resources|reference)/[A-Za-z0-9_./-]*[A-Za-z0-9_-]\.[A-Za-z0-9]{1,8})\b`)
	runner = lazily(`(?i)(?:\b(?:python[0-9.]*|bash|sh|zsh|node|ruby|perl|source|uv run|deno run|bun|tsx|pwsh)\s+(?:-\S+\s+)*|\$\s|\$\{?\w+\}?/)["']?$`)
)

// namedFiles yields the paths that a line names, and whether its reader is led
// there: by a link, or by a command that runs the file. What has a scheme, a place
// to fill in or a wildcard is none.
func namedFiles(line string) func(yield func(string, bool) bool) {
	return func(yield func(string, bool) bool) {
		if strings.Contains(line, "](") {
			for _, m := range linked().FindAllStringSubmatch(line, maxPipe) {
				target := m[1]
				drive := len(target) > 1 && target[1] == ':' // of Windows
				if strings.Contains(target, ":") && !drive || strings.HasPrefix(target, "//") || strings.ContainsAny(target, "<>{}*$") {
					continue
				}
				if strings.HasPrefix(target, "/") && !strings.Contains(path.Base(target), ".") {
					continue // a route of a web site
				}
				if dot := path.Ext(target); dot == "" && !strings.HasPrefix(target, "..") && !strings.Contains(target, "/") {
					continue // no file: a placeholder such as (url)
				}
				if !yield(target, true) {
					return
				}
			}
		}
		for _, m := range named().FindAllStringSubmatchIndex(line, maxPipe) {
			if !yield(strings.TrimPrefix(line[m[2]:m[3]], "./"), runner().MatchString(line[:m[2]])) {
				return
			}
		}
	}
}

// allowedTools holds the tools that a skill wants without a question against what
// is in it [SKL-003].
func (c *collector) allowedTools() {
	if c.tool.Skill == nil {
		return
	}
	scripts := slices.ContainsFunc(c.Release.Files, func(f spec.File) bool { k := fileKindOf(f); return k == pythonScript || k == otherScript })
	body := string(c.source[min(max(c.tool.Skill.Body, 0), len(c.source)):])
	for _, t := range c.tool.Skill.AllowedTools {
		name, scope, scoped := strings.Cut(strings.TrimSuffix(strings.TrimSpace(t), ")"), "(")
		where := c.locateText(t, 1)
		switch {
		case name == "*":
			c.add(wideTools, where, "allowed-tools has %s, which is every tool", spec.Quote(t))
		case name == "Bash" && (!scoped || strings.Trim(scope, "*: ") == ""):
			c.add(wideTools, where, "allowed-tools has %s, which is every command", spec.Quote(t))
		case name == "Bash" && !scripts && !strings.Contains(body, firstCommand(scope)):
			c.add(wideTools, where, "allowed-tools has %s, and the skill never says to run it", spec.Quote(t))
		case (name == "WebFetch" || name == "WebSearch") && !mentionsWeb(body):
			c.add(wideTools, where, "allowed-tools has %s, and the skill names nothing in the web", spec.Quote(t))
		}
	}
}

func firstCommand(scope string) string {
	words := strings.FieldsFunc(scope, func(r rune) bool { return r == ' ' || r == ':' || r == '*' })
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

func mentionsWeb(body string) bool {
	low := strings.ToLower(body)
	for _, w := range []string{"http", "web", "search", "url", "online", "internet", "fetch"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}
