package quarantine

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/spec"
)

// A description has so many characters at most. Models read a list of them, and
// what is longer is a manual; above the second bound it is an error whatever the
// manifest's own rules say of its format.
const (
	maxDescription = 1024
	maxManual      = 2048
)

// prose is what a text of the manifest describes.
type prose int

const (
	ofTool    prose = iota
	ofPart          // an input or the output: it may name a file or an address by way of example
	ofRequest       // one of x-examples, which are orders by nature
)

// of tells what a field describes.
func (f field) of() prose {
	switch {
	case f.name == "description":
		return ofTool
	case strings.HasPrefix(f.name, "x-examples["):
		return ofRequest
	}
	return ofPart
}

// grammar holds a description against what a description is: a paragraph of
// plain sentences that says what the tool does.
func grammar(text string, of prose) []remark {
	var out []remark
	example := of != ofTool
	found := func(mild bool, at int, seen string, args ...any) {
		r := remark{rule: descriptionGrammar, mild: mild, line: 1 + strings.Count(text[:at], "\n")}
		r.format(seen, args...)
		out = append(out, r)
	}
	if n := utf8.RuneCountInString(text); n > maxDescription {
		found(n <= maxManual, 0, "has %d characters, allowed are %d", n, maxDescription)
		text = text[:min(len(text), maxGrammar)]
	}
	if at, tag := markupTag(text); at >= 0 {
		found(false, at, "has markup, %s", spec.Quote(tag))
	}
	if at := strings.Index(text, "```"); at >= 0 {
		found(false, at, "has a block of code")
	} else if at, code := shellSpan(text); at >= 0 {
		found(false, at, "has a shell command, %s", spec.Quote(code))
	}
	kinds := map[string]bool{}
	for at, w := range wordsOf(text) {
		kind := oddWord(w)
		if kind == "" || kinds[kind] {
			continue
		}
		kinds[kind] = true
		found(example || kind == "an address of the web", at, "has %s, %s", kind, spec.Quote(w))
	}
	if m := phone().FindStringIndex(text); m != nil {
		found(example, m[0], "has a telephone number, %s", spec.Quote(text[m[0]:m[1]]))
	}
	if at := emptyLine(text); at >= 0 {
		found(true, at, "has an empty line, so more than one paragraph")
	}
	if at, order := orderToReader(text); at >= 0 && of != ofRequest {
		found(true, at, "gives its reader an order, %s", spec.Quote(order))
	}
	return out
}

// maxGrammar bounds what is looked at of a description that is too long anyway.
const maxGrammar = 1 << 16

// wordsOf yields what stands between blanks, without the punctuation around it.
func wordsOf(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for begin, w := range wordsBetweenBlanks(text) {
			w = strings.TrimRight(w, ".,;:!?)]}>\"'*_`")
			cut := len(w) - len(strings.TrimLeft(w, "([{<\"'*_`"))
			if w = w[cut:]; w != "" && !yield(begin+cut, w) {
				return
			}
		}
	}
}

// oddWord tells what a description does not consist of: "" for a word.
func oddWord(w string) string {
	switch {
	case strings.Contains(w, "://"), strings.HasPrefix(w, "www."):
		return "an address of the web"
	case isEmail(w):
		return "an e-mail address"
	case isPath(w):
		return "a path"
	case isProgram(w):
		return "the name of a program or an archive"
	}
	return ""
}

