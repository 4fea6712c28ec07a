package quarantine

import (
	"regexp"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/spec"
)

// An order is a line of text that has its reader fetch something and run it. It is
// one wherever it stands, in a block of code, a sentence or a comment: a model
// reads all of them, and whoever wrote the text chose the place.
type order struct {
	line int  // from 1
	mild bool // of a known project, or nothing but a name that nobody knows
	seen string
}

// maxOrders is how many orders a text is good for; the report lists fewer.
const maxOrders = 100

// findOrders finds them, line by line. A line that ends with a backslash goes on.
func findOrders(text string) []order {
	var out []order
	told := map[string]bool{}
	fetched := map[string]bool{} // files that lines before have downloaded
	add := func(line int, mild bool, seen string) {
		if !told[seen] && len(out) < maxOrders {
			told[seen] = true
			out = append(out, order{line, mild, seen})
		}
	}
	for first, line := range commandLines(text) {
		if len(fetched) == 0 && !mayOrder(line) {
			continue
		}
		low := strings.ToLower(line)
		if hasAny(low, "curl", "wget", "fetch", "aria2c", "iwr", "irm", "invoke-", "base64", "base32", "xxd", "openssl", "rev", "tr ") {
			pipedOrders(first, line, add)
		}
		if len(fetched) > 0 || hasAny(low, "curl", "wget", "aria2c", "iwr", "invoke-webrequest") {
			droppedOrders(first, line, fetched, add)
		}
		packageOrders(first, line, low, add)
		for _, o := range plainOrders() {
			if !hasAny(low, o.words...) {
				continue
			}
			if m := o.find.FindString(line); m != "" {
				add(first, false, o.seen+": "+spec.Quote(strings.TrimSpace(m)))
			}
		}
	}
	return out
}

// mayOrder tells the lines that are worth a closer look: every expression below asks
// for one of these words, or for a pipe.
func mayOrder(line string) bool {
	return strings.IndexByte(line, '|') >= 0 || hasAny(strings.ToLower(line),
		"curl", "wget", "fetch", "aria2c", "iwr", "irm", "invoke-", "download", "base64", "base32", "xxd", "powershell", "exec", "eval", "pip", "easy_install",
		"conda", "mamba", "uv", "npm", "npx", "yarn", "bun", "zip", "7z", "rar", "archive", "xattr", "spctl", "apt", "cargo", "rpm", "dnf", "yum", "zypper", "dpkg", "msiexec")
}

func hasAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// longestCommand bounds one line; what is longer is cut, and long lines have
// rules of their own.
const longestCommand = 4096

