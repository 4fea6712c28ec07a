package aihost

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Setting says what of which host is to be changed.
type Setting struct {
	Host  ID
	Scope Scope
	File  string // in place of the usual one, absolute; "" is the usual one
	Hooks bool   // Claude Code tells `patch-git taint note` what it reads
	// Create makes a file also where the host has no folder yet, so that it seems
	// not to be there.
	Create bool
	DryRun bool
}

// Change is one place in a file. Nothing is in it but what was put there, and what
// of ours was there before.
type Change struct {
	Line    int    `json:"line"`
	Removed string `json:"removed,omitempty"`
	Added   string `json:"added,omitempty"`
}

// Done is what became of one file.
type Done struct {
	File     string   `json:"file"`
	Link     string   `json:"link_to,omitempty"` // where it lies, when the file is a link
	Changes  []Change `json:"changes"`           // none where it was so already
	Backup   string   `json:"backup,omitempty"`  // of what was there before
	Restored bool     `json:"restored,omitempty"`
	Gone     bool     `json:"gone,omitempty"` // the file was made by us, and is away again
}

// alter gives the changes of a text, step by step, and the text after them.
type alter func(text string) ([][]edit, string, error)

// work is one file, how ours comes into it, and how it goes.
type work struct {
	file      string
	put, drop alter
}

// Setup puts our entry into the host's file, and with Hooks the hooks into the one
// for those. The errors: no such host or scope is fault.Usage; a host that is not
// here fault.NotFound; a file that cannot be read as what it should be
// fault.Findings; one of somebody else, or an entry of another program,
// fault.Denied. In each of these cases nothing is written.
func Setup(ctx context.Context, h *host.Host, s Setting) ([]Done, error) {
	k, named, err := s.place(h)
	if err != nil {
		return nil, err
	}
	e, err := k.entry(h, s.Scope)
	if err != nil {
		return nil, err
	}
	if s.Scope == User && s.File == "" && !s.Create && !k.here(h, named) && !present(named) {
		return nil, fault.New(fault.NotFound, "no_host", "%s was never started here: there is no %s", k.title, spec.Quote(named)).
			Hint("start it once, or make the file all the same with --create")
	}
	return s.all(ctx, h, k, named, e, false)
}

// Undo takes our entry out again, and the hooks. Where nothing else changed the
// file meanwhile it is byte for byte what it was before. fault.NotFound says that
// nothing of ours was there.
func Undo(ctx context.Context, h *host.Host, s Setting) ([]Done, error) {
	k, named, err := s.place(h)
	if err != nil {
		return nil, err
	}
	s.Hooks = k.id == ClaudeCode && s.File == ""
	done, err := s.all(ctx, h, k, named, Entry{}, true)
	if err != nil {
		return nil, err
	}
	for _, d := range done {
		if len(d.Changes) > 0 {
			return done, nil
		}
	}
	return nil, fault.New(fault.NotFound, "not_set_up", "%s has no entry of ours in %s", k.title, spec.Quote(named)).
		Hint("patch-git setup")
}

// Print is the entry as it would be written into an empty file.
func Print(h *host.Host, s Setting) (string, error) {
	k, _, err := s.place(h)
	if err != nil {
		return "", err
	}
	e, err := k.entry(h, s.Scope)
	if err != nil {
		return "", err
	}
	_, text, err := k.put("", e, h)
	return text, err
}

