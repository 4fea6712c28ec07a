package site

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Bounds of the lists.
const (
	perPage     = 100 // tools of one page of a list
	startAll    = 24  // tools that the start page lists itself; of more it leads to the list
	startTags   = 24  // tags that the start page names
	startPeople = 12
	maxTags     = 1000 // tags and publishers that have pages of their own, those with the most tools
)

// shelf is a list of tools that belong together.
type shelf struct {
	Title, About string
	Group        string // what it is one of: kind, permission, tag, publisher
	path         string // its folder
	cards        []*card
	Count        int
	Href         string // from the page that lists it
}

// listPage is one page of a shelf.
type listPage struct {
	shell
	Heading, About, Group string
	Cards                 []card
	Count                 int
	From, To              int
	Previous, Next        string
	Letters               []link
	Outside               string // a publisher's page at GitHub
}

// shelves sorts the tools into lists, of which the groups come in this order.
func (e *edition) shelves() []*shelf {
	all := &shelf{Title: "All tools", path: "browse/all", cards: e.cards}
	out := []*shelf{all}
	out = append(out, e.kinds()...)
	out = append(out, e.permissionShelves()...)
	tags := map[string][]*card{}
	people := map[string][]*card{}
	names := map[string]ledger.Owner{}
	ids := map[string]map[int64]bool{} // of a login
	for _, c := range e.cards {
		for _, tag := range slices.Compact(slices.Sorted(slices.Values(c.tags))) {
			tags[tag] = append(tags[tag], c)
		}
		seen := map[string]bool{}
		for _, o := range c.owners {
			key, login := personKey(o), strings.ToLower(o.Login)
			if seen[key] || !isLogin(o.Login) {
				continue
			}
			seen[key] = true
			people[key] = append(people[key], c)
			names[key] = o
			if ids[login] == nil {
				ids[login] = map[int64]bool{}
			}
			ids[login][o.ID] = true
		}
	}
	e.tags, e.people = map[string]string{}, map[string]string{}
	for _, tag := range most(tags) {
		path := "browse/tag/" + tag
		if spec.CheckPath(path) != nil { // aux and its like, on Windows
			continue
		}
		e.tags[tag] = path + "/index.html"
		out = append(out, &shelf{Title: tag, Group: "tag", path: path, cards: tags[tag]})
	}
	for _, key := range most(people) {
		o := names[key]
		path := "by/" + strings.ToLower(o.Login)
		if len(ids[strings.ToLower(o.Login)]) > 1 { // a login that changed hands is two people
			path += "." + fmt.Sprint(o.ID)
		}
		if spec.CheckPath(path) != nil {
			continue
		}
		e.people[key] = path + "/index.html"
		about := ""
		if o.ID != 0 && e.onGitHub() {
			about = ledger.GitHub + o.Login
		}
		out = append(out, &shelf{Title: o.Login, Group: "publisher", About: about, path: path, cards: people[key]})
	}
	for _, s := range out {
		s.Count = len(s.cards)
	}
	return out
}

// onGitHub tells whether the logins of the registry are those of GitHub.
func (e *edition) onGitHub() bool {
	return e.doc.Trust.Kind == ledger.TrustKeyless && e.doc.Trust.Identity != nil && e.doc.Trust.Identity.Issuer == ledger.GitHubIssuer
}

// most are the keys with the most tools, and of as many, by name.
func most(m map[string][]*card) []string {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(len(m[b])-len(m[a]), cmp.Compare(a, b)) })
	return keys[:min(len(keys), maxTags)]
}

func (e *edition) kinds() []*shelf {
	by := map[string][]*card{}
	for _, c := range e.cards {
		by[c.Kind] = append(by[c.Kind], c)
	}
	var out []*shelf
	for _, kind := range most(by) {
		out = append(out, &shelf{Title: kindWords(kind), Group: "kind", path: "browse/kind/" + kind, cards: by[kind]})
	}
	return out
}

