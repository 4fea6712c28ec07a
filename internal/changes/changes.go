// Package changes says what one version of a tool changed since another, and for
// whom that matters: who calls it, who reads about it, or who lets it do things.
//
// It compares what manifests say, in the neutral form of [spec.Tool]; what the code
// does differently is for quarantine and for readers. It is pure.
package changes

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// Class says for whom a change matters.
type Class string

// The classes. Permission is a class of its own, because what merely adds to a
// tool for its callers can take more from the person that lets it run [C-45].
const (
	Permission Class = "permission" // it asks a person for more, or warns of less
	Breaking   Class = "breaking"   // calls that were right are wrong now, or mean something else
	Additive   Class = "additive"   // calls that were right are right still
	Cosmetic   Class = "cosmetic"   // words
)

// Classes are all of them, the gravest first.
func Classes() []Class { return []Class{Permission, Breaking, Additive, Cosmetic} }

// Change is one difference. Was and Is are short texts, "" for what isn't there.
type Change struct {
	Class Class  `json:"class"`
	Path  string `json:"path"` // JSON Pointer into the neutral form, by names instead of numbers
	What  string `json:"what"` // one clause
	Was   string `json:"was,omitempty"`
	Is    string `json:"is,omitempty"`
}

// Between lists what b changed since a, the gravest first, in the order of the
// paths within a class. It is empty where the manifests say the same.
func Between(a, b *spec.Tool) []Change {
	c := &comparison{}
	if a.Format != b.Format {
		c.add(Breaking, "/format", "the tool is of another format", string(a.Format), string(b.Format))
	}
	c.permissions(a, b)
	c.text("/description", a.Description, b.Description)
	c.text("/license", a.License, b.License)
	c.text("/tags", strings.Join(a.Tags, " "), strings.Join(b.Tags, " "))
	c.text("/examples", strings.Join(a.Examples, " · "), strings.Join(b.Examples, " · "))
	c.told(a, b)
	c.runtime(a, b)
	c.operations(a, b)
	if a.Deployment != nil && b.Deployment != nil {
		c.deployment(a.Deployment, b.Deployment)
	}
	slices.SortStableFunc(c.list, func(x, y Change) int {
		if d := slices.Index(Classes(), x.Class) - slices.Index(Classes(), y.Class); d != 0 {
			return d
		}
		return strings.Compare(x.Path, y.Path)
	})
	return c.list
}

// Worst is the gravest class of a list, "" of an empty one.
func Worst(list []Change) Class {
	for _, class := range Classes() {
		if slices.ContainsFunc(list, func(c Change) bool { return c.Class == class }) {
			return class
		}
	}
	return ""
}

type comparison struct{ list []Change }

func (c *comparison) add(class Class, path, what, was, is string) {
	c.list = append(c.list, Change{class, path, what, short(was), short(is)})
}

const longest = 200 // characters of a value that is shown

func short(s string) string {
	if r := []rune(s); len(r) > longest {
		return string(r[:longest-1]) + "…"
	}
	return s
}

// text compares what only people read.
func (c *comparison) text(path, was, is string) {
	if was != is {
		c.add(Cosmetic, path, "the text changed", was, is)
	}
}

// permissions compares what a person agrees to.
func (c *comparison) permissions(a, b *spec.Tool) {
	p, q := a.Permissions(), b.Permissions()
	c.bigger("/capabilities/network", "the network", index(p.Network), index(q.Network), strconv.FormatBool(p.Network), strconv.FormatBool(q.Network))
	c.bigger("/capabilities/filesystem", "files", reach(p.Filesystem), reach(q.Filesystem), string(p.Filesystem), string(q.Filesystem))
	// Less confirmation is more power.
	c.bigger("/capabilities/human_confirm", "running without confirmation", index(!p.HumanConfirm), index(!q.HumanConfirm),
		strconv.FormatBool(p.HumanConfirm), strconv.FormatBool(q.HumanConfirm))
	for _, set := range []struct {
		path, what string
		was, is    []string
	}{
		{"/needs", "what its code does", p.Needs, q.Needs},
		{"/external_auth", "access to an account", p.ExternalAuth, q.ExternalAuth},
		{"/scopes", "a scope", p.Scopes, q.Scopes},
		{"/secrets", "a secret", p.Secrets, q.Secrets},
		{"/servers", "a server that it sends to", p.Servers, q.Servers},
	} {
		for _, s := range set.is {
			if !slices.Contains(set.was, s) {
				c.add(Permission, set.path, set.what+" was added", "", s)
			}
		}
		for _, s := range set.was {
			if !slices.Contains(set.is, s) {
				c.add(Additive, set.path, set.what+" was given up", s, "")
			}
		}
	}
	if p.Installs != q.Installs {
		c.add(Permission, "/installs", "the code comes from elsewhere", p.Installs, q.Installs)
	}
	for _, in := range b.Inputs {
		i := slices.IndexFunc(a.Inputs, func(x spec.Input) bool { return x.Name == in.Name })
		if in.TaintedOK && (i < 0 || !a.Inputs[i].TaintedOK) {
			c.add(Permission, "/inputs/"+part(in.Name)+"/tainted_ok", "an input takes what nobody vouches for", "false", "true")
		}
		if !in.TaintedOK && i >= 0 && a.Inputs[i].TaintedOK {
			c.add(Breaking, "/inputs/"+part(in.Name)+"/tainted_ok", "an input takes only what somebody vouches for", "true", "false")
		}
	}
}

// bigger compares what is ordered from least to most.
func (c *comparison) bigger(path, what string, was, is int, wasText, isText string) {
	switch {
	case is > was:
		c.add(Permission, path, "more: "+what, wasText, isText)
	case is < was:
		c.add(Additive, path, "less: "+what, wasText, isText)
	}
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// reach orders how much a tool sees of the files; what is no known word is the most.
func reach(f spec.Filesystem) int {
	i := slices.Index([]spec.Filesystem{spec.FilesystemNone, spec.FilesystemReadOnly, spec.FilesystemReadWrite}, f)
	if i < 0 {
		return 3
	}
	return i
}

func (c *comparison) runtime(a, b *spec.Tool) {
	if a.Runtime.PythonVersion != b.Runtime.PythonVersion {
		c.add(Additive, "/runtime/python_version", "it runs on another Python", a.Runtime.PythonVersion, b.Runtime.PythonVersion)
	}
	was, is := versions(a.Runtime.Packages), versions(b.Runtime.Packages)
	for _, p := range b.Runtime.Packages {
		name, version, _ := strings.Cut(p, "==")
		old, had := was[key(name)]
		switch {
		case !had:
			c.add(Permission, "/runtime/packages/"+part(name), "other people's code was added", "", p)
		case old != version:
			c.add(Additive, "/runtime/packages/"+part(name), "another release of a package", old, version)
		}
	}
	for _, p := range a.Runtime.Packages {
		name, _, _ := strings.Cut(p, "==")
		if _, has := is[key(name)]; !has {
			c.add(Additive, "/runtime/packages/"+part(name), "a package was given up", p, "")
		}
	}
}

// key is how an index compares names of packages (PEP 503).
func key(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(strings.TrimSpace(name)))
}

func versions(packages []string) map[string]string {
	out := map[string]string{}
	for _, p := range packages {
		name, version, _ := strings.Cut(p, "==")
		out[key(name)] = version
	}
	return out
}

// part escapes a name for a JSON Pointer (RFC 6901).
func part(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1") }

func text(raw json.RawMessage) string { return string(raw) }
