package provision

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// git brings one commit, by its full SHA, and writes its files as git has them. There
// is no checkout: no hook, filter, submodule or large-file download has a moment at
// which it could run. git holds every object against its name, and the commit's name
// is what the manifest states.
func (w *work) git(ctx context.Context) error {
	a := w.d.Install
	program, err := w.p.Find("git")
	if err != nil {
		return fault.New(fault.Unavailable, "no_runtime", "git is not here, and the tool is installed by it").Hint("install git, and see that it is on PATH")
	}
	if u, err := url.Parse(a.URL); err != nil {
		return refused("%s is no address", spec.Quote(a.URL))
	} else if w.p.Reach != nil {
		if err := w.p.Reach(ctx, u); err != nil {
			return err
		}
	}
	g := &gitRun{w: w, program: program, dir: filepath.Join(filepath.Dir(w.stage), "git")}
	if err := os.MkdirAll(filepath.Join(g.dir, "home"), 0o700); err != nil {
		return err
	}
	defer func() { _ = clear(g.dir) }()
	w.p.progress("fetching the commit "+a.Ref[:12], 0, 0)
	if _, err := g.do(ctx, nil, "init", "--quiet", "--bare", "--template=", g.repo()); err != nil {
		return err
	}
	if _, err := g.do(ctx, nil, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--end-of-options", a.URL, a.Ref); err != nil {
		return err
	}
	// What came is asked for by the SHA itself; a server cannot give another commit.
	kind, err := g.do(ctx, nil, "cat-file", "-t", a.Ref)
	if err != nil || strings.TrimSpace(string(kind)) != "commit" {
		return fault.New(fault.NotVerified, "artifact_digest", "%s is no commit of %s", a.Ref, spec.Quote(a.URL))
	}
	tree := a.Ref + "^{tree}"
	if a.Subpath != "" {
		tree = a.Ref + ":" + a.Subpath
		if kind, err := g.do(ctx, nil, "cat-file", "-t", tree); err != nil || strings.TrimSpace(string(kind)) != "tree" {
			return refused("the commit has no folder %s", spec.Quote(a.Subpath))
		}
	}
	list, err := g.do(ctx, nil, "ls-tree", "-r", "-z", "-l", "--full-tree", tree)
	if err != nil {
		return err
	}
	entries, err := parseTree(list)
	if err != nil {
		return err
	}
	if err := g.write(ctx, entries); err != nil {
		return err
	}
	w.done.Dir, w.done.Mounts = w.final, []Mount{same(w.final)}
	w.done.Source = strings.TrimSpace(a.URL + " at " + a.Ref + " " + a.Subpath)
	if err := w.weigh(); err != nil {
		return err
	}
	return w.command(ctx, func(word string, i int) ([]string, bool, error) {
		rel, is, err := w.inTree(word)
		if err != nil || !is {
			return nil, false, err
		}
		if i > 0 {
			return []string{filepath.Join(w.final, rel)}, true, nil
		}
		argv, err := w.starts(ctx, rel)
		return argv, true, err
	})
}

// gitRun is git, with nothing of the person's configuration: its helpers would offer
// the person's passwords to whatever server a manifest names.
type gitRun struct {
	w            *work
	program, dir string
}

func (g *gitRun) repo() string { return filepath.Join(g.dir, "repo") }

func (g *gitRun) do(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	allow := "https"
	if g.w.p.plain {
		allow = "https:http:file"
	}
	env := []string{
		"HOME=" + filepath.Join(g.dir, "home"), "GIT_DIR=" + g.repo(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_ALLOW_PROTOCOL=" + allow, "GIT_ATTR_NOSYSTEM=1", "GIT_NO_LAZY_FETCH=1", "GIT_LFS_SKIP_SMUDGE=1",
	}
	for _, name := range []string{"PATH", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "SYSTEMROOT"} {
		if v := g.w.p.Host.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	argv := []string{
		g.program, "-c", "core.hooksPath=" + os.DevNull, "-c", "credential.helper=", "-c", "http.followRedirects=initial", "-c", "transfer.fsckObjects=true",
		"-c", "fetch.recurseSubmodules=false", "-c", "submodule.recurse=false", "-c", "core.symlinks=false", "-c", "protocol.version=2",
		"-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60",
	}
	out, err := g.w.p.Run(ctx, append(argv, args...), env, g.dir, stdin)
	if err != nil {
		return nil, err
	}
	return out.Stdout, g.failure(args[0], out)
}

// failure explains what git said.
func (g *gitRun) failure(verb string, out sandbox.Outcome) error {
	said := strings.Join(strings.Fields(string(out.Stderr)), " ")
	switch {
	case out.StdoutCut:
		return refused("the commit is too large")
	case out.Exit == 0:
		return nil
	case strings.Contains(said, "not our ref"), strings.Contains(said, "not allow request for unadvertised object"):
		return fault.New(fault.NotFound, "no_artifact", "%s does not have the commit %s", spec.Quote(g.w.d.Install.URL), g.w.d.Install.Ref)
	case strings.Contains(said, "transport") && strings.Contains(said, "not allowed"):
		return refused("git refuses the address: %s", spec.Quote(said))
	}
	return fault.New(fault.Unavailable, "download", "git %s failed (exit %d): %s", verb, out.Exit, spec.Quote(said)).Hint("check the connection and try again")
}

// treeEntry is one file of a commit.
type treeEntry struct {
	mode, object, path string
	size               int64
}

// parseTree reads what `git ls-tree -r -z -l` writes, and refuses what is no plain
// file or link below one folder.
func parseTree(list []byte) ([]treeEntry, error) {
	var out []treeEntry
	var bytes int64
	for line := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if line == "" {
			continue
		}
		head, name, ok := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 4 {
			return nil, errors.New("git lists the files of a commit in a way that this program does not know")
		}
		e := treeEntry{mode: words[0], object: words[2], path: name}
		switch e.mode {
		case "100644", "100755", "120000":
		case "160000":
			return nil, refused("%s is a submodule, whose content the commit does not hold", spec.Quote(name))
		default:
			return nil, refused("%s is of the mode %s", spec.Quote(name), spec.Quote(e.mode))
		}
		var err error
		if e.size, err = strconv.ParseInt(words[3], 10, 64); err != nil || e.size < 0 || !fullSHA().MatchString(e.object) {
			return nil, errors.New("git lists the files of a commit in a way that this program does not know")
		}
		if err := safePath(name); err != nil {
			return nil, err
		}
		out, bytes = append(out, e), bytes+e.size
		if len(out) > limits.PrefixFiles || bytes > limits.PrefixBytes {
			return nil, refused("the commit is too large")
		}
	}
	if len(out) == 0 {
		return nil, refused("the commit has no files")
	}
	return out, nil
}

// safePath refuses names by which a file would lie elsewhere, or be read by git.
func safePath(name string) error {
	if !filepath.IsLocal(name) || path.Clean(name) != name || strings.ContainsAny(name, "\\\x00") || len(name) > 1024 {
		return refused("the file %s would lie elsewhere", spec.Quote(name))
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") || len(part) > 255 {
			return refused("the file %s has a name that is not for files", spec.Quote(name))
		}
	}
	return nil
}

