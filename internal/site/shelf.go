package site

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Bounds of the index.
const (
	onePage = 1000 // tools that are listed on one page; more are listed by letter
	newest  = 20   // versions that are listed as new
)

// shelf is what the index shows of all tools.
type shelf struct {
	doc   *ledger.Registry
	head  *ledger.Head
	tools []line // by name
	news  []news
}

// line is one tool of the index.
type line struct {
	name        spec.Name
	version     spec.Version
	description string
	deprecated  bool
}

// news is one version, by its place in the log.
type news struct {
	name    spec.Name
	version spec.Version
	time    string
	index   int64
}

func (s *shelf) add(t *tool) {
	if !t.listed() {
		return
	}
	r := t.record
	s.tools = append(s.tools, line{r.Name, t.shown.Version, r.Description, r.Deprecated != ""})
	for _, v := range r.Versions {
		if v.Yanked == "" && v.Revoked == "" {
			s.news = append(s.news, news{r.Name, v.Version, v.Published, v.LogIndex})
		}
	}
	if len(s.news) > 100*newest {
		s.cut()
	}
}

// cut keeps the newest.
func (s *shelf) cut() {
	slices.SortFunc(s.news, func(a, b news) int { return cmp.Compare(b.index, a.index) })
	s.news = s.news[:min(len(s.news), newest)]
}

// pages are the index and, where there are many tools, those of the letters.
func (s *shelf) pages() map[string][]byte {
	out := map[string][]byte{}
	slices.SortFunc(s.tools, func(a, b line) int { return cmp.Compare(a.name, b.name) })
	p := begin(string(s.doc.Name), "")
	p.add("<h1>%s</h1>\n<p>%s. Head %s of %s.</p>\n", string(s.doc.Name), count(len(s.tools)), fmt.Sprint(s.head.Seq), s.head.Time)
	s.howTo(p)
	s.cut()
	if len(s.news) > 0 {
		p.add("<h2>Newest</h2>\n<table>\n")
		for _, n := range s.news {
			p.add("<tr><td><a href=\"t/%s/index.html\">%s</a> %s</td><td class=\"dim\">%s</td></tr>\n", string(n.name), string(n.name), string(n.version), n.time)
		}
		p.add("</table>\n")
	}
	p.add("<h2>Tools</h2>\n")
	if len(s.tools) <= onePage {
		list(p, s.tools, "")
	} else {
		for rest := s.tools; len(rest) > 0; {
			letter := string(rest[0].name[:1])
			n := slices.IndexFunc(rest, func(l line) bool { return string(l.name[:1]) != letter })
			if n < 0 {
				n = len(rest)
			}
			p.add("<p><a href=\"list/%s/index.html\">%s…</a> <span class=\"dim\">%s</span></p>\n", letter, letter, fmt.Sprint(n))
			out["list/"+letter+"/index.html"] = s.letter(letter, rest[:n])
			rest = rest[n:]
		}
	}
	out["index.html"] = p.end()
	return out
}

func count(n int) string {
	if n == 1 {
		return "1 tool"
	}
	return fmt.Sprintf("%d tools", n)
}

// howTo says how to trust the registry: by the address that the person reads
// this at, which no document has to state.
func (s *shelf) howTo(p *page) {
	p.add("<h2>Use it</h2>\n<pre>patch-git registry add <i>the address of this page</i>\npatch-git search <i>words</i></pre>\n")
	if s.doc.Trust.Kind == ledger.TrustKeyless {
		p.add("<p class=\"dim\">Signed by <code>%s</code>.</p>\n", s.doc.Trust.Identity.SAN)
	} else {
		p.add("<p class=\"dim\">Signed by the key <code>%s</code>.</p>\n", s.doc.Trust.Digest().String())
	}
}

func (s *shelf) letter(letter string, tools []line) []byte {
	p := begin(letter+" – "+string(s.doc.Name), "../../")
	p.add("<p><a href=\"../../index.html\">%s</a></p>\n<h1>%s…</h1>\n", string(s.doc.Name), letter)
	list(p, tools, "../../")
	return p.end()
}

func list(p *page, tools []line, up string) {
	p.add("<ul class=\"tools\">\n")
	for _, t := range tools {
		p.add("<li><a href=\"%st/%s/index.html\">%s</a> <span class=\"dim\">%s</span>", up, string(t.name), string(t.name), string(t.version))
		if t.deprecated {
			p.add(" <span class=\"bad\">deprecated</span>")
		}
		p.add("<p>%s</p></li>\n", t.description)
	}
	p.add("</ul>\n")
}
