package consume

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// grants are the paths of the user's that one run may reach, and the arguments
// rewritten to name them as the sandbox will show them. Each path was opened
// once, judged by what was opened, and stays open until close: so it is that
// file which is mounted, or none.
type grants struct {
	list    []*granted
	args    json.RawMessage
	notes   []string // what could not be made sure of
	created []*granted
}

// granted is one of them.
type granted struct {
	audit.Grant
	// src is what was opened. A file that is not there yet has the folder
	// around it, and its name in there, until it is made.
	src  *sandbox.Held
	name string
	hide []sandbox.Hidden
	// input is the argument that names it; "" where somebody else did.
	input string
	// obeyed are what is to be written of what other programs run or obey: the path
	// itself, or the first of those that lie in the folder.
	obeyed []string
}

// wish is a path that somebody wants a run to be given.
type wish struct {
	path   string
	write  bool
	create bool // a file that is not there is made
	from   audit.Origin
	// lax is for what stands for a whole registry: a tool that declares less
	// is not given it.
	lax  bool
	hint string // how to take the wish back, for one that nobody typed
}

// wishes are the paths that a person named: by flags, and in the configuration.
func wishes(read, write []string, s *Subject, c *config.Config, home string) []wish {
	var out []wish
	add := func(paths []string, w wish) {
		for _, p := range paths {
			w.path = config.Expand(p, home) // no shell does that behind a =
			out = append(out, w)
		}
	}
	add(read, wish{from: audit.FromFlag})
	add(write, wish{from: audit.FromFlag, write: true})
	if c == nil || s.Registry == "" {
		return out
	}
	standing := func(t config.Tool, d config.Defaults, lax bool) {
		w := wish{from: audit.FromConfig, lax: lax, hint: "patch-git grants forget " + strings.TrimSuffix(t.String(), "/")}
		for i, paths := range [][]string{d.Read, d.Write} {
			w.write = i == 1
			add(paths, w)
		}
	}
	tool := config.Tool{Registry: s.Registry, Name: s.Tool.Name}
	standing(config.Tool{Registry: s.Registry}, c.Registries[s.Registry], true)
	standing(tool, c.Tools[tool], false)
	return out
}

// named grants what a person named.
func (g *grants) named(t *spec.Tool, j *judge, list []wish) error {
	for _, w := range list {
		if !t.Capabilities.MayGive(w.write) {
			if w.lax {
				continue
			}
			what := "files"
			if w.write {
				what = "files to write"
			}
			return w.refusal(fault.New(fault.Denied, "capability", "%s declares filesystem %s; it cannot be given %s", t.Name, t.Capabilities.Filesystem, what))
		}
		d, err := j.open(w)
		if err != nil {
			return w.refusal(err)
		}
		g.add(d)
	}
	if len(g.list) > limits.GrantPaths {
		return fault.New(fault.Usage, "path", "%d paths are granted, at most %d can be", len(g.list), limits.GrantPaths)
	}
	return nil
}

// refusal says how to take back what nobody typed.
func (w wish) refusal(err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok && w.hint != "" {
		return e.Hint("%s", w.hint)
	}
	return err
}

// fromArguments grants the files that path-typed arguments name. What is
// granted already is not granted again; but a secret is, by its own name.
func (g *grants) fromArguments(t *spec.Tool, j *judge) error {
	if !t.Capabilities.MayGive(false) {
		return nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(g.args, &values); err != nil {
		return err
	}
	changed := false
	for _, in := range t.Inputs {
		var p string
		write := t.Capabilities.MayGive(true) && in.IsOutputPath()
		if !in.IsPath() || values[in.Name] == nil || json.Unmarshal(values[in.Name], &p) != nil || p == "" {
			continue
		}
		d, err := j.open(wish{path: p, write: write, create: write, from: audit.FromArgument})
		if err != nil {
			return err
		}
		text, err := json.Marshal(d.Path)
		if err != nil {
			return err
		}
		values[in.Name], changed = text, true
		d.input = in.Name
		g.add(d)
	}
	if !changed {
		return nil
	}
	return g.rewrite(t, values)
}

// rewrite puts the arguments together again, with keys in the order of the
// inputs, as manifest.Arguments left them, and behind them what the schema of an
// operation takes besides.
func (g *grants) rewrite(t *spec.Tool, values map[string]json.RawMessage) error {
	var names []string
	for _, in := range t.Inputs {
		names = append(names, in.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var b strings.Builder
	b.WriteByte('{')
	for _, n := range names {
		v, ok := values[n]
		if !ok {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(n)
		if err != nil {
			return err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(v)
	}
	b.WriteByte('}')
	g.args = json.RawMessage(b.String())
	return nil
}

// add takes a grant over, unless an earlier one covers it. A wider one takes
// the place of one for the same path, with who asked for it.
func (g *grants) add(d *granted) {
	for i, a := range g.list {
		switch same := a.Path == d.Path; {
		case same && d.Write && !a.Write:
			a.close()
			g.list[i] = d
			return
		case same, d.From == audit.FromArgument && !d.Secret && within(d.Path, a.Path) && (a.Write || !d.Write):
			d.close()
			return
		}
	}
	g.list = append(g.list, d)
}

// make makes the empty files that are to be written, so that exactly they can
// be granted and not the folders around them. It comes last: who was refused
// finds nothing new.
func (g *grants) make() error {
	for _, d := range g.list {
		if d.name == "" {
			continue
		}
		made, err := d.src.Make(d.name)
		if err != nil {
			return fault.New(fault.Unavailable, "path", "file %s cannot be made: %w", spec.Quote(d.Path), err)
		}
		_ = d.src.Close()
		d.src, d.name = made, ""
		g.created = append(g.created, d)
	}
	return nil
}

// mounts are the grants as the sandbox wants them.
func (g *grants) mounts() []sandbox.Mount {
	var out []sandbox.Mount
	for _, d := range g.list {
		out = append(out, sandbox.Mount{Source: d.Path, Target: d.Path, Write: d.Write, Is: d.src.Is(), Hide: d.hide})
	}
	return out
}

// record are the grants, and the paths in them that are hidden, as they are
// written down.
func (g *grants) record() (list []audit.Grant, hidden []string) {
	for _, d := range g.list {
		list = append(list, d.Grant)
		for _, h := range d.hide {
			if !slices.Contains(hidden, h.Path) {
				hidden = append(hidden, h.Path)
			}
		}
	}
	return list, hidden
}

func (d *granted) close() { _ = d.src.Close() }

// close lets go of all grants, and takes away the empty files that were made
// and never written.
func (g *grants) close() {
	if g == nil {
		return
	}
	for _, d := range g.created {
		is, err := sandbox.Identify(d.Path)
		if info, statErr := os.Lstat(d.Path); err == nil && statErr == nil && is == d.src.Is() && info.Size() == 0 {
			_ = os.Remove(d.Path)
		}
	}
	for _, d := range g.list {
		d.close()
	}
}