// lfs begins a file that stands for one which lies elsewhere.
const lfs = "version https://git-lfs.github.com/spec/"

// write writes the files, through a root that no link leads out of.
func (g *gitRun) write(ctx context.Context, entries []treeEntry) error {
	root, err := os.OpenRoot(g.w.stage)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for batch := entries; len(batch) > 0; {
		n, bytes := 0, int64(0)
		for n < len(batch) && (n == 0 || bytes+batch[n].size+100 < limits.Stdout/2) {
			bytes += batch[n].size + 100
			n++
		}
		if err := g.writeSome(ctx, root, batch[:n]); err != nil {
			return err
		}
		batch = batch[n:]
	}
	return linksInside(root, entries)
}

// linksInside follows every link once all are there: what stays inside by its words can
// lead out by way of another link. One that leads to nothing leads nowhere else either.
func linksInside(root *os.Root, entries []treeEntry) error {
	for _, e := range entries {
		if e.mode != "120000" {
			continue
		}
		if _, err := root.Stat(e.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return refused("the link %s leads out of what is installed", spec.Quote(e.path))
		}
	}
	return nil
}

// writeSome asks for some files at once.
func (g *gitRun) writeSome(ctx context.Context, root *os.Root, batch []treeEntry) error {
	var ask strings.Builder
	for _, e := range batch {
		if e.size > limits.Stdout-1000 {
			return refused("the file %s has %d bytes, allowed are %d", spec.Quote(e.path), e.size, limits.Stdout-1000)
		}
		ask.WriteString(e.object + "\n")
	}
	answer, err := g.do(ctx, []byte(ask.String()), "cat-file", "--batch")
	if err != nil {
		return err
	}
	for _, e := range batch {
		head := e.object + " blob " + strconv.FormatInt(e.size, 10) + "\n"
		if int64(len(answer)) < int64(len(head))+e.size+1 || string(answer[:len(head)]) != head {
			return fault.New(fault.Unavailable, "download", "git does not give the file %s", spec.Quote(e.path))
		}
		data := answer[len(head) : int64(len(head))+e.size]
		answer = answer[int64(len(head))+e.size+1:]
		if err := place(root, e, data); err != nil {
			return err
		}
		g.w.p.did("file")
	}
	return nil
}

// place writes one file.
func place(root *os.Root, e treeEntry, data []byte) error {
	if dir := path.Dir(e.path); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return refused("the file %s cannot be where it says: %w", spec.Quote(e.path), err)
		}
	}
	if e.mode == "120000" {
		return link(root, e.path, string(data))
	}
	if bytes.HasPrefix(data, []byte(lfs)) {
		return refused("the file %s lies in a store for large files, which the commit does not hold", spec.Quote(e.path))
	}
	mode := os.FileMode(0o644)
	if e.mode == "100755" {
		mode = 0o755
	}
	f, err := root.OpenFile(e.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return refused("the file %s cannot be where it says: %w", spec.Quote(e.path), err)
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// link makes a link that stays inside.
func link(root *os.Root, name, to string) error {
	if path.IsAbs(to) || strings.ContainsAny(to, "\\\x00") || !filepath.IsLocal(path.Join(path.Dir(name), to)) && path.Join(path.Dir(name), to) != "." {
		return refused("the link %s leads out of what is installed", spec.Quote(name))
	}
	if err := root.Symlink(to, name); err != nil {
		return refused("the link %s cannot be made: %w", spec.Quote(name), err)
	}
	return nil
}
