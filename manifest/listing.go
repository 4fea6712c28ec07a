package manifest

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// listed reads what only those who look for a tool read. A registry repeats it
// in its catalogue, which every client fetches, so all of it is short and counted.
func (p *patchReader) listed(root *node) {
	t := p.tool
	if n := root.get("x-examples"); n != nil {
		t.Examples = texts(p, n, "x-examples", limits.Examples, func(item *node) (string, bool) {
			return item.text, p.example(item)
		})
	}
	if n := root.get("x-tags"); n != nil {
		t.Tags = texts(p, n, "x-tags", limits.Tags, func(item *node) (string, bool) {
			tag, err := spec.ParseTag(item.text)
			if err != nil {
				p.add(badTag, item.at, "%s", err)
			}
			return tag, err == nil
		})
	}
	if n := root.get("x-aliases"); n != nil {
		t.Aliases = texts(p, n, "x-aliases", limits.Aliases, func(item *node) (spec.Name, bool) {
			alias, err := spec.ParseName(item.text)
			switch {
			case err != nil:
				p.add(badAlias, item.at, "an alias is spelled as a name: %s", err)
			case alias == t.Name:
				p.add(badAlias, item.at, "the alias %s is the name of the tool", spec.Quote(item.text))
			default:
				return alias, true
			}
			return "", false
		})
	}
	if n := root.get("x-license"); n != nil {
		p.license(n)
	}
}

// texts reads a list of different texts, each by one.
func texts[T ~string](p *patchReader, n *node, key string, most int, one func(*node) (T, bool)) []T {
	if !p.is(n, kindArray, key) {
		return nil
	}
	if len(n.items) > most {
		p.add(tooManyListed, n.at, "%s has %d entries, allowed are %d", key, len(n.items), most)
		return nil
	}
	var out []T
	for i, item := range n.items {
		p.places["/"+key+"/"+strconv.Itoa(i)] = item.at
		if !p.is(item, kindString, "an entry of "+key) {
			continue
		}
		text, ok := one(item)
		switch {
		case !ok:
		case slices.Contains(out, text):
			p.add(listedTwice, item.at, "%s stands twice in %s", spec.Quote(item.text), key)
		default:
			out = append(out, text)
		}
	}
	return out
}

// example reports what is no request of one line.
func (p *patchReader) example(n *node) bool {
	switch length := utf8.RuneCountInString(n.text); {
	case strings.TrimSpace(n.text) != n.text || n.text == "":
		p.add(badExample, n.at, "the example %s is empty or has blanks around it", spec.Quote(n.text))
	case strings.ContainsFunc(n.text, breaksLine):
		p.add(badExample, n.at, "the example %s has a line break or control character", spec.Quote(n.text))
	case length > limits.Example:
		p.add(badExample, n.at, "the example %s has %d characters, allowed are %d", spec.Quote(n.text), length, limits.Example)
	default:
		return true
	}
	return false
}

// usual are the identifiers that most licenses of tools have, for whoever
// misspells one; SPDX lists hundreds more.
var usual = []string{
	"0BSD", "AGPL-3.0-only", "AGPL-3.0-or-later", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "EUPL-1.2",
	"GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later", "ISC", "LGPL-2.1-only", "LGPL-2.1-or-later", "LGPL-3.0-only",
	"LGPL-3.0-or-later", "MIT", "MIT-0", "MPL-2.0", "PSF-2.0", "Unlicense", "Zlib",
}

func (p *patchReader) license(n *node) {
	if !p.is(n, kindString, "x-license") {
		return
	}
	license, err := spec.ParseLicense(n.text)
	if err != nil {
		fix := ""
		if like := likeLicense(n.text); like != "" {
			fix = "write " + like
		}
		p.addFix(badLicense, n.at, fix, "%s", err)
		return
	}
	p.tool.License = license
	for _, word := range spec.LicenseWords(license) {
		if like := likeLicense(strings.TrimSuffix(word, "+")); like != "" && like != strings.TrimSuffix(word, "+") {
			p.addFix(oddLicense, n.at, "write "+like, "%s is not how SPDX spells %s", spec.Quote(word), like)
		}
	}
}

// likeLicense finds the usual identifier that differs only in case, blanks,
// hyphens and the word license; "" when there is none.
func likeLicense(text string) string {
	plain := strings.NewReplacer(" ", "", "-", "", ",", "", "_", "", "license", "", "version", "", "the", "", "v", "")
	want := plain.Replace(strings.ToLower(text))
	for _, id := range usual {
		if have := plain.Replace(strings.ToLower(id)); have == want || strings.TrimSuffix(have, ".0") == want && want != have {
			return id
		}
	}
	return ""
}
