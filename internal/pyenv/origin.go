package pyenv

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/standalone"
)

// Where an interpreter comes from.
const (
	Installed = "installed" // downloaded by this program
	Embedded  = "embedded"  // part of this program
	Pyenv     = "pyenv"
	UV        = "uv"
	OfHost    = "host" // a package of the system, or whatever PATH shows
)

// Of one minor version, the lower rank serves.
const (
	rankInstalled = iota
	rankEmbedded
	rankHost
	rankNever
)

// rank orders origins. An embedded interpreter of another release of this
// program may have the faults that this release was made for, and never serves.
func (p *Pythons) rank(from string) int {
	switch {
	case from == Installed:
		return rankInstalled
	case p.embedded != nil && from == p.embedded.ID():
		return rankEmbedded
	case strings.HasPrefix(from, standalone.EmbeddedPrefix):
		return rankNever
	}
	return rankHost
}

// origin tells where a program comes from, links resolved.
func (p *Pythons) origin(path string) string {
	pyenv, uv := p.managers()
	own := resolved(p.host.Paths.Pythons())
	switch {
	case within(path, own):
		rel, _ := filepath.Rel(own, path)
		if dir, _, _ := strings.Cut(filepath.ToSlash(rel), "/"); strings.HasPrefix(dir, standalone.EmbeddedPrefix) {
			return dir
		}
		return Installed
	case filepath.IsAbs(pyenv) && within(path, resolved(pyenv)):
		return Pyenv
	case filepath.IsAbs(uv) && within(path, resolved(uv)):
		return UV
	}
	return OfHost
}

// resolved follows links where there is something.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// installation is a downloaded interpreter on the disk.
type installation struct {
	dir     string
	version string // by the name of the folder
	date    string
}

// program is the interpreter of an installation.
func (in installation) program(goos string) string { return programOf(in.dir, in.version, goos) }

// programOf is where a build has its interpreter.
func programOf(dir, version, goos string) string {
	if goos == "windows" {
		return filepath.Join(dir, "python.exe")
	}
	_, minor := versionParts(version)
	return filepath.Join(dir, "bin", fmt.Sprintf("python3.%d", minor))
}

// installed lists what was downloaded, the newest first.
func (p *Pythons) installed() []installation {
	list, _ := os.ReadDir(p.host.Paths.Pythons())
	var out []installation
	for _, e := range list {
		parts := strings.Split(e.Name(), "-")
		if !e.IsDir() || len(parts) != 3 || !versionGrammar().MatchString(parts[0]) {
			continue // an embedded one, or nothing of ours
		}
		out = append(out, installation{filepath.Join(p.host.Paths.Pythons(), e.Name()), parts[0], parts[1]})
	}
	slices.SortFunc(out, func(a, b installation) int {
		return cmp.Or(standalone.CompareVersions(b.version, a.version), cmp.Compare(b.date, a.date), cmp.Compare(a.dir, b.dir))
	})
	return out
}

// embeddedProgram is where the interpreter of this program is, or will be.
func (p *Pythons) embeddedProgram() string {
	return resolved(programOf(p.embeddedDir(), p.embedded.Version, p.host.GOOS))
}

func (p *Pythons) embeddedDir() string {
	return filepath.Join(p.host.Paths.Pythons(), p.embedded.ID())
}

// unpackEmbedded puts the interpreter of this program on the disk, the first
// time. Killed at any instant it leaves nothing or the whole. What another
// release of this program left there goes, when it is a day old.
func (p *Pythons) unpackEmbedded(ctx context.Context) error {
	final := p.embeddedDir()
	if isDir(final) {
		return nil
	}
	unlock, err := durable.Lock(ctx, filepath.Join(p.host.Paths.Pythons(), ".lock"), limits.Download)
	if err != nil {
		return err
	}
	defer unlock()
	if isDir(final) {
		return nil
	}
	p.sweep()
	if err := p.stage(final, p.embedded.Unpack); err != nil {
		return notKept("unpack the interpreter to", final, err)
	}
	list, _ := os.ReadDir(p.host.Paths.Pythons())
	for _, e := range list {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), standalone.EmbeddedPrefix) && p.host.Now().Sub(info.ModTime()) > staleAfter {
			_ = p.discard(filepath.Join(p.host.Paths.Pythons(), e.Name()))
		}
	}
	return nil
}

// discard takes a folder away, at once as far as anybody else can see.
func (p *Pythons) discard(dir string) error {
	if err := durable.MkdirAll(p.staging()); err != nil {
		return err
	}
	gone, err := os.MkdirTemp(p.staging(), "gone-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(gone) }()
	return os.Rename(dir, filepath.Join(gone, "python"))
}

// notKept gives what the disk refused a kind and, where it has one, its name.
func notKept(verb, path string, err error) error {
	if named := durable.Classify(verb, path, err); fault.ReasonOf(named) != "" {
		return named
	}
	return explain(err)
}

// onlyDisk tells whether an error is that the embedded interpreter could not be
// kept on the disk: another one may serve all the same.
func onlyDisk(err error) bool {
	switch fault.ReasonOf(err) {
	case "store", "disk_full", "read_only", "no_permission":
		return true
	}
	return false
}
