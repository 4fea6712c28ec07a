package pyenv

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/standalone"
	"github.com/patch-cat/patch-git/spec"
)

// Listed is one program of the machine that is, or could be, an interpreter.
type Listed struct {
	Path    string `json:"path"`
	From    string `json:"from"` // [Installed], [Embedded], [Pyenv], [UV], [OfHost]
	Version string `json:"version,omitempty"`
	Works   bool   `json:"works"`
	Why     string `json:"why,omitempty"`    // it does not work
	Serves  string `json:"serves,omitempty"` // the minor version that tools get it for
	Pinned  bool   `json:"pinned,omitempty"`
}

// Offered is a build that [Pythons.Download] can bring.
type Offered struct {
	Minor     string      `json:"minor"`
	Version   string      `json:"version"`
	Date      string      `json:"date"` // of the project's release
	SHA256    spec.Digest `json:"sha256"`
	Installed bool        `json:"installed"`
}

// List tries every candidate and tells what each is, in the order in which
// they are preferred, and what could be downloaded.
func (p *Pythons) List(ctx context.Context) ([]Listed, []Offered, error) {
	pins, err := p.Pins()
	if err != nil {
		return nil, nil, err
	}
	all, err := p.tryAll(ctx, pins)
	if err != nil {
		return nil, nil, err
	}
	var out []Listed
	serving := map[string]string{}
	for _, t := range all {
		l := Listed{Path: t.Path, From: t.From, Why: t.Refused, Works: t.Python != nil}
		if strings.HasPrefix(t.From, standalone.EmbeddedPrefix) {
			l.From = Embedded
		}
		for _, path := range pins {
			l.Pinned = l.Pinned || path == t.Path
		}
		if l.Works {
			l.Version = t.Python.Version
			minor := t.Python.Minor()
			if _, asked := serving[minor]; !asked {
				serving[minor] = ""
				if in, err := p.Find(ctx, minor, true); err == nil {
					serving[minor] = in.Path
				}
			}
			if serving[minor] == t.Path {
				l.Serves = minor
			}
		}
		out = append(out, l)
	}
	return out, p.offers(), nil
}

// offers lists the builds of the table for this machine.
func (p *Pythons) offers() []Offered {
	out := []Offered{}
	for _, b := range standalone.For(p.host.GOOS, p.host.GOARCH) {
		out = append(out, Offered{b.Minor(), b.Version, b.Date, b.SHA256, isDir(filepath.Join(p.host.Paths.Pythons(), b.ID()))})
	}
	return out
}

// Remove takes away what was downloaded of a version, "3.12" or "3.12.14", and
// returns the versions. One that is pinned stays.
func (p *Pythons) Remove(ctx context.Context, version string) ([]string, error) {
	pins, err := p.Pins()
	if err != nil {
		return nil, err
	}
	here := slices.DeleteFunc(p.installed(), func(in installation) bool {
		return in.version != version && (standalone.Build{Version: in.version}).Minor() != version
	})
	if len(here) == 0 {
		return nil, fault.New(fault.NotFound, "not_installed", "no Python %s was installed by this program", spec.Quote(version)).
			Hint("patch-git python list")
	}
	for want, path := range pins {
		for _, in := range here {
			if within(path, resolved(in.dir)) {
				return nil, fault.New(fault.Denied, "pinned", "Python %s is pinned to %q", want, path).
					Hint("patch-git python unpin %s", want)
			}
		}
	}
	var gone []string
	for _, in := range here {
		if err := ctx.Err(); err != nil {
			return gone, err
		}
		if err := p.discard(in.dir); err != nil && !os.IsNotExist(err) {
			return gone, explain(err)
		}
		gone = append(gone, in.version)
	}
	return gone, nil
}
