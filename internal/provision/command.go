package provision

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// command works out the argv prefix of the entrypoint. own turns a word of it into
// what it means in the artifact, and says whether it does; the first word may else be
// an interpreter of the host. All others stay as they are, whatever characters they
// hold: no shell ever sees them.
func (w *work) command(ctx context.Context, own func(word string, i int) ([]string, bool, error)) error {
	w.done.Env = append(w.done.Env, "HOME="+sandbox.ScratchDir, "TMPDIR="+sandbox.ScratchDir, "LANG=C.UTF-8", "PATH=/usr/bin:/bin")
	if err := w.cwd(); err != nil {
		return err
	}
	for i, word := range w.d.Command {
		words, is, err := own(word, i)
		if err != nil {
			return err
		}
		if !is && i == 0 {
			if words, err = w.interpreter(ctx, word); err != nil {
				return err
			}
		} else if !is {
			words = []string{word}
		}
		w.done.Command = append(w.done.Command, words...)
	}
	return nil
}

// interpreters are the programs of the host that may start a file of an artifact.
var interpreters = []string{"node", "python", "python3", "sh", "bash"}

// interpreter finds one of them. Python is ours: found by trying, in the version that
// the packages were resolved for.
func (w *work) interpreter(ctx context.Context, word string) ([]string, error) {
	if !slices.Contains(interpreters, word) {
		return nil, refused("the command %s is no file of what is installed, and none of %s", spec.Quote(word), strings.Join(interpreters, ", "))
	}
	if strings.HasPrefix(word, "python") {
		python, err := w.p.Python(ctx, nil)
		if err != nil {
			return nil, err
		}
		w.done.Mounts = append(w.done.Mounts, python.Mounts...)
		w.done.Env = overlay(w.done.Env, python.Env)
		return slices.Clone(python.Argv), nil
	}
	path, mounts, err := w.p.program(word)
	if err != nil {
		return nil, err
	}
	if word == "node" {
		w.done.Memory = nodeMemory
	}
	for _, m := range mounts {
		if !slices.Contains(w.done.Mounts, m) {
			w.done.Mounts = append(w.done.Mounts, m)
		}
	}
	return []string{path}, nil
}

// overlay puts variables in the place of those of the same name.
func overlay(env, more []string) []string {
	for _, m := range more {
		name, _, _ := strings.Cut(m, "=")
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		env = append(env, m)
	}
	return env
}

// program finds a program of the host, and what of the host it needs to run. The
// whole of /usr is in sight where it lies there: what a distribution put together
// finds its parts in many places, and all of them can be read by anybody.
func (p *Provisioner) program(name string) (path string, mounts []Mount, err error) {
	path, err = p.Find(name)
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return "", nil, fault.New(fault.Unavailable, "no_runtime", "%s is not here, and the tool needs it", name).
			Hint("install %s, and see that it is on PATH", name)
	}
	if err != nil {
		return "", nil, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", nil, fault.New(fault.Unavailable, "no_runtime", "%s: %w", name, err)
	}
	if runtime.GOOS != "windows" && below(path, "/usr") {
		return path, []Mount{same("/usr")}, nil
	}
	return path, []Mount{same(path)}, nil
}

// cwd is the working directory of the tool, in the artifact or in the sandbox's own.
func (w *work) cwd() error {
	if w.d.Cwd == "" || w.done.Dir == "" {
		return nil
	}
	if !filepath.IsLocal(w.d.Cwd) || filepath.Clean(w.d.Cwd) != w.d.Cwd {
		return refused("the working directory %s leads out of what is installed", spec.Quote(w.d.Cwd))
	}
	if info, err := os.Lstat(filepath.Join(w.stage, w.d.Cwd)); err != nil || !info.IsDir() {
		return refused("the working directory %s is not in what is installed", spec.Quote(w.d.Cwd))
	}
	w.done.Cwd = filepath.Join(w.done.Dir, w.d.Cwd)
	return nil
}

// inTree finds a file of the artifact that a command names, relative to its working
// directory. Links are followed inside of the artifact and never out of it.
func (w *work) inTree(word string) (string, bool, error) {
	if !strings.Contains(word, "/") && !strings.Contains(word, ".") || !filepath.IsLocal(word) {
		return "", false, nil
	}
	root, err := os.OpenRoot(w.stage)
	if err != nil {
		return "", false, err
	}
	defer func() { _ = root.Close() }()
	for _, dir := range []string{w.d.Cwd, ""} {
		rel := filepath.Join(dir, filepath.Clean(word))
		if info, err := root.Stat(rel); err == nil && info.Mode().IsRegular() {
			return rel, true, nil
		}
	}
	return "", false, nil
}

// shebang is the interpreter that a script names in its first line, as "node"; "" for
// what is none, or names a file.
func shebang(head string) string {
	line, _, _ := strings.Cut(head, "\n")
	rest, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return ""
	}
	words := strings.Fields(rest)
	if len(words) > 1 && filepath.Base(words[0]) == "env" {
		words = words[1:]
		if words[0] == "-S" {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return ""
	}
	return filepath.Base(words[0])
}

// starts is the argv that starts a file of the artifact: by its shebang through an
// interpreter that we found, else by itself.
func (w *work) starts(ctx context.Context, rel string) ([]string, error) {
	head := make([]byte, 256)
	f, err := os.Open(filepath.Join(w.stage, rel))
	if err != nil {
		return nil, err
	}
	n, _ := f.Read(head)
	info, err := f.Stat()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, err
	}
	file := filepath.Join(w.final, rel)
	if by := shebang(string(head[:n])); by != "" {
		argv, err := w.interpreter(ctx, by)
		return append(argv, file), err
	}
	if info.Mode().Perm()&0o100 == 0 {
		return nil, refused("%s is no program", spec.Quote(rel))
	}
	return []string{file}, nil
}

// weigh counts the files of what was made, refuses more than allowed, and takes away
// the right to write them.
func (w *work) weigh() error {
	root, err := os.OpenRoot(w.stage)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	w.done.Files, w.done.Bytes = 0, 0
	return fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return refused("%s is neither a file nor a folder", spec.Quote(d.Name()))
		}
		w.done.Files++
		w.done.Bytes += info.Size()
		if err := w.room(w.done.Files, w.done.Bytes); err != nil {
			return err
		}
		return root.Chmod(path, info.Mode().Perm()&0o555|0o400)
	})
}

// room refuses what is too much for one tool.
func (w *work) room(files int, bytes int64) error {
	if files > limits.PrefixFiles {
		return refused("it has more than %d files", limits.PrefixFiles)
	}
	if bytes > limits.PrefixBytes {
		return refused("it has more than %d bytes", int64(limits.PrefixBytes))
	}
	return nil
}
