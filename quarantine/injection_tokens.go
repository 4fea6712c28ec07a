package quarantine

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a word as its reader takes it, or the end of a sentence.
type token struct {
	text    string
	line    int
	classes classes
	end     bool // of a sentence or a paragraph
	begin   bool // the word begins a clause, or follows one that gives an order
	denies  bool // "not", unless it is "not forget"
}

// passage is a piece of a text that is read at once. Passages overlap, so that
// what is said across the border of two is read in the second.
type passage struct {
	words []token
	fresh int     // from here on the words are in no passage before
	has   classes // of all words
}

// A passage ends with a paragraph once it has so many words, or without.
const (
	minPassage = 48
	maxPassage = 400
	overlap    = 40
	maxWord    = 64 // bytes of a word that are kept
)

// reader makes tokens of a text.
type reader struct {
	*wordlist
	passage
	line  int
	begin bool // the next word begins a clause
}

// passages yields the passages of a text; each is gone when the next one comes.
func (l *wordlist) passages(text string) func(yield func(*passage) bool) {
	return func(yield func(*passage) bool) {
		r := &reader{wordlist: l, begin: true}
		flush := func() bool {
			r.has = classes{}
			for i := range r.passage.words {
				r.has.add(r.passage.words[i].classes)
			}
			if len(r.passage.words) > r.fresh && !yield(&r.passage) {
				return false
			}
			n := copy(r.passage.words, r.passage.words[max(0, len(r.passage.words)-overlap):])
			r.passage.words, r.fresh = r.passage.words[:n], n
			return true
		}
		for n, row := range lines(text) {
			r.line = n
			if strings.TrimSpace(row) == "" {
				r.stop("¶")
				if len(r.passage.words)-r.fresh >= minPassage && !flush() {
					return
				}
				continue
			}
			for chunk := range strings.FieldsSeq(plain(row)) {
				r.chunk(chunk)
				if len(r.passage.words)-r.fresh >= maxPassage && !flush() {
					return
				}
			}
		}
		flush()
	}
}

// stop ends a sentence.
func (r *reader) stop(mark string) {
	r.begin = true
	if n := len(r.passage.words); n > 0 && !r.passage.words[n-1].end {
		r.passage.words = append(r.passage.words, token{text: mark, line: r.line, end: true})
	}
}

// chunk reads what stands between two blanks.
func (r *reader) chunk(c string) {
	if strings.ContainsAny(c, "<>[|") && isMarker(c) {
		r.push(c, r.marker)
	}
	if i := strings.IndexByte(c, '<'); i >= 0 {
		c = withoutTags(c, i)
	}
	if i := strings.IndexByte(c, '|'); i >= 0 && c != "||" {
		r.split(c[:i])
		r.push("|", r.pipe)
		c = c[i+1:]
	}
	// The point before a name belongs to it: ".env" is no "env".
	w := strings.TrimLeft(strings.TrimRight(c, ".,;:!?()[]{}<>\"'*`"), ",;:!?()[]{}<>\"'*`")
	var form classes
	switch {
	case strings.Contains(w, "://"), strings.HasPrefix(w, "www."):
		form = r.url
		if isKnownInstaller(w) {
			form.add(r.knownHost)
		}
	case isEmail(w):
		form = r.email
	default:
		if isProgram(w) {
			form.add(r.program)
		}
		if isPath(w) {
			form.add(r.path)
		}
		if isSecretFile(w) {
			form.add(r.secretFile)
		}
	}
	if c == "-" || c == "--" {
		r.begin = true
	}
	if form == (classes{}) {
		r.split(c)
		return
	}
	r.push(w, form)
	switch {
	case strings.HasSuffix(c, "."), strings.HasSuffix(c, "!"), strings.HasSuffix(c, "?"):
		r.stop(".")
	case strings.HasSuffix(c, ":"):
		r.colon()
	case strings.HasSuffix(c, ","), strings.HasSuffix(c, ";"):
		r.begin = true
	}
}

// colon marks the word before a colon and begins a clause.
func (r *reader) colon() {
	r.begin = true
	if n := len(r.passage.words); n > 0 {
		r.passage.words[n-1].classes.add(r.label)
	}
}

