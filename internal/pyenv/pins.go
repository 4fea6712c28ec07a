package pyenv

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

const pinSchema = "patch-git/python-pins/v1"

// pinFile is the file of pins: the path of a program by the minor version that
// it serves.
type pinFile struct {
	Schema string            `json:"schema"`
	Pins   map[string]string `json:"pins"`
}

// Pins returns what the person pinned: the path of a program by minor version.
// No file means no pins. A file that is not as [Pythons.Pin] writes it is
// fault.NotVerified "python_pins": to go on without it would run tools on
// another interpreter than the person said.
func (p *Pythons) Pins() (map[string]string, error) {
	path := p.host.Paths.Pins()
	b, err := durable.ReadFile(path, limits.PythonPins)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		var pins map[string]string
		if pins, err = parsePins(b); err == nil {
			return pins, nil
		}
	}
	if fault.KindOf(err) == fault.Unavailable {
		return nil, err
	}
	return nil, fault.New(fault.NotVerified, "python_pins", "the list of pinned interpreters in %q cannot be used: %w", path, err).
		Hint("patch-git python unpin --all")
}

func parsePins(b []byte) (map[string]string, error) {
	var f pinFile
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, errors.New("it is no such list")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) || f.Schema != pinSchema {
		return nil, errors.New("it is no such list")
	}
	for want, path := range f.Pins {
		if !wantGrammar().MatchString(want) || !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return nil, fmt.Errorf("%s for %s is no pin", spec.Quote(path), spec.Quote(want))
		}
	}
	return f.Pins, nil
}

// Pin makes an interpreter the one that serves a minor version ("3.12") for
// this user. which is an absolute path, or the version of one that is here
// ("3.12.14"). It has to be of that minor version and to work in the sandbox.
func (p *Pythons) Pin(ctx context.Context, want, which string) (*Interpreter, error) {
	if !wantGrammar().MatchString(want) {
		return nil, fault.New(fault.Usage, "python_version", "python version %s is not like 3.12", spec.Quote(want))
	}
	if _, err := p.Pins(); err != nil {
		return nil, err
	}
	in, err := p.pick(ctx, which)
	if err != nil {
		return nil, err
	}
	if in.Minor() != want {
		return nil, fault.New(fault.Usage, "python_minor", "%q is Python %s and cannot serve %s", in.Path, in.Version, want)
	}
	return in, p.changePins(ctx, func(pins map[string]string) error {
		pins[want] = in.Path
		return nil
	})
}

// pick finds the interpreter that a person names.
func (p *Pythons) pick(ctx context.Context, which string) (*Interpreter, error) {
	if !filepath.IsAbs(which) {
		all, err := p.tryAll(ctx, nil)
		if err != nil {
			return nil, err
		}
		for _, t := range all {
			if t.Python != nil && t.Python.Version == which {
				return t.Python, nil
			}
		}
		return nil, fault.New(fault.NotFound, "no_version", "there is no Python %s here", spec.Quote(which)).Hint("patch-git python list")
	}
	path, err := filepath.EvalSymlinks(which)
	if err != nil || !regular(path) {
		return nil, fault.New(fault.NotFound, "no_file", "there is no program %q", which)
	}
	s := p.session(p.readKnown())
	defer s.end()
	t, err := s.try(ctx, candidate{path: path, from: p.origin(path)})
	if err != nil {
		return nil, err
	}
	if t.Python == nil {
		return nil, unusable(path, t.Refused)
	}
	return t.Python, nil
}

func unusable(path, why string) error {
	return fault.New(fault.Unavailable, "python_unusable", "%q is of no use here: %s", path, why)
}

// brokenPin says that what was pinned does not serve. Another interpreter in
// its place would be what the person did not want.
func brokenPin(t trial, minor int) error {
	why := t.Refused
	if t.Python != nil {
		why = "it is Python " + t.Python.Version
	}
	return fault.New(fault.Unavailable, "python_pin", "Python 3.%d is pinned to %q, which is of no use: %s", minor, t.Path, why).
		Hint("patch-git python unpin 3.%d", minor).
		Hint("patch-git python pin 3.%d PATH", minor)
}

// Unpin forgets the pin of a minor version; of all with "", even where the list
// of pins is damaged.
func (p *Pythons) Unpin(ctx context.Context, want string) error {
	if want == "" {
		if err := os.Remove(p.host.Paths.Pins()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return durable.Classify("remove", p.host.Paths.Pins(), err)
		}
		return nil
	}
	return p.changePins(ctx, func(pins map[string]string) error {
		if pins[want] == "" {
			return fault.New(fault.NotFound, "not_pinned", "Python %s is not pinned", spec.Quote(want)).Hint("patch-git python list")
		}
		delete(pins, want)
		return nil
	})
}

func (p *Pythons) changePins(ctx context.Context, change func(map[string]string) error) error {
	unlock, err := durable.Lock(ctx, p.host.Paths.Pins()+".lock", limits.LockWait)
	if err != nil {
		return err
	}
	defer unlock()
	pins, err := p.Pins()
	if err != nil {
		return err
	}
	if pins == nil {
		pins = map[string]string{}
	}
	if err := change(pins); err != nil {
		return err
	}
	b, err := json.Marshal(pinFile{pinSchema, pins})
	if err != nil {
		return err
	}
	return durable.WriteFile(p.host.Paths.Pins(), append(b, '\n'), 0o600)
}
