package pyenv

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/standalone"
	"github.com/patch-cat/patch-git/spec"
)

var wantGrammar = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^3\.\d{1,2}$`) })

// Find returns an interpreter for the declared version, "3.12". The exact
// minor version is preferred. Without packages a newer minor serves too, the
// lowest there is, and its Note says so; with packages it must be exact,
// because wheels are built for one. An older one never serves. None is
// fault.Unavailable "no_python", with a hint how to install one; [Missing]
// tells what could be downloaded.
//
// Of one minor version the one that the person pinned serves, and no other;
// else one that this program downloaded, the one it embeds, one of the host.
//
// What the sandbox cannot run counts as absent; a sandbox that runs nothing at
// all is its own error.
func (p *Pythons) Find(ctx context.Context, want string, packages bool) (*Interpreter, error) {
	if !wantGrammar().MatchString(want) {
		return nil, fault.New(fault.Usage, "python_version", "python version %s is not like 3.12", spec.Quote(want))
	}
	_, minor := versionParts(want)
	pins, err := p.Pins()
	if err != nil {
		return nil, err
	}
	k := p.readKnown()
	// The usual case: nothing was pointed at, and an interpreter of exactly
	// this version is known. One stat and it is chosen.
	if p.host.Getenv(Override) == "" && minor >= lowestMinor {
		if in := p.remembered(k, want, pins[want], p.host.Now()); in != nil {
			return in, nil
		}
	}
	return p.search(ctx, k, minor, packages, pins)
}

// search goes through the candidates until one serves that no later one can
// beat, trying those that are not known.
func (p *Pythons) search(ctx context.Context, k known, minor int, packages bool, pins map[string]string) (*Interpreter, error) {
	var best *Interpreter
	var refused []string
	var failed error
	s := p.session(k)
	defer s.end()
	for _, c := range p.candidates(max(minor, lowestMinor), pins) {
		if c.minor > minor && !c.mine && (packages || best != nil && minorOf(best) <= c.minor) {
			break // from here on they only get newer
		}
		t, err := s.try(ctx, c)
		if onlyDisk(err) {
			failed = err
			continue
		}
		if err != nil {
			return nil, err
		}
		if c.pinned && c.minor == minor && !serves(t, minor) {
			return nil, brokenPin(t, minor)
		}
		if t.Python == nil {
			refused = append(refused, fmt.Sprintf("%s: %s", c.path, t.Refused))
			continue
		}
		got := *t.Python
		if pin := pins[got.Minor()]; pin != "" && pin != c.path && !c.mine {
			continue // another one serves this minor version
		}
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
	switch {
	case best != nil:
		return best.newer(minor), nil
	case failed != nil:
		return nil, failed
	}
	return nil, p.noPython(minor, packages, refused)
}

// serves tells whether a trial found an interpreter of a minor version.
func serves(t trial, minor int) bool { return t.Python != nil && minorOf(t.Python) == minor }

// session tries candidates and remembers the results when it ends.
type session struct {
	p     *Pythons
	known known
	now   time.Time
	fresh []trial
}

func (p *Pythons) session(k known) *session { return &session{p: p, known: k, now: p.host.Now()} }

func (s *session) end() {
	if len(s.fresh) > 0 {
		s.p.record(s.fresh)
	}
}

// try returns what is known of a candidate, or finds it out.
func (s *session) try(ctx context.Context, c candidate) (trial, error) {
	if e := s.p.embedded; e != nil && c.from == e.ID() {
		if err := s.p.unpackEmbedded(ctx); err != nil {
			return trial{}, err
		}
		c.path = s.p.embeddedProgram() // its links can be resolved only now
	}
	if t, ok := s.known.lookup(c.path, s.now); ok && t.From == c.from {
		return t, nil
	}
	t, err := s.p.try(ctx, c.path)
	if t.From = c.from; err == nil {
		s.fresh = append(s.fresh, t)
	}
	return t, err
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

// missing says that no interpreter serves, and which version could be
// downloaded, or "".
type missing struct{ text, install string }

func (m missing) Error() string { return m.text }

// Missing tells whether an error is that of [Pythons.Find] for a lack of an
// interpreter that [Pythons.Download] can mend, and with which version.
func Missing(err error) (install string, ok bool) {
	m, ok := errors.AsType[missing](err)
	return m.install, ok && m.install != ""
}

func (p *Pythons) noPython(minor int, packages bool, refused []string) error {
	version := fmt.Sprintf("3.%d", minor)
	what := "Python " + version + " or newer"
	if packages {
		what = "Python " + version + " (exactly, because of the packages)"
	}
	m := missing{"there is no " + what + " on this machine", p.offer(minor, packages)}
	err := fault.New(fault.Unavailable, "no_python", "%w", m)
	if m.install != "" {
		err = err.Hint("patch-git python install %s", m.install)
	}
	err = err.Hint("%s", installHint(version))
	for _, r := range refused[:min(len(refused), 3)] {
		err = err.Hint("not usable: %s", r)
	}
	return err
}

// offer is the minor version to download where one is missing: exactly this
// one, or else the newest where a newer one serves.
func (p *Pythons) offer(minor int, packages bool) string {
	for _, b := range standalone.For(p.host.GOOS, p.host.GOARCH) {
		_, has := versionParts(b.Version)
		_, exact := standalone.Find(p.host.GOOS, p.host.GOARCH, fmt.Sprintf("3.%d", minor))
		if has == minor || !exact && !packages && has > minor {
			return b.Minor()
		}
	}
	return ""
}

// Known lists the interpreters that serve tools here, with the reason for each
// candidate that does not, after trying those that are not known yet. It is
// what doctor shows.
func (p *Pythons) Known(ctx context.Context) (good []Interpreter, refused []string, err error) {
	all, err := p.tryAll(ctx, nil)
	for _, t := range all {
		if t.Python == nil {
			refused = append(refused, fmt.Sprintf("%s: %s", t.Path, t.Refused))
		} else {
			good = append(good, *t.Python)
		}
	}
	return good, refused, err
}

// tryAll tries every candidate.
func (p *Pythons) tryAll(ctx context.Context, pins map[string]string) ([]trial, error) {
	var out []trial
	s := p.session(p.readKnown())
	defer s.end()
	for _, c := range p.candidates(lowestMinor, pins) {
		t, err := s.try(ctx, c)
		if onlyDisk(err) {
			t, err = trial{Path: c.path, From: c.from, Refused: err.Error()}, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}
