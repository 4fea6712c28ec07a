package site

import (
	"strings"

	"github.com/patch-cat/patch-git/ledger"
)

// startPage is the first one.
type startPage struct {
	*browsePage
	Scripts  []string // of the search
	Cards    []card   // all, where there are few
	News     []event
	Commands string
	Source   string
}

func (e *edition) start(shelves []*shelf, news []event) *startPage {
	p := &startPage{browsePage: e.browse(shelves, "index.html", startTags), Scripts: modules(), Commands: e.adding(), Source: outside(e.doc.Source)}
	p.shell = e.at("index.html", "")
	p.Search = true
	p.People = p.People[:min(len(p.People), startPeople)]
	if len(e.cards) <= startAll {
		p.Cards = seen(e.cards, "")
		for i := range p.Cards {
			p.Cards[i].Below = true
		}
	}
	p.News = offered(news, 8)
	return p
}

// offered are the newest versions that were not withdrawn since.
func offered(events []event, most int) []event {
	var out []event
	settled := map[string]bool{} // versions of which something newer is known
	for _, one := range events {
		ref := one.Name + "@" + one.Version
		if one.Event == string(ledger.EventAccept) && !settled[ref] && len(out) < most {
			out = append(out, one)
		}
		settled[ref] = settled[ref] || one.Bad
	}
	return out
}

// adding is the command by which a person comes to trust the registry. Where
// these pages lie is not known to them; what the registry says of itself is.
func (e *edition) adding() string {
	for _, m := range e.doc.Mirrors {
		// A person pastes this into a shell: no character that one minds.
		if outside(m) != "" && strings.Trim(m, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/._-") == "" {
			return "patch-git registry add " + m
		}
	}
	if e.onGitHub() {
		return "patch-git registry add " + ledger.GitHub + string(e.doc.Name)
	}
	return ""
}

// registryPage says what the registry is and how to trust it.
type registryPage struct {
	shell
	Commands   string
	Keyless    bool
	Digest     string // of the key or of the identity
	Fields     []fact
	Mirrors    []fact
	Source     fact
	Head       []fact
	Audit      string
	Count      int
	Publishers int
}

func (e *edition) registry() *registryPage {
	const path = "registry/index.html"
	t := &e.doc.Trust
	p := &registryPage{
		shell: e.at(path, "How to trust it"), Commands: e.adding(), Keyless: t.Kind == ledger.TrustKeyless, Digest: t.Digest().String(),
		Audit: "patch-git log verify " + string(e.doc.Name) + "\npatch-git log watch " + string(e.doc.Name), Count: len(e.cards), Publishers: len(e.people),
	}
	p.InRegistry = true
	if t.Identity != nil {
		for _, f := range t.Identity.Fields() {
			if f.Value != "" {
				p.Fields = append(p.Fields, fact{What: strings.ReplaceAll(f.Name, "_", " "), Text: f.Value, Code: true})
			}
		}
	}
	for i, m := range e.doc.Mirrors {
		if i < maxRows {
			p.Mirrors = append(p.Mirrors, fact{Text: m, Href: outside(m)})
		}
	}
	p.Source = fact{Text: e.doc.Source, Href: outside(e.doc.Source)}
	add := func(what, text, file string) {
		p.Head = append(p.Head, fact{what, text, p.Up + ledger.Root + "/" + file, true})
	}
	add("Head", itoa(e.head.Seq), ledger.HeadPath)
	add("Signed", minute(e.head.Time), ledger.HeadEvidencePath)
	add("Log", itoa(e.head.Log.Size)+" entries", ledger.CheckpointPath)
	add("Root of the log", e.head.Log.Root.String(), ledger.CheckpointPath)
	add("Revoked", "list", ledger.RevokedPath)
	return p
}
