package consume

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// grants are the paths of the user's that one run may reach, and the arguments
// rewritten to name them as the sandbox will show them.
type grants struct {
	list    []audit.Grant
	args    json.RawMessage
	created []string // empty files that were made so that they could be granted
}

// pathWords end the name of an input whose value is a path.
var pathWords = []string{"path", "file", "filename", "dir", "directory", "folder"}

// outputWords begin the name of a path input that the tool writes.
var outputWords = []string{"output", "out", "dest", "destination", "target", "save"}

func isPathInput(in spec.Input) bool {
	words := strings.Split(in.Name, "_")
	return in.Type == spec.TypeString && slices.Contains(pathWords, words[len(words)-1])
}

// isOutput tells whether a path input names what the tool writes. All others
// are given read-only, also to a tool that may write: the photo that is made
// smaller stays as it is.
func isOutput(in spec.Input) bool {
	first, _, _ := strings.Cut(in.Name, "_")
	return slices.Contains(outputWords, first)
}

// grant works out what a run may reach: the paths that were granted by name,
// and the files that path-typed arguments name, as far as the manifest's
// filesystem capability goes. dir is the working directory.
func grant(t *spec.Tool, args json.RawMessage, read, write []string, dir string) (*grants, error) {
	g := &grants{args: args}
	fsCap := t.Capabilities.Filesystem
	if len(read) > 0 && fsCap != spec.FilesystemReadOnly && fsCap != spec.FilesystemReadWrite {
		return nil, fault.New(fault.Denied, "capability", "%s declares filesystem %s; it cannot be given files", t.Name, fsCap)
	}
	if len(write) > 0 && fsCap != spec.FilesystemReadWrite {
		return nil, fault.New(fault.Denied, "capability", "%s declares filesystem %s; it cannot be given files to write", t.Name, fsCap)
	}
	for _, p := range read {
		if err := g.add(p, dir, false); err != nil {
			return nil, err
		}
	}
	for _, p := range write {
		if err := g.add(p, dir, true); err != nil {
			return nil, err
		}
	}
	if fsCap != spec.FilesystemReadOnly && fsCap != spec.FilesystemReadWrite {
		return g, nil
	}
	return g, g.fromArguments(t, fsCap == spec.FilesystemReadWrite, dir)
}

// fromArguments grants the files that path-typed arguments name.
func (g *grants) fromArguments(t *spec.Tool, mayWrite bool, dir string) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(g.args, &values); err != nil {
		return err
	}
	changed := false
	for _, in := range t.Inputs {
		var p string
		write := mayWrite && isOutput(in)
		if !isPathInput(in) || values[in.Name] == nil || json.Unmarshal(values[in.Name], &p) != nil || p == "" {
			continue
		}
		real, err := g.resolve(p, dir, write)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(g.list, func(a audit.Grant) bool { return within(real, a.Path) && (a.Write || !write) }) {
			g.list = append(g.list, audit.Grant{Path: real, Write: write})
		}
		text, err := json.Marshal(real)
		if err != nil {
			return err
		}
		values[in.Name], changed = text, true
	}
	if !changed {
		return nil
	}
	// Keys in the order of the inputs, as manifest.Arguments left them.
	var b strings.Builder
	b.WriteByte('{')
	for _, in := range t.Inputs {
		v, ok := values[in.Name]
		if !ok {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(in.Name)
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

func (g *grants) add(p, dir string, write bool) error {
	real, err := g.resolve(p, dir, false)
	if err == nil {
		g.list = append(g.list, audit.Grant{Path: real, Write: write})
	}
	return err
}

// resolve returns the real path that a person meant. With create, a file that
// is not there yet is made, empty, so that exactly it can be granted and not
// the folder around it.
func (g *grants) resolve(p, dir string, create bool) (string, error) {
	if strings.IndexByte(p, 0) >= 0 {
		return "", fault.New(fault.Usage, "path", "path %s has a zero byte", spec.Quote(p))
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(dir, p)
	}
	real, err := filepath.EvalSymlinks(p)
	if err == nil {
		return real, notSystem(real)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fault.New(fault.Unavailable, "path", "path %s cannot be resolved: %w", spec.Quote(p), err)
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(p))
	if err != nil || !create {
		return "", fault.New(fault.NotFound, "path", "there is no file %s", spec.Quote(p))
	}
	real = filepath.Join(parent, filepath.Base(p))
	if err := notSystem(real); err != nil {
		return "", err
	}
	f, err := os.OpenFile(real, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", fault.New(fault.Unavailable, "path", "file %s cannot be made: %w", spec.Quote(p), err)
	}
	g.created = append(g.created, real)
	return real, f.Close()
}

// notSystem refuses what the sandbox cannot show: the root and the kernel's
// own file systems.
func notSystem(real string) error {
	for _, d := range []string{"/proc", "/sys", "/dev"} {
		if within(real, d) {
			return fault.New(fault.Denied, "path", "%s cannot be given to a tool", spec.Quote(real))
		}
	}
	if filepath.Dir(real) == real {
		return fault.New(fault.Denied, "path", "the whole file system cannot be given to a tool")
	}
	return nil
}

// spare refuses grants that reach patch-git's own state, or have it in them: the
// signing keys, the records of other runs, whom the user trusts and what the
// user agreed to.
func (g *grants) spare(state string) error {
	real, err := filepath.EvalSymlinks(state)
	if err != nil {
		real = state // not there yet; who can write around it could make it
	}
	for _, a := range g.list {
		if within(a.Path, real) || within(real, a.Path) {
			return fault.New(fault.Denied, "path", "%s cannot be given to a tool: patch-git keeps there whom you trust", spec.Quote(a.Path)).
				Hint("name the file or the folder that it needs, outside of %s", spec.Quote(real))
		}
	}
	return nil
}

func within(p, dir string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// tidy takes away the empty files that were made and never written.
func (g *grants) tidy() {
	for _, p := range g.created {
		if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			_ = os.Remove(p)
		}
	}
}