// commandLines yields lines with their numbers, those that go on as one.
func commandLines(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		n, first := 0, 0
		var whole strings.Builder
		for line := range strings.Lines(text) {
			n++
			if whole.Len() == 0 {
				first = n
			}
			line = strings.TrimRight(line, "\r\n")
			cut, goesOn := strings.CutSuffix(strings.TrimRight(line, " \t"), `\`)
			if goesOn && whole.Len() < longestCommand {
				whole.WriteString(cut + " ")
				continue
			}
			whole.WriteString(line)
			one := whole.String()
			whole.Reset()
			if !yield(first, one[:min(len(one), longestCommand)]) {
				return
			}
		}
		if whole.Len() > 0 {
			yield(first, whole.String()[:min(whole.Len(), longestCommand)])
		}
	}
}

// expressions are compiled when they are first needed: most releases have no text
// that asks for them.
var (
	fetches    = lazily(`(?i)\b(?:curl|wget|fetch|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod)(?:\.exe)?\b`)
	remote     = lazily(`(?i)(?:https?|ftps?)://[^\s"'` + "`" + `)>|;]+|\$\{?[A-Za-z_]|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/\S`)
	decodes    = lazily(`(?i)\b(?:base64|base32|gbase64)\b[^|]*\s(?:-d\w*|-D|--decode)\b|\bxxd\b[^|]*\s-r|\bopenssl\s+(?:enc|base64)\b[^|]*\s-d\b|\b(?:rev|tr)\s+['"]?[A-Za-z-]{2,}['"]?\s+['"]?[A-Za-z-]{2,}`)
	runsIt     = lazily(`(?i)^[\s"'` + "`" + `(]*(?:(?:sudo|doas|env|nohup|exec|command)\s+(?:-\S+\s+|\w+=\S*\s+)*)*(?:/\S*/)?(sh|bash|zsh|dash|ksh|ash|fish|python[0-9.]*|perl|ruby|node|php|deno|bun|osascript|pwsh|powershell|iex|invoke-expression|cmd)(?:\.exe)?((?:\s[^|]*)?)$`)
	webAddress = lazily(`(?i)\b(?:https?|ftps?)://[^\s"'` + "`" + `)>|;\\]+`)
)

func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// plainOrder is one that an expression alone tells.
type plainOrder struct {
	words []string // one of which it cannot do without
	find  *regexp.Regexp
	seen  string
}

var plainOrders = sync.OnceValue(func() []plainOrder {
	var out []plainOrder
	for _, o := range []struct{ words, find, seen string }{
		{"curl wget fetch", `(?i)\b(?:sh|bash|zsh|dash|ksh|source|eval|python[0-9.]*)\b[^|;&]{0,40}?(?:<\(|\$\(|` + "`" + `)\s*(?:sudo\s+)?(?:curl|wget|fetch)\b[^)` + "`" + `]*`, "runs what it downloads"},
		{"iex invoke-expression", `(?i)\b(?:iex|invoke-expression)\b.{0,80}\b(?:irm|iwr|invoke-webrequest|invoke-restmethod|downloadstring)\b.{0,200}`, "runs what it downloads"},
		{"downloadstring downloaddata", `(?i)\b(?:downloadstring|downloaddata)\s*\(.{0,200}\)[^|]{0,40}\|\s*(?:iex|invoke-expression)\b`, "runs what it downloads"},
		{"base64 base32 xxd", `(?i)\b(?:sh|bash|zsh|eval|source|exec)\b[^|;&]{0,40}(?:<<<|\$\(|<\(|` + "`" + `).{0,300}\b(?:base64|base32|xxd)\b[^|)]{0,40}\s(?:-d\w*|-D|-r\w*|--decode)\b`, "runs what it decodes"},
		{"powershell", `(?i)\bpowershell(?:\.exe)?\b.{0,80}\s-e(?:nc?|ncodedcommand)?\s+[A-Za-z0-9+/=]{16,}`, "hides what it runs"},
		{"b64decode urlopen requests.get fromhex decompress", `(?i)\b(?:exec|eval)\s*\(.{0,80}\b(?:b64decode|urlopen|requests\.get|fromhex|decompress)\b`, "runs what it fetches or decodes"},
		{"unzip", `(?i)\bunzip\b[^|;&]{0,200}\s(?-i:-P)\s*\S+`, "opens an archive by a password"},
		{"7z", `(?i)\b(?:7z|7za|7zz|7zr)\s+[xe]\b[^|;&]{0,200}\s-p\S+`, "opens an archive by a password"},
		{"rar", `(?i)\b(?:unrar|rar)\s+[xe]\b[^|;&]{0,200}\s-p\S+`, "opens an archive by a password"},
		{"zip rar 7z archive", `(?i)(?:\.zip|\.rar|\.7z|\barchive)\b.{0,120}\bpass(?:word|phrase|code)?\b\s*(?:is\b|:|=)\s*["'` + "`*" + `]*[\w!@#$%-]{3,}`, "opens an archive by a password"},
		{"xattr", `(?i)\bxattr\s+-\w*[cd]\w*\s+(?:com\.apple\.quarantine|\S)`, "takes away what protects from downloads"},
		{"spctl set-executionpolicy -executionpolicy", `(?i)\bspctl\s+--(?:master|global)-disable|\bset-executionpolicy\s+(?:-\S+\s+)*(?:bypass|unrestricted)\b|\b-ExecutionPolicy\s+Bypass\b`, "takes away what protects from downloads"},
		{"apt-key apt-repository", `(?i)\b(?:apt-key\s+add|add-apt-repository|apt-add-repository)\b\s+\S+`, "adds a source of packages"},
		{"cargo", `(?i)\bcargo\s+install\b[^|;&]{0,120}--git\s+\S+`, "installs what a repository has at the moment"},
		{"rpm dnf yum zypper dpkg apt", `(?i)\b(?:rpm|dnf|yum|zypper|dpkg|apt|apt-get)\b[^|;&]{0,60}\s(?:https?|ftp)://\S+`, "installs a package from an address"},
		{"msiexec", `(?i)\bmsiexec\b[^|;&]{0,80}\s(?:https?)://\S+`, "installs a package from an address"},
	} {
		out = append(out, plainOrder{strings.Fields(o.words), regexp.MustCompile(o.find), o.seen})
	}
	return out
})

// pipedOrders finds pipes from what fetches or decodes into what runs its input.
func pipedOrders(line int, text string, add func(int, bool, string)) {
	if !strings.Contains(text, "|") {
		return
	}
	parts := strings.Split(text, "|")
	if len(parts) > maxPipe {
		parts = parts[:maxPipe]
	}
	from := "" // what an earlier part does
	var source string
	for i, p := range parts {
		if m := runsIt().FindStringSubmatch(cutCommand(p)); i > 0 && from != "" && m != nil && readsInput(strings.ToLower(m[1]), m[2]) {
			known := from == "downloads" && knownInstaller(source)
			seen := "runs what it " + from + ": " + spec.Quote(strings.TrimSpace(text))
			add(line, known, seen)
			return
		}
		switch {
		case decodes().MatchString(p):
			from = "decodes"
		case from == "" && fetches().MatchString(p) && remote().MatchString(p):
			from, source = "downloads", webAddress().FindString(p)
		}
	}
}

// maxPipe bounds the parts of one line.
const maxPipe = 64

// cutCommand ends a part of a pipe at the end of its command.
func cutCommand(p string) string {
	if i := strings.IndexAny(p, ";&`"); i > 0 {
		p = p[:i]
	}
	return strings.TrimRight(p, " \t.,)\"'`")
}

// readsInput tells whether an interpreter with these arguments takes its program
// from its input. With code or a file in its arguments it takes data from there.
func readsInput(interpreter, arguments string) bool {
	words := strings.Fields(arguments)
	if interpreter == "iex" || interpreter == "invoke-expression" {
		return true
	}
	for _, w := range words {
		switch {
		case w == "-" || w == "/dev/stdin" || strings.HasPrefix(w, "-s"):
			return true
		case strings.HasPrefix(w, ">") || strings.HasPrefix(w, "2>") || w == "--":
			return true
		case strings.HasPrefix(w, "-c"), strings.HasPrefix(w, "-m"), strings.HasPrefix(w, "-e") && interpreter != "bash" && interpreter != "sh",
			strings.HasPrefix(w, "-n"), strings.HasPrefix(w, "-p"), strings.HasPrefix(w, "-r"), strings.HasPrefix(w, "--eval"), strings.HasPrefix(w, "--print"):
			return false
		case strings.HasPrefix(w, "-"):
		default:
			return false // a file, which reads its input
		}
	}
	return true
}

var (
	savedAs = lazily(`(?i)\b(?:curl|wget|aria2c|iwr|invoke-webrequest)\b[^|;&]*?\s(?:-[a-z]*o|--output|--output-document|--remote-name|-outfile)[ =]["']?([A-Za-z0-9_./~$\\-]+)`)
	started = lazily(`(?i)(?:^|[;&|(` + "`" + `]|&&|\brun\s|\bthen\s)\s*(?:sudo\s+)?(?:(?:bash|sh|zsh|source|python[0-9.]*|node|perl|ruby|open|start)\s+)?["']?([A-Za-z0-9_./~$\\-]+)`)
	allowed = lazily(`(?i)\bchmod\s+(?:-\S+\s+)*(?:\+x|[ugoa]*\+\w*x\w*|[0-7]*[157][0-7]*)\s+["']?([A-Za-z0-9_./~$\\-]+)`)
)

// droppedOrders finds files that are downloaded and then run, in one line or in two.
func droppedOrders(line int, text string, fetched map[string]bool, add func(int, bool, string)) {
	for _, find := range []func() *regexp.Regexp{allowed, started} {
		if len(fetched) == 0 && !fetches().MatchString(text) {
			break
		}
		for _, m := range find().FindAllStringSubmatch(text, maxPipe) {
			if name := plainFile(m[1]); fetched[name] {
				add(line, false, "runs a file that it has downloaded: "+spec.Quote(name))
			}
		}
	}
	for name, rest := range downloads(text) {
		fetched[name] = true
		// The rest of the line may run it at once.
		for _, find := range []func() *regexp.Regexp{allowed, started} {
			for _, again := range find().FindAllStringSubmatch(rest, maxPipe) {
				if plainFile(again[1]) == name {
					add(line, false, "runs a file that it has downloaded: "+spec.Quote(name))
				}
			}
		}
	}
}

// downloads yields the files that a line saves from the network, and what follows on
// the line.
func downloads(text string) func(yield func(string, string) bool) {
	return func(yield func(string, string) bool) {
		for _, m := range savedAs().FindAllStringSubmatchIndex(text, maxPipe) {
			name := ""
			if m[2] >= 0 && !strings.HasPrefix(text[m[2]:m[3]], "http") {
				name = plainFile(text[m[2]:m[3]])
			}
			if name == "" { // curl -O takes the name of the address
				name = plainFile(strings.SplitN(webAddress().FindString(text[m[0]:]), "?", 2)[0])
			}
			if name != "" && !strings.HasPrefix(name, "-") && !yield(name, text[m[1]:]) {
				return
			}
		}
	}
}

// plainFile is the last part of a path.
func plainFile(path string) string {
	path = strings.TrimRight(strings.ReplaceAll(path, `\`, "/"), "/.,")
	return path[strings.LastIndexByte(path, '/')+1:]
}
