package quarantine

import (
	"regexp"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

var (
	installsPython = lazily(`(?i)\b(?:pip[0-9.]*|pipx|uv\s+pip|uv\s+tool|easy_install|micropip|conda|mamba)\s+(?:install|run|inject)\b([^|;&` + "`" + `)]*)`)
	runsPython     = lazily(`(?i)\buvx\b([^|;&` + "`" + `)]*)`)
	installsNode   = lazily(`(?i)\b(?:npm|pnpm|yarn|bun)\s+(?:global\s+)?(?:install|i|add|isntall|link)\b([^|;&` + "`" + `)]*)`)
	runsNode       = lazily(`(?i)\b(?:npx|bunx|pnpx|(?:pnpm|yarn)\s+dlx|npm\s+exec)\b([^|;&` + "`" + `)]*)`)
	globally       = lazily(`(?i)\b(?:npm|pnpm|yarn|bun)\b[^|;&]*\s(?:-g|--global|global)\b`)
)

// packageOrders finds packages that are installed from elsewhere than their index,
// or by a name that nobody knows.
func packageOrders(line int, text, low string, add func(int, bool, string)) {
	if hasAny(low, "pip", "uv", "easy_install", "conda", "mamba") {
		pythonOrders(line, text, add)
	}
	if !hasAny(low, "npm", "npx", "yarn", "bun") {
		return
	}
	global := globally().MatchString(text)
	for _, m := range installsNode().FindAllStringSubmatch(text, maxPipe) {
		nodeOrder(line, m[1], global, false, add)
	}
	for _, m := range runsNode().FindAllStringSubmatch(text, maxPipe) {
		nodeOrder(line, m[1], true, true, add)
	}
}

func pythonOrders(line int, text string, add func(int, bool, string)) {
	for _, find := range []*regexp.Regexp{installsPython(), runsPython()} {
		for _, m := range find.FindAllStringSubmatch(text, maxPipe) {
			pythonOrder(line, m[1], add)
		}
	}
}

// pythonOrder looks at what stands behind pip install.
func pythonOrder(line int, arguments string, add func(int, bool, string)) {
	words := strings.Fields(arguments)
	for i := 0; i < len(words); i++ {
		w := strings.Trim(words[i], `"',.:*_`)
		option, _, _ := strings.Cut(w, "=")
		switch {
		case elsewhere(w):
			add(line, false, "installs a package from an address: "+spec.Quote(w))
			return
		case option == "-i", option == "--index-url", option == "--extra-index-url", option == "-f", option == "--find-links", option == "--trusted-host", option == "--index":
			add(line, false, "installs packages from an index of its own: "+spec.Quote(strings.TrimSpace(arguments)))
			return
		case w == "-r", w == "--requirement", w == "-c", w == "--constraint", w == "-e", w == "--editable", w == "--python", w == "-p", w == "-n", w == "--name", w == "-t", w == "--target":
			i++ // the file, which is beside
		case w == "--from", w == "--with":
		case strings.HasPrefix(w, "-"), w == "":
		case strings.ContainsAny(w, "/\\<>{}$()=") && !strings.ContainsAny(w, "=<>~"), strings.HasPrefix(w, "."):
			return // a path, or a place to fill in
		default:
			name := requirementName(w)
			if !isPackageName(name) || spoken(name) {
				return // the sentence goes on
			}
			pythonName(line, normalName(name), add)
			if strings.HasPrefix(strings.TrimSpace(words[i]), "`") || strings.ContainsAny(words[i], ".`") && strings.HasSuffix(words[i], ".") {
				return
			}
		}
	}
}

func pythonName(line int, name string, add func(int, bool, string)) {
	if knownPackage(name) {
		return
	}
	if near, how := nearPackage(name); near != "" && how != "it is that name with something added" {
		add(line, false, "installs the package "+spec.Quote(name)+", which is not known, but "+spec.Quote(near)+" is: "+how)
		return
	}
	add(line, true, "installs the package "+spec.Quote(name)+", which is not known")
}

// requirementName is the name of a requirement: up to extras, versions and markers.
func requirementName(w string) string {
	if i := strings.IndexAny(w, "[<>=!~;@ "); i >= 0 {
		w = w[:i]
	}
	return w
}

// nodeOrder looks at what stands behind npm install and npx.
func nodeOrder(line int, arguments string, global, first bool, add func(int, bool, string)) {
	for w := range strings.FieldsSeq(arguments) {
		w = strings.Trim(w, `"',.:*_`)
		name := w
		if at := strings.LastIndexByte(w, '@'); at > 0 {
			name = w[:at]
		}
		switch {
		case elsewhere(w), strings.HasPrefix(w, "github:"), strings.HasPrefix(w, "gitlab:"), strings.HasPrefix(w, "gist:"), strings.HasPrefix(w, "bitbucket:"):
			add(line, false, "installs a package from an address: "+spec.Quote(w))
			return
		case strings.HasPrefix(w, "--registry"):
			add(line, false, "installs packages from an index of its own: "+spec.Quote(strings.TrimSpace(arguments)))
			return
		case strings.HasPrefix(w, "-"), w == "":
			continue
		case !isNodeName(name), spoken(name):
			return
		case global && !sources().npm[name]:
			what := "installs for the whole machine the package "
			if first {
				what = "runs the package "
			}
			add(line, first, what+spec.Quote(name)+", which is not known")
		}
		if first {
			return // what follows are its arguments
		}
	}
}

func isNodeName(s string) bool {
	bare := s
	if strings.HasPrefix(s, "@") {
		var ok bool
		if _, bare, ok = strings.Cut(s, "/"); !ok {
			return false
		}
	}
	if bare == "" {
		return false
	}
	for i := range len(bare) {
		c := bare[i]
		plain := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !plain && (i == 0 || !strings.ContainsRune("-_.", rune(c))) {
			return false
		}
	}
	return true
}

// elsewhere tells whether a requirement names the place that it comes from.
func elsewhere(w string) bool {
	return strings.Contains(w, "://") && !strings.Contains(w, "<") && !strings.Contains(w, "{") || strings.HasPrefix(w, "git+") || strings.HasPrefix(w, "git@")
}

// spoken tells the words that follow "pip install" in a sentence about it.
func spoken(w string) bool {
	switch strings.ToLower(w) {
	case "the", "a", "an", "it", "this", "that", "these", "them", "all", "any", "and", "or", "if", "is", "are", "for", "from", "with", "via", "in", "on", "to", "of", "as", "at",
		"your", "its", "their", "our", "package", "packages", "dependencies", "dependency", "required", "missing", "needed", "command", "commands", "only", "first", "into", "using",
		"not", "may", "will", "can", "must", "should", "fails", "failed", "works", "when", "then", "before", "after", "yourself", "name", "names", "package-name", "package_name",
		"packagename", "mypackage", "my-package", "something", "anything", "everything", "more", "new", "other", "instead", "again", "step", "steps", "script", "scripts", "was", "has", "have", "do", "does", "by":
		return true
	}
	return false
}
