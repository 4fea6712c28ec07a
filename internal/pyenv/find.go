package pyenv

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

var wantGrammar = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^3\.\d{1,2}$`) })

// Find returns an interpreter for the declared version, "3.12". The exact
// minor version is preferred. Without packages a newer minor serves too, the
// lowest there is, and its Note says so; with packages it must be exact,
// because wheels are built for one. An older one never serves. None is
// fault.Unavailable "no_python", with a hint how to install one.
//
// What the sandbox cannot run counts as absent; a sandbox that runs nothing at
// all is its own error.
func (p *Pythons) Find(ctx context.Context, want string, packages bool) (*Interpreter, error) {
	if !wantGrammar().MatchString(want) {
		return nil, fault.New(fault.Usage, "python_version", "python version %s is not like 3.12", spec.Quote(want))
	}
	_, minor := versionParts(want)
	k, now := p.readKnown(), p.host.Now()
	// The usual case: nothing was pointed at, and an interpreter of exactly
	// this version is known. One stat and it is chosen.
	if p.host.Getenv(Override) == "" && minor >= lowestMinor {
		for _, t := range k.Tried {
			if t.Python == nil || t.Python.Minor() != want {
				continue
			}
			if t, ok := k.lookup(t.Path, now); ok {
				return t.Python, nil
			}
		}
	}
	return p.search(ctx, k, minor, packages)
}

// search goes through the candidates until one serves that no later one can
// beat, trying those that are not known.
func (p *Pythons) search(ctx context.Context, k known, minor int, packages bool) (*Interpreter, error) {
	var best *Interpreter
	var refused []string
	var fresh []trial
	defer func() {
		if len(fresh) > 0 {
			p.record(fresh)
		}
	}()
	now := p.host.Now()
	for _, c := range p.candidates(max(minor, lowestMinor)) {
		if c.minor > minor && !c.mine && (packages || best != nil && minorOf(best) <= c.minor) {
			break // from here on they only get newer
		}
		t, ok := k.lookup(c.path, now)
		if !ok {
			var err error
			if t, err = p.try(ctx, c.path); err != nil {
				return nil, err
			}
			fresh = append(fresh, t)
		}
		if t.Python == nil {
			refused = append(refused, fmt.Sprintf("%s: %s", c.path, t.Refused))
			continue
		}
		got := *t.Python
		switch _, has := versionParts(got.Version); {
		case has == minor:
			return &got, nil
		case has < minor || packages:
			refused = append(refused, fmt.Sprintf("%s: it is Python %s", c.path, got.Version))
		case c.mine:
			return got.newer(minor), nil
		case best == nil || has < minorOf(best):
			best = &got
		}
	}
	if best != nil {
		return best.newer(minor), nil
	}
	return nil, noPython(minor, packages, refused)
}

// try runs one program. Only what is a program of this system is run: a
// version manager's shim is a script that would run whatever it likes.
func (p *Pythons) try(ctx context.Context, path string) (trial, error) {
	t := trial{Path: path, Identity: identity(path), Time: p.host.Now().UTC()}
	var err error
	if p.host.GOOS == "linux" {
		if err = isELF(path); err != nil {
			t.Refused = err.Error()
			return t, nil //nolint:nilerr // the answer is that it is refused
		}
	}
	t.Python, err = p.probe(ctx, path)
	if u, ok := errors.AsType[unfit](err); ok {
		t.Python, t.Refused = nil, string(u)
		return t, nil
	}
	return t, err
}

// newer notes that the interpreter stands in for an older version.
func (in *Interpreter) newer(minor int) *Interpreter {
	in.Note = fmt.Sprintf("the tool declares Python 3.%d, which is not here; Python %s ran it", minor, in.Version)
	return in
}

func minorOf(in *Interpreter) int {
	_, minor := versionParts(in.Version)
	return minor
}

func noPython(minor int, packages bool, refused []string) error {
	version := fmt.Sprintf("3.%d", minor)
	what := "Python " + version + " or newer"
	if packages {
		what = "Python " + version + " (exactly, because of the packages)"
	}
	err := fault.New(fault.Unavailable, "no_python", "there is no %s on this machine", what).Hint("%s", installHint(version))
	for _, r := range refused[:min(len(refused), 3)] {
		err = err.Hint("not usable: %s", r)
	}
	return err
}

// Known lists the interpreters that serve tools here, with the reason for each
// candidate that does not, after trying those that are not known yet. It is
// what doctor shows.
func (p *Pythons) Known(ctx context.Context) (good []Interpreter, refused []string, err error) {
	k, now := p.readKnown(), p.host.Now()
	var fresh []trial
	for _, c := range p.candidates(lowestMinor) {
		t, ok := k.lookup(c.path, now)
		if !ok {
			if t, err = p.try(ctx, c.path); err != nil {
				return nil, nil, err
			}
			fresh = append(fresh, t)
		}
		if t.Python == nil {
			refused = append(refused, fmt.Sprintf("%s: %s", c.path, t.Refused))
		} else {
			good = append(good, *t.Python)
		}
	}
	if len(fresh) > 0 {
		p.record(fresh)
	}
	return good, refused, nil
}
