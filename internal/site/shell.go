package site

import (
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// shell is what every page has. Up leads to the folder of the registry: a page
// may be served below any path.
type shell struct {
	Up       string
	Title    string
	Registry string
	Here     string // what of the navigation this page is, for its eyes
	Search   bool   // it has the search box, and may fetch what that needs
	InBrowse, InChanges,
	InRegistry bool
}

// edition is the tree that is shown, and what the pages say of all of it.
type edition struct {
	doc  *ledger.Registry
	head *ledger.Head

	cards  []*card           // of the tools that are offered, by name
	tags   map[string]string // tag -> path of its page
	people map[string]string // key of an owner -> path of the page
}

// tagPage is the address of the page of a tag, seen from a page.
func (e *edition) tagPage(tag, up string) string { return below(up, e.tags[tag]) }

// person is somebody with the page, if there is one.
func (e *edition) person(o ledger.Owner, up string) person {
	return person{o.Login, below(up, e.people[personKey(o)])}
}

func below(up, path string) string {
	if path == "" {
		return ""
	}
	return up + path
}

// personKey tells people apart by the number, which outlives a change of the
// login and is not taken over with it.
func personKey(o ledger.Owner) string {
	return strconv.FormatInt(o.ID, 10) + " " + strings.ToLower(o.Login)
}

// at begins a page that lies at a path.
func (e *edition) at(path, title string) shell {
	s := shell{Up: strings.Repeat("../", strings.Count(path, "/")), Registry: string(e.doc.Name), Title: string(e.doc.Name)}
	if title != "" {
		s.Title = title + " – " + s.Title
	}
	return s
}

// badge is one word of what a tool may do. Value is for the eye: how far it goes.
type badge struct{ Value, Text string }

func networkBadge(p spec.Permissions) badge {
	if p.Network {
		return badge{"yes", "network"}
	}
	return badge{"no", "no network"}
}

func filesBadge(p spec.Permissions) badge {
	switch p.Filesystem {
	case spec.FilesystemReadOnly:
		return badge{"read-only", "reads files"}
	case spec.FilesystemReadWrite:
		return badge{"read-write", "writes files"}
	case spec.FilesystemNone:
		return badge{"none", "no files"}
	}
	return badge{"read-write", "files: " + string(p.Filesystem)}
}

// card is a tool in a list.
type card struct {
	Name, Version, Date, Description, Kind, License string
	Up, Href                                        string
	Owners                                          []person
	Network, Files                                  badge
	Confirm, Verified, Deprecated                   bool
	Below                                           bool // it stands below a heading of the page

	tags        []string
	permissions spec.Permissions
	owners      []ledger.Owner
}

// person is an owner or a contributor; Href is empty where there is no page.
type person struct{ Login, Href string }

// cardOf is what lists show of a tool; nil where no version of it is offered.
func cardOf(r *ledger.Record) *card {
	l := ledger.NewListing(r)
	if l == nil {
		return nil
	}
	return &card{
		Name: string(l.Name), Version: string(l.Latest), Date: day(l.Published), Description: l.Description,
		Kind: string(r.Summary.Format), License: l.Summary.License, Href: "t/" + string(l.Name) + "/index.html",
		Network: networkBadge(l.Permissions), Files: filesBadge(l.Permissions), Confirm: l.Permissions.HumanConfirm,
		Verified: l.Verified, Deprecated: l.Deprecated,
		tags: l.Summary.Tags, permissions: l.Permissions, owners: r.Owners,
	}
}

// kindWord is what people call a tool of a format, and kindWords many of them.
func kindWord(format string) string {
	switch spec.Format(format) {
	case spec.FormatPatch:
		return "Python tool"
	case spec.FormatInstall:
		return "Installable program"
	case spec.FormatSkill:
		return "Skill"
	case spec.FormatArcade:
		return "Arcade tool"
	}
	return format
}

func kindWords(format string) string { return kindWord(format) + "s" }

// day is the date of a time of a document.
func day(time string) string {
	date, _, _ := strings.Cut(time, "T")
	return date
}

// minute is a time of a document as people read it.
func minute(time string) string {
	date, clock, _ := strings.Cut(strings.TrimSuffix(time, "Z"), "T")
	return date + " " + clock + " UTC"
}

// isLogin tells whether a text can be a login of GitHub; only such a one has a
// page, because the page's path is made of it.
func isLogin(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (c != '-' || i == 0 || i == len(s)-1) {
			return false
		}
	}
	return s != "" && len(s) <= 39
}

// outside is an address that a page may lead to: https, a host, and only
// characters that an address has, so that none of it does anything but be an
// address. It is empty for every other text.
func outside(address string) string {
	rest, ok := strings.CutPrefix(address, "https://")
	if !ok || len(address) > 500 {
		return ""
	}
	host, _, _ := strings.Cut(rest, "/")
	if host == "" || strings.Trim(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") != "" {
		return ""
	}
	for i := range len(rest) {
		c := rest[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && strings.IndexByte("/-._~?=&#:@+", c) < 0 {
			return ""
		}
	}
	return address
}

// many is a number of things in words.
func many(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return itoa(int64(n)) + " " + thing + "s"
}