// split reads the words of a chunk. Marks of emphasis inside a word are not
// there for its reader.
func (r *reader) split(c string) {
	begin := -1
	word := func(end int) {
		if begin >= 0 {
			r.word(c[begin:end])
		}
		begin = -1
	}
	if strings.ContainsAny(c, "*~`\\") {
		c = strings.NewReplacer("*", "", "~", "", "`", "", `\`, "").Replace(c)
	}
	for i, s := range c {
		switch {
		case isIdeograph(s):
			word(i)
			r.word(string(s))
		case unicode.IsLetter(s) || unicode.IsDigit(s) || s == '\'' || (s == '@' || s == '$' || s == '!' && i+1 < len(c)) && begin >= 0 && i+1 < len(c):
			if begin < 0 && s != '\'' {
				begin = i
			}
		default:
			word(i)
			switch s {
			case '.', '!', '?', '。', '｡':
				if i+utf8.RuneLen(s) == len(c) || s > '~' {
					r.stop(".")
				}
			case ':':
				r.colon()
			case ',', ';', '(', '"', '—', '–', '、', '#':
				r.begin = true
			}
		}
	}
	word(len(c))
}

// word adds a word, without its genitive and apostrophes. One that is known only
// after digits are read as letters is taken for that.
func (r *reader) word(w string) {
	if strings.Contains(w, "'") {
		w = strings.ReplaceAll(strings.TrimSuffix(w, "'s"), "'", "")
	}
	if w == "" {
		return
	}
	if w = w[:min(len(w), maxWord)]; !r.known(w) && strings.ContainsAny(w, "0134578@$!") {
		if i := fromLeet(w, 'i'); r.known(i) {
			w = i
		} else if l := fromLeet(w, 'l'); r.known(l) {
			w = l
		}
	}
	if !r.known(w) {
		if known, ok := r.mixed[mixedKey(w)]; ok {
			w = known
		}
	}
	r.push(w, r.wordlist.words[w])
}

func (l *wordlist) known(w string) bool {
	_, word := l.words[w]
	_, phrase := l.phrases[w]
	return word || phrase
}

// push adds a token and gives it the classes of the phrases that it ends.
func (r *reader) push(w string, c classes) {
	for _, p := range r.phrases[w] {
		if r.follows(p.before) {
			c.add(p.class)
		}
	}
	t := token{text: w, line: r.line, classes: c, begin: r.begin, denies: c.meets(&r.deny)}
	if c.meets(&r.again) { // "do not forget to" denies nothing
		for i := max(0, len(r.passage.words)-2); i < len(r.passage.words); i++ {
			r.passage.words[i].denies = false
		}
	}
	r.begin = c.meets(&r.order)
	r.passage.words = append(r.passage.words, t)
}

// follows tells whether the last words are these, the nearest first.
func (r *reader) follows(before []string) bool {
	n := len(r.passage.words)
	if n < len(before) {
		return false
	}
	for i, w := range before {
		if r.passage.words[n-1-i].text != w {
			return false
		}
	}
	return true
}

// speakers are the names that the marks of a dialogue give to those who speak;
// the second row may stand in tags alone, for [important] is an emphasis.
const (
	speakers    = " system assistant inst sys im_start im_end endoftext system_prompt "
	speakerTags = " information important instruction instructions admin prompt secret hidden override critical " +
		"system-reminder system_instruction system_instructions user_prompt tool_call function_call tool_response extremely_important "
)

// isMarker tells whether a chunk begins with a mark by which models tell who
// speaks: <system>, [INST], <|im_start|>, <<SYS>>.
func isMarker(c string) bool {
	c = strings.TrimLeft(c, `"'*(`+"`")
	name := strings.TrimLeft(c, "<[|/")
	end := strings.IndexAny(name, ">]|")
	if end <= 0 || len(name) == len(c) {
		return false
	}
	name = " " + name[:end] + " "
	return strings.Contains(speakers, name) || c[0] == '<' && strings.Contains(speakerTags, name)
}

// installers are hosts whose scripts people run by the thousand, in the way that
// their own manuals say.
const installers = " astral.sh sh.rustup.rs get.docker.com deb.nodesource.com rpm.nodesource.com bun.sh bun.com deno.land fluxcd.io install.python-poetry.org " +
	"get.helm.sh get.k3s.io ollama.com sh.vector.dev nixos.org get.pnpm.io get.sdkman.io fly.io tailscale.com just.systems foundry.paradigm.xyz "

// isKnownInstaller tells whether the address is https and of such a host.
func isKnownInstaller(w string) bool {
	rest, ok := strings.CutPrefix(w, "https://")
	host, _, _ := strings.Cut(rest, "/")
	return ok && strings.Contains(installers, " "+host+" ")
}

// withoutTags takes out what stands between < and >, from the first of them on.
func withoutTags(c string, i int) string {
	var b strings.Builder
	b.WriteString(c[:i])
	inside := false
	for ; i < len(c); i++ {
		switch {
		case c[i] == '<':
			inside = true
		case c[i] == '>' && inside:
			inside = false
		case !inside:
			b.WriteByte(c[i])
		}
	}
	if inside { // no tag: "a<b"
		return c
	}
	return b.String()
}

// secretFiles are names of files and folders that hold keys or histories.
const secretFiles = " .env .ssh .aws .gnupg .netrc .npmrc .pypirc .pgpass .kube .docker .azure .gcloud .git-credentials .htpasswd .bash_history .zsh_history " +
	".electrum .bitcoin .ethereum id_rsa id_dsa id_ecdsa id_ed25519 passwd shadow credentials credentials.json secrets.json secrets.yaml secrets.yml " +
	"wallet.dat keystore authorized_keys known_hosts mcp.json claude_desktop_config.json cookies.sqlite service-account.json .env.local .env.production "

func isSecretFile(w string) bool {
	if !strings.ContainsAny(w, "./_") {
		return false
	}
	for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return r == '/' || r == '\\' }) {
		if strings.Contains(secretFiles, " "+part+" ") && (part[0] == '.' || part != w || strings.ContainsAny(part, "._")) {
			return true
		}
	}
	return false
}
