package manifest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// capabilities reads what the tool may do. A member that is missing or wrong
// stays at its zero value, which grants nothing.
func (p *patchReader) capabilities(root *node) {
	c := &p.tool.Capabilities
	c.Filesystem = spec.FilesystemNone
	n := p.want(root, "", "capabilities", missingDefault)
	if n == nil || !p.is(n, kindObject, "capabilities") {
		return
	}
	const where = "/capabilities"
	p.keys(n, where, []string{"network", "filesystem", "human_confirm"})
	if v := p.want(n, where, "network", missingDefault); v != nil {
		c.Network = p.boolean(v, "network")
	}
	if v := p.want(n, where, "filesystem", missingDefault); v != nil {
		switch f := spec.Filesystem(v.text); {
		case v.kind == kindBroken:
		case v.kind == kindString && (f == spec.FilesystemNone || f == spec.FilesystemReadOnly || f == spec.FilesystemReadWrite):
			c.Filesystem = f
		default:
			p.add(badFilesystem, v.at, "filesystem is %s, allowed are none, read-only and read-write", shown(v))
		}
	}
	if v := p.want(n, where, "human_confirm", missingDefault); v != nil {
		c.HumanConfirm = p.boolean(v, "human_confirm")
	}
}

// boolean takes exactly true and false: yes, on and True are text here [C-20],
// and a capability must not depend on who reads it.
func (p *patchReader) boolean(n *node, what string) bool {
	if n.kind != kindBoolean {
		if n.kind != kindBroken {
			p.add(badCapability, n.at, "%s is %s, allowed are true and false", what, shown(n))
		}
		return false
	}
	return n.text == "true"
}

// shown repeats a value in a message: scalars as they are, others by kind.
func shown(n *node) string {
	switch n.kind {
	case kindString:
		return spec.Quote(n.text)
	case kindNumber, kindBoolean:
		return strings.Trim(spec.Quote(n.text), `"`)
	}
	return n.kind.String()
}

func (p *patchReader) runtime(root *node) {
	t := &p.tool.Runtime
	n := p.want(root, "", "runtime", missingKey)
	if n == nil || !p.is(n, kindObject, "runtime") {
		return
	}
	const where = "/runtime"
	p.keys(n, where, []string{"language", "python_version", "packages"})
	t.Language = "python"
	if v := p.want(n, where, "language", missingDefault); v != nil && v.kind != kindBroken && (v.kind != kindString || v.text != "python") {
		p.add(badLanguage, v.at, "the language is %s, allowed is python", shown(v))
	}
	if v := p.want(n, where, "python_version", missingKey); v != nil {
		p.pythonVersion(v)
	}
	if v := p.want(n, where, "packages", missingDefault); v != nil {
		p.packages(v)
	}
}

// isPythonVersion tells whether s is a version that a tool can name, 3.6 to 3.99.
func isPythonVersion(s string) bool {
	minor, ok := strings.CutPrefix(s, "3.")
	switch {
	case !ok || strings.Trim(minor, "0123456789") != "":
		return false
	case len(minor) == 1:
		return minor >= "6"
	}
	return len(minor) == 2 && minor[0] != '0'
}

func (p *patchReader) pythonVersion(n *node) {
	switch {
	case n.kind == kindNumber && isPythonVersion(n.text):
		// The spelling is used, not the number: 3.10 would become 3.1.
		p.addFix(numberPython, n.at, "write "+strconv.Quote(n.text), "python_version %s is a number, not a string", n.text)
	case n.kind != kindString && n.kind != kindNumber:
		p.is(n, kindString, "python_version")
		return
	case !isPythonVersion(n.text):
		p.add(badPython, n.at, "python_version %s is not 3.6 to 3.99 in two numbers", spec.Quote(n.text))
		return
	}
	p.tool.Runtime.PythonVersion = n.text
}

// pin is the published grammar of a package [PM-42].
var pin = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9._-]+==\d+(\.\d+){0,2}$`) })

const maxPin = 200

func (p *patchReader) packages(n *node) {
	if !p.is(n, kindArray, "packages") {
		return
	}
	if len(n.items) > limits.Packages {
		p.add(tooManyPackages, n.at, "there are %d packages, allowed are %d", len(n.items), limits.Packages)
		return
	}
	seen := map[string]string{}
	for i, item := range n.items {
		p.places["/runtime/packages/"+strconv.Itoa(i)] = item.at
		if !p.is(item, kindString, "a package") {
			continue
		}
		text := item.text
		if !pin().MatchString(text) || len(text) > maxPin {
			p.add(notPinned, item.at, "package %s is %s", spec.Quote(text), refusedClass(text))
			continue
		}
		name, _, _ := strings.Cut(text, "==")
		// pip takes a name that begins with a dash for an option: "-r==1".
		if !alphanumeric(name[0]) || !alphanumeric(name[len(name)-1]) {
			p.add(badPackageName, item.at, "package %s must begin and end its name with a letter or digit", spec.Quote(text))
			continue
		}
		normal := normalPackage(name)
		if other := seen[normal]; other != "" {
			p.add(duplicatePackage, item.at, "packages %s and %s are the same project", spec.Quote(other), spec.Quote(text))
			continue
		}
		seen[normal] = text
		p.tool.Runtime.Packages = append(p.tool.Runtime.Packages, text)
	}
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

var separators = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[-_.]+`) })