func isEmail(w string) bool {
	local, domain, ok := strings.Cut(strings.TrimPrefix(w, "mailto:"), "@")
	name, tld, dotted := cutLast(domain, ".")
	return ok && local != "" && dotted && name != "" && len(tld) >= 2 && !strings.ContainsAny(w, "/=<>{}") &&
		strings.IndexFunc(tld, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// settings are the files and folders of a home or a project whose names begin
// with a dot and that hold secrets, or decide what runs.
const settings = " env ssh aws git gnupg kube docker netrc npmrc pypirc bashrc bash_profile bash_history zshrc zsh_history profile config cache local " +
	"cursor claude vscode codex gemini mcp gitconfig git-credentials htpasswd pgpass azure gcloud mozilla electrum bitcoin ethereum "

// roots are the folders at the top of a file system; /search is a route.
const roots = " bin boot dev etc home lib lib64 library media mnt opt private proc root run sbin srv sys system tmp users usr var volumes workspace "

// isPath tells whether the word is an absolute path, one that begins with dots,
// or a hidden file; an ending of file names such as .docx is none.
func isPath(w string) bool {
	w = strings.ReplaceAll(w, `\`, "/")
	switch {
	case strings.HasPrefix(w, "~/"), strings.HasPrefix(w, "./"), strings.HasPrefix(w, "../"), strings.HasPrefix(w, "$HOME"):
		return true
	case len(w) > 2 && w[1] == ':' && w[2] == '/' && unicode.IsLetter(rune(w[0])):
		return true
	case strings.HasPrefix(w, "//") && len(w) > 3 && strings.Contains(w[3:], "/"):
		return true // a share of Windows
	case strings.HasPrefix(w, "/"):
		first, _, _ := strings.Cut(w[1:], "/")
		return first != "" && strings.Contains(roots, " "+strings.ToLower(first)+" ")
	case strings.HasPrefix(w, "."):
		name, _, _ := strings.Cut(w[1:], "/")
		base, _, _ := strings.Cut(name, ".")
		return base != "" && strings.Contains(settings, " "+strings.ToLower(base)+" ")
	}
	return strings.Contains(w, "/.ssh") || strings.Contains(w, "/.env") || strings.Contains(w, "/../")
}

// programs are the endings of files that are run, or that hold such.
const programs = " sh bash zsh ps1 psm1 bat cmd exe msi dmg pkg scr vbs jar app deb rpm apk zip rar 7z py pyw "

func isProgram(w string) bool {
	_, w, _ = cutLast("/"+strings.ReplaceAll(w, `\`, "/"), "/")
	name, ending, ok := cutLast(w, ".")
	return ok && name != "" && strings.Trim(name, "*.") != "" && strings.Contains(programs, " "+strings.ToLower(ending)+" ")
}

// elements are those of HTML that a description could be dressed with; a
// placeholder such as <path> is none of them.
const elements = " a abbr article aside audio b base big blink blockquote body br button canvas center code col dd del details dialog div dl dt em embed " +
	"fieldset figure font footer form frame h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map mark marquee " +
	"math meta nav noscript object ol option p param picture pre q s samp script section select small source span strike strong style sub summary sup svg " +
	"table tbody td template textarea tfoot th thead title tr track tt u ul var video wbr "

// markupTag finds a tag of HTML, or of anything that has an end or attributes.
func markupTag(text string) (at int, tag string) {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '<')
		if i < 0 {
			return -1, ""
		}
		i += from
		from = i + 1
		end := strings.IndexAny(text[from:min(len(text), from+maxTag)], "<>")
		if end < 0 || text[from+end] != '>' {
			continue
		}
		inside := text[from : from+end]
		name, attributes, _ := strings.Cut(strings.TrimSuffix(inside, "/"), " ")
		switch {
		case strings.HasPrefix(inside, "!"), strings.HasPrefix(inside, "?"),
			len(name) > 1 && name[0] == '/' && isTagName(name[1:]),
			isTagName(name) && strings.Contains(elements, " "+strings.ToLower(name)+" "),
			isTagName(name) && strings.Contains(attributes, "="):
			return i, text[i : from+end+1]
		}
	}
}

func isTagName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != ':'
	}) < 0
}

// commands are programs of a shell; a span of code that begins with one of them
// and goes on is a command.
const commands = " curl wget bash sh zsh sudo su chmod chown rm mv cp cat echo export source eval python python3 pip pip3 uv uvx npm npx pnpm yarn node deno bun " +
	"go cargo git docker kubectl ssh scp rsync nc ncat powershell pwsh cmd iex iwr start osascript apt apt-get brew make tar unzip openssl base64 crontab kill "

// shellSpan finds a span of code that is a shell command.
func shellSpan(text string) (at int, code string) {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '`')
		if i < 0 {
			return -1, ""
		}
		i += from
		n := strings.IndexByte(text[i+1:min(len(text), i+1+maxTag)], '`')
		if n < 0 {
			from = i + 1
			continue
		}
		code = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text[i+1:i+1+n]), "$ "))
		first, rest, _ := strings.Cut(code, " ")
		if rest != "" && strings.Contains(commands, " "+strings.ToLower(first)+" ") || strings.Contains(code, "&&") || strings.Contains(code, "$(") ||
			strings.Contains(code, " | ") && !strings.Contains(code, "||") && strings.Count(code, " ") > 2 {
			return i, code
		}
		from = i + n + 2
	}
}

var phone = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\+[1-9][0-9]{0,2}[ .()-]{1,2}[0-9][0-9 .()-]{6,14}[0-9]|\+[1-9][0-9]{8,14}\b|\b[0-9]{3}[-.][0-9]{3}[-.][0-9]{4}\b|\([0-9]{3}\) ?[0-9]{3}[-. ][0-9]{4}\b`)
})

// emptyLine returns where a second paragraph begins, -1 where there is none.
func emptyLine(text string) int {
	text = strings.TrimRight(text, " \t\r\n")
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
		if rest := strings.TrimLeft(text[at:], " \t\r"); strings.HasPrefix(rest, "\n") {
			return at
		}
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\r"))
	}
}

// orders are how a sentence begins that tells its reader what to do, rather than
// what the tool does.
var orders = [...]string{
	"always ", "never ", "you must", "you should", "you need to", "you have to", "you are ", "make sure", "be sure", "do not ", "don't ", "remember ",
	"important", "ensure ", "please ", "note:", "note that you", "if you ", "before you", "after you", "warning", "critical", "required", "must ",
}

// orderToReader finds the first sentence that begins with an order.
func orderToReader(text string) (at int, order string) {
	begin := true
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '.' || c == '!' || c == '?' || c == '\n' || c == ';' || c == ':':
			begin = true
		case strings.IndexByte(" \t*#->_`(\"", c) >= 0:
		case begin:
			begin = false
			head := strings.ToLower(text[i:min(len(text), i+16)])
			for _, o := range orders {
				if strings.HasPrefix(head, o) {
					sentence, _, _ := strings.Cut(text[i:min(len(text), i+maxTag)], ".")
					return i, sentence
				}
			}
		}
	}
	return -1, ""
}
