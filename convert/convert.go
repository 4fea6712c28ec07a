package convert

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// Target is what a document is converted to.
type Target string

// The targets: four formats of manifests, three of hosts, one of scripts.
const (
	Patch     Target = "patch"
	Install   Target = "install"
	Skill     Target = "skill"
	Arcade    Target = "arcade"
	MCP       Target = "mcp"
	OpenAI    Target = "openai"
	Anthropic Target = "anthropic"
	PEP723    Target = "pep723"
)

// Targets are all of them, in the order of the help.
func Targets() []Target {
	return []Target{Patch, Install, Skill, Arcade, MCP, OpenAI, Anthropic, PEP723}
}

// Options are what a document doesn't say and some targets ask for.
type Options struct {
	// Repository and Commit (40 hexadecimal digits) are where the files of the
	// document lie, Subpath the folder in there; URL is where its main file alone lies.
	Repository, Commit, Subpath, URL string

	AllowLoss bool // also of what protects a person
}

// Result is a document in another format. Files begins with the main one.
type Result struct {
	Files  []spec.File
	Losses []manifest.Loss
}

// Reasons of the faults of [To] and [FromServer].
const (
	ReasonTarget     = "unknown_target"
	ReasonImpossible = "not_expressible" // the target has no way to say what this is
	ReasonOrigin     = "no_origin"       // the target asks where the code lies
)

// To converts a document that was read without errors. files are those that
// belong to it, the main one included. The error is a *fault.Error of kind Usage
// where something has to be said or cannot be, Denied where the losses are
// refused; the losses stand in the result then too.
func To(doc *manifest.Document, files []spec.File, to Target, o Options) (*Result, error) {
	c := &conversion{doc: doc, tool: &doc.Tool, files: files, to: to, o: o}
	if !slices.Contains(Targets(), to) {
		return nil, fault.New(fault.Usage, ReasonTarget, "%s is no format to convert to", spec.Quote(string(to))).
			Hint("one of %s", words(Targets()))
	}
	if string(to) == string(doc.Tool.Format) {
		return &Result{Files: mainFirst(doc, files)}, nil
	}
	var err error
	c.said()
	switch to {
	case Patch:
		err = c.patch()
	case Install:
		err = c.install()
	case Skill:
		err = c.skill()
	case Arcade:
		err = c.arcade()
	case PEP723:
		err = c.pep723()
	default:
		err = c.host()
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(c.losses, func(a, b manifest.Loss) int { return strings.Compare(a.Path, b.Path) })
	return &Result{Files: c.out, Losses: c.losses}, manifest.Refused(c.losses, o.AllowLoss)
}

// conversion is one document on its way.
type conversion struct {
	doc    *manifest.Document
	tool   *spec.Tool
	files  []spec.File
	to     Target
	o      Options
	out    []spec.File
	losses []manifest.Loss
}

func (c *conversion) add(path string, data []byte) {
	c.out = append(c.out, spec.File{Path: path, Data: data})
}

func (c *conversion) dropped(path, reason string) {
	c.losses = append(c.losses, manifest.Loss{Path: path, Kind: manifest.Dropped, Reason: reason})
}

func (c *conversion) approximated(path, reason string) {
	c.losses = append(c.losses, manifest.Loss{Path: path, Kind: manifest.Approximated, Reason: reason})
}

func (c *conversion) synthesised(path, reason string) {
	c.losses = append(c.losses, manifest.Loss{Path: path, Kind: manifest.Synthesised, Reason: reason})
}

// unprotected is a loss of what protects a person.
func (c *conversion) unprotected(path, reason string) {
	c.losses = append(c.losses, manifest.Loss{Path: path, Kind: manifest.Dropped, Reason: reason, Security: true})
}

// weaker is protection that the target only hints at.
func (c *conversion) weaker(path, reason string) {
	c.losses = append(c.losses, manifest.Loss{Path: path, Kind: manifest.Approximated, Reason: reason, Security: true})
}

func impossible(format string, args ...any) error {
	return fault.New(fault.Usage, ReasonImpossible, format, args...)
}

// mainFirst are the files as they came, the main one before the others.
func mainFirst(doc *manifest.Document, files []spec.File) []spec.File {
	main := doc.Tool.Format.MainFile()
	out := []spec.File{{Path: main, Data: doc.Raw}}
	for _, f := range files {
		if f.Path != main {
			out = append(out, f)
		}
	}
	return out
}

func words(all []Target) string {
	list := make([]string, len(all))
	for i, t := range all {
		list[i] = string(t)
	}
	return strings.Join(list, ", ")
}
