package site

import (
	"crypto/sha256"
	_ "embed" // for the style
	"encoding/base64"
	"html"
	"strings"

	"github.com/patch-cat/patch-git/internal/sanitize"
)

//go:embed style.css
var style string

// markup is HTML of this program's own. Its constants become markup by
// themselves; no variable text does.
type markup string

// page is a page under construction.
type page struct{ b strings.Builder }

// add appends markup in which each %s is replaced by a text, escaped for an
// element or for an attribute in double quotes.
func (p *page) add(m markup, texts ...string) {
	part, rest, more := strings.Cut(string(m), "%s")
	p.b.WriteString(part)
	for _, text := range texts {
		if !more {
			break
		}
		p.b.WriteString(html.EscapeString(sanitize.ForTerminal(text)))
		part, rest, more = strings.Cut(rest, "%s")
		p.b.WriteString(part)
	}
}

// begin writes what is above the text of a page. up leads to the folder of the
// registry: a page may be served below any path.
func begin(title, up string) *page {
	p := &page{}
	p.head(title, "style-src 'self'")
	p.add(`<link rel="stylesheet" href="%sstyle.css">`, up)
	p.add("\n</head>\n<body>\n")
	return p
}

// head is the beginning of every page. The policy stands before anything that
// could be loaded.
func (p *page) head(title, styles string) {
	p.add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	p.add("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; %s; base-uri 'none'; form-action 'none'\">\n", styles)
	p.add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n")
	p.add("<meta name=\"referrer\" content=\"no-referrer\">\n<title>%s</title>\n", title)
}

func (p *page) end() []byte {
	p.add("<footer>A registry of <a href=\"https://github.com/patch-cat/patch-git\">patch-git</a>. These pages are a view; the program verifies who signed what.</footer>\n</body>\n</html>\n")
	return []byte(p.b.String())
}

// missing is 404.html. A host serves it at any depth, from where style.css is
// not found, so its style is inside and allowed by its digest.
func missing(name string) []byte {
	p := &page{}
	digest := sha256.Sum256([]byte(style))
	p.head("Not found – "+name, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(digest[:])+"'")
	p.add(markup("<style>" + style + "</style>\n</head>\n<body>\n"))
	p.add("<h1>There is no such page</h1>\n<p>%s has no tool, version or file of this name.</p>\n", name)
	return p.end()
}