// normalPackage is the name under which package indexes compare (PEP 503).
func normalPackage(name string) string {
	return separators().ReplaceAllString(strings.ToLower(name), "-")
}

// refusal is a class of requirement that is no pin of one to three numbers.
type refusal struct {
	pattern *regexp.Regexp
	class   string
}

// refusals are the classes [C-5], the telling ones first. They are compiled
// when the first package is refused: compiling them at every start would cost
// more than reading a manifest.
var refusals = sync.OnceValue(func() []refusal {
	var out []refusal
	for _, r := range [][2]string{
		{`^\s*$`, "empty"},
		{`^\s|\s$`, "a pin with spaces around it"},
		{`^-[^=]*( |$)`, "an option of pip"},
		{`://|@|^\.{0,2}/`, "a URL or path"},
		{`;`, "a requirement with an environment marker"},
		{`--hash`, "a pin with a hash, which belongs in the registry's lock"},
		{`\[`, "a package with extras"},
		{`===`, "an arbitrary equality, pins have two equals signs"},
		{`,|[<>~!]=|[<>]`, "a range of versions"},
		{`==.*\*`, "a wildcard"},
		{`\s`, "a pin with spaces in it"},
		{`^[^=]*$`, "not pinned to a version"},
		{`^[^=]*=[^=]`, "pinned with one equals sign instead of two"},
		{`==\d+!`, "a version with an epoch"},
		{`==.*\+`, "a local version"},
		{`==[vV]\d`, "a version with a leading v"},
		{`(?i)==[\d.]+[-_.]?dev`, "a development release"},
		{`(?i)==[\d.]+[-_.]?(a|b|c|rc|alpha|beta|pre|preview)`, "a pre-release"},
		{`(?i)==[\d.]+([-_.]?(post|rev|r)\d*|-\d+)$`, "a post-release"},
		{`==\d+(\.\d+){3,}$`, "a version of four or more parts"},
	} {
		out = append(out, refusal{regexp.MustCompile(r[0]), r[1]})
	}
	return out
})

// refusedClass names what a package entry is instead of a pin.
func refusedClass(text string) string {
	if len(text) > maxPin {
		return "too long"
	}
	for _, r := range refusals() {
		if r.pattern.MatchString(text) {
			return r.class
		}
	}
	return "not of the form name==1.2.3"
}

// needs reads what the code does beyond network and files. What it does not say
// is not granted, so a word that nobody knows is refused and not passed over.
func (p *patchReader) needs(n *node) {
	if !p.is(n, kindArray, "x-needs") {
		return
	}
	var said []string
	for i, item := range n.items {
		p.places["/x-needs/"+strconv.Itoa(i)] = item.at
		switch {
		case item.kind == kindBroken:
		case item.kind != kindString || !slices.Contains(spec.Needs(), item.text):
			p.add(badNeed, item.at, "x-needs has %s, allowed are %s", shown(item), strings.Join(spec.Needs(), ", "))
		case slices.Contains(said, item.text):
			p.add(duplicateNeed, item.at, "%s stands twice in x-needs", spec.Quote(item.text))
		default:
			said = append(said, item.text)
		}
	}
	for _, word := range spec.Needs() { // in one order, so that versions compare
		if slices.Contains(said, word) {
			p.tool.Needs = append(p.tool.Needs, word)
		}
	}
}

// providers are the accounts for which a token can be had [PM-47].
var providers = []string{"gmail", "google_calendar", "slack", "github", "linear"}

var scopeGrammar = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([a-z][a-z0-9_]*)\.([A-Za-z0-9][A-Za-z0-9_.:-]{0,99})$`)
})

const maxScopes = 32

func (p *patchReader) externalAuth(n *node) {
	if !p.is(n, kindArray, "external_auth") {
		return
	}
	if len(n.items) > maxScopes {
		p.add(badScope, n.at, "there are %d scopes, allowed are %d", len(n.items), maxScopes)
		return
	}
	first := ""
	for i, item := range n.items {
		p.places["/external_auth/"+strconv.Itoa(i)] = item.at
		if !p.is(item, kindString, "a scope") {
			continue
		}
		m := scopeGrammar().FindStringSubmatch(item.text)
		switch {
		case m == nil:
			p.add(badScope, item.at, "scope %s is not of the form <provider>.<scope>", spec.Quote(item.text))
			continue
		case !slices.Contains(providers, m[1]):
			p.add(badProvider, item.at, "provider %s is not supported", spec.Quote(m[1]))
			continue
		case first != "" && first != m[1]:
			p.add(manyProviders, item.at, "the providers %s and %s are asked for at once", first, m[1])
			continue
		case slices.Contains(p.tool.ExternalAuth, item.text):
			p.add(duplicateScope, item.at, "scope %s stands twice", spec.Quote(item.text))
			continue
		}
		first = m[1]
		p.tool.ExternalAuth = append(p.tool.ExternalAuth, item.text)
	}
}