// place checks a setting and finds the file.
func (s Setting) place(h *host.Host) (known, string, error) {
	k, err := find(s.Host)
	switch {
	case err != nil:
		return k, "", err
	case s.Scope != User && s.Scope != Project:
		return k, "", fault.New(fault.Usage, "unknown_scope", "the scope is %s, and there are user and project", spec.Quote(string(s.Scope))).Hint("patch-git setup --help")
	case s.Scope == Project && k.project == "":
		return k, "", fault.New(fault.Usage, "unknown_scope", "%s reads no file in a project's folder", k.title).Hint("leave out --scope")
	case s.Hooks && k.id != ClaudeCode:
		return k, "", fault.New(fault.Usage, "no_hooks", "%s has no hooks that this program knows; Claude Code has", k.title)
	case h.Paths.Root == "":
		return k, "", noHome()
	case s.File != "":
		return k, s.File, nil
	case s.Scope == Project && h.Dir == "":
		return k, "", fault.New(fault.Unavailable, "no_folder", "the working directory is not known")
	case s.Scope == Project:
		return k, filepath.Join(h.Dir, filepath.FromSlash(k.project)), nil
	}
	named := k.file(h)
	if named == "" {
		return k, "", noHome()
	}
	return k, named, nil
}

// file is the one of a user: the usual one, unless another is there.
func (k known) file(h *host.Host) string {
	list := k.files(machineOf(h))
	for _, other := range list[1:] {
		if other != "" && present(other) {
			return other
		}
	}
	return list[0]
}

// all changes the file of the servers, and with hooks the one for those.
func (s Setting) all(ctx context.Context, h *host.Host, k known, named string, e Entry, undo bool) ([]Done, error) {
	if !s.DryRun {
		unlock, err := durable.Lock(ctx, filepath.Join(h.Paths.Hosts(), ".lock"), limits.LockWait)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	list := []work{{
		named,
		func(text string) ([][]edit, string, error) { return k.put(text, e, h) },
		func(text string) ([][]edit, string, error) { return k.drop(text, h) },
	}}
	if s.Hooks {
		other, err := settings(h, s.Scope)
		if err != nil {
			return nil, err
		}
		list = append(list, work{other, func(text string) ([][]edit, string, error) { return putHooks(text, e.Command) }, dropHooks})
	}
	// All are looked at before the first is written.
	for _, w := range list {
		if _, err := s.one(h, w, undo, true); err != nil {
			return nil, err
		}
	}
	var done []Done
	for _, w := range list {
		d, err := s.one(h, w, undo, s.DryRun)
		if err != nil {
			return done, err
		}
		done = append(done, d)
	}
	return done, nil
}

// one changes one file. Where its host writes it at the same time, the change is
// made anew on what the host wrote.
func (s Setting) one(h *host.Host, w work, undo, dry bool) (Done, error) {
	named, change := w.file, w.put
	if undo {
		change = w.drop
	}
	within := ""
	if s.Scope == Project && s.File == "" {
		within = h.Dir
	}
	for range limits.HostTries {
		f, err := open(named, within)
		if err != nil {
			return Done{}, err
		}
		d := Done{File: named, Changes: []Change{}}
		if f.real != filepath.Clean(named) {
			d.Link = f.real
		}
		steps, after, err := change(f.text)
		if err != nil && fault.KindOf(err) == fault.Internal {
			err = damaged(named, err)
		}
		if err != nil {
			return Done{}, err
		}
		d.Changes = told(f.text, steps)
		if len(steps) == 0 || dry {
			return d, nil
		}
		err = s.write(h, f, w, after, undo, &d)
		if !errors.Is(err, errChanged) {
			return d, err
		}
	}
	return Done{}, fault.New(fault.Unavailable, reasonBusy, "%s is written by another program all the time", spec.Quote(named)).
		Hint("end the host, and try again")
}

// told are changes as a person reads them. Lines are those of the text that each
// step changes.
func told(text string, steps [][]edit) []Change {
	out := []Change{}
	for _, edits := range steps {
		for _, e := range edits {
			at := e.at + len(e.put) - len(strings.TrimLeft(e.put, "\r\n"))
			c := Change{line(text, e.at), short(text[e.at : e.at+e.cut]), short(e.put)}
			if at > e.at {
				c.Line++ // it begins with a line of its own
			}
			out = append(out, c)
		}
		text = apply(text, edits)
	}
	return out
}