func (e *edition) permissionShelves() []*shelf {
	var out []*shelf
	for _, s := range []struct {
		path, title, about string
		has                func(p spec.Permissions) bool
	}{
		{"nothing", "Nothing but their input", "No network, none of your files, no account: what goes in comes out as JSON.", func(p spec.Permissions) bool {
			return !p.Network && p.Filesystem == spec.FilesystemNone && len(p.Needs) == 0 && len(p.ExternalAuth) == 0
		}},
		{"no-network", "No network", "The sandbox gives them no route at all.", func(p spec.Permissions) bool { return !p.Network }},
		{"network", "Network", "They reach the internet, after you agree.", func(p spec.Permissions) bool { return p.Network }},
		{"reads-files", "Reads files", "They read the files that you name.", func(p spec.Permissions) bool { return p.Filesystem == spec.FilesystemReadOnly }},
		{"writes-files", "Writes files", "They read and write the files that you name.", func(p spec.Permissions) bool { return reach(p.Filesystem) >= 2 }},
		{"asks-first", "Asks first", "They ask you before each run.", func(p spec.Permissions) bool { return p.HumanConfirm }},
		{"accounts", "Uses an account", "They work with an account of yours elsewhere.", func(p spec.Permissions) bool { return len(p.ExternalAuth) > 0 }},
		{"needs", "Runs other code", "They start programs, read the environment, or run code that cannot be looked at before.", func(p spec.Permissions) bool { return len(p.Needs) > 0 }},
	} {
		one := &shelf{Title: s.title, About: s.about, Group: "permission", path: "browse/may/" + s.path}
		for _, c := range e.cards {
			if s.has(c.permissions) {
				one.cards = append(one.cards, c)
			}
		}
		if len(one.cards) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// pages are those of one shelf, by path.
func (e *edition) pages(s *shelf) map[string]*listPage {
	out := map[string]*listPage{}
	file := func(i int) string {
		if i == 0 {
			return "index.html"
		}
		return fmt.Sprintf("%d.html", i+1)
	}
	var letters []link
	if s.Group == "" && len(s.cards) > perPage {
		for i, c := range s.cards {
			if i == 0 || c.Name[0] != s.cards[i-1].Name[0] {
				letters = append(letters, link{c.Name[:1], file(i / perPage)})
			}
		}
	}
	for i := 0; i == 0 || i*perPage < len(s.cards); i++ {
		from, to := i*perPage, min((i+1)*perPage, len(s.cards))
		path := s.path + "/" + file(i)
		p := &listPage{
			shell: e.at(path, s.Title), Heading: s.Title, About: s.About, Group: s.Group,
			Count: len(s.cards), From: from + 1, To: to, Letters: letters,
		}
		p.InBrowse, p.Cards = true, seen(s.cards[from:to], p.Up)
		if s.Group == "publisher" {
			p.About, p.Outside = "", s.About
		}
		if i > 0 {
			p.Previous = file(i - 1)
			p.Title = fmt.Sprintf("%s, page %d – %s", s.Title, i+1, p.Registry)
		}
		if to < len(s.cards) {
			p.Next = file(i + 1)
		}
		out[path] = p
	}
	return out
}

// seen are the cards as a page shows them, from where up leads to the registry.
func seen(cards []*card, up string) []card {
	out := make([]card, len(cards))
	for i, c := range cards {
		out[i] = *c
		out[i].Up = up
	}
	return out
}

// browsePage leads to all lists.
type browsePage struct {
	shell
	Count                            int
	Tools                            string // the same in words
	All                              string
	Kinds, Permissions, Tags, People []*shelf
}

// browse sorts the shelves into their groups, with addresses seen from a page
// that up leads from to the registry; most bounds tags and publishers.
func (e *edition) browse(shelves []*shelf, path string, most int) *browsePage {
	p := &browsePage{shell: e.at(path, "Browse"), Count: len(e.cards), Tools: many(len(e.cards), "tool")}
	p.InBrowse = true
	p.All = p.Up + "browse/all/index.html"
	groups := map[string]*[]*shelf{"kind": &p.Kinds, "permission": &p.Permissions, "tag": &p.Tags, "publisher": &p.People}
	for _, s := range shelves {
		group := groups[s.Group]
		if group == nil || (s.Group == "tag" || s.Group == "publisher") && len(*group) == most {
			continue
		}
		seen := *s
		seen.Href = p.Up + s.path + "/index.html"
		*group = append(*group, &seen)
	}
	return p
}
