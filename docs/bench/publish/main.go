// Command publish measures what publishing on a branch costs, against registries
// of several sizes: a registry signed by a key, its repository a bare one on this
// disk, its source a clone of that. It says of each size what one merged version
// costs, what the pages cost, and of the last what a bulk import costs; beside it
// what a clone with a work tree would. Then a cold pull from the pages, over a
// server that compresses as GitHub Pages does.
//
//	go run ./docs/bench/publish -sizes 100x1,1000x1,10000x1,10000x10 -bulk 1000
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

func main() {
	sizes := flag.String("sizes", "100x1,1000x1,10000x1,10000x10", "tools x versions of each")
	bulk := flag.Int("bulk", 1000, "tools of the bulk import into the last registry; 0 leaves it out")
	clones := flag.Bool("clones", false, "also measure clones with a work tree")
	pages := flag.Bool("pages", true, "also write the pages")
	work := flag.String("work", "", "where to work (default: the system's folder for such)")
	flag.Parse()
	if err := run(context.Background(), *sizes, *work, *bulk, *clones, *pages); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, sizes, work string, bulk int, clones, pages bool) error {
	root, err := os.MkdirTemp(work, "patch-git-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(root) }()
	list := strings.Split(sizes, ",")
	for i, size := range list {
		var tools, versions int
		if _, err := fmt.Sscanf(size, "%dx%d", &tools, &versions); err != nil {
			return fmt.Errorf("size %q: %w", size, err)
		}
		r, err := newRegistry(ctx, filepath.Join(root, size), tools, versions)
		if err != nil {
			return err
		}
		if err := r.one(ctx, pages); err != nil {
			return err
		}
		if clones {
			if err := r.clones(ctx); err != nil {
				return err
			}
		}
		if bulk > 0 && i == len(list)-1 {
			if err := r.bulk(ctx, bulk); err != nil {
				return err
			}
		}
		if err := os.RemoveAll(filepath.Join(root, size)); err != nil {
			return err
		}
	}
	return nil
}

// one publishes one new version of one tool, three times, and reports the last.
func (r *reg) one(ctx context.Context, pages bool) error {
	for n := range 3 {
		if err := r.propose(r.names[n%len(r.names)], "9.0.0"); err != nil {
			return err
		}
		if err := r.merge(ctx, "one version"); err != nil {
			return err
		}
		before := r.tip(ctx)
		out, took, err := r.publish(ctx, "")
		if err != nil {
			return err
		}
		if n < 2 {
			continue
		}
		objects, pack := r.pushed(ctx, before)
		s := out.Stats
		fmt.Fprintf(os.Stdout, "%-9s publish %6.2fs (%.2fs of the processor)  fetched %s (%d fetches)  read %s in %d files  wrote %s in %d files  pushed %d objects, %s\n",
			r.size, took.Seconds(), r.cpu.Seconds(), mib(r.fetched), s.Fetches, mib(s.Read), s.Blobs, kib(s.Written), s.Files, objects, kib(pack))
	}
	if !pages {
		return nil
	}
	site := filepath.Join(r.root, "site")
	out, took, err := r.publish(ctx, site)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%-9s pages   %6.2fs (%.2fs of the processor)  audited %d releases, wrote %d files of the tree (%s) and %d pages; all of it has %s\n",
		r.size, took.Seconds(), r.cpu.Seconds(), out.Site.Audited, out.Site.Files, mib(out.Site.Bytes), out.Site.Pages.Pages, mib(sizeOf(site)))
	if err := r.propose(r.names[3], "9.0.0"); err != nil {
		return err
	}
	if err := r.merge(ctx, "one version more"); err != nil {
		return err
	}
	if out, took, err = r.publish(ctx, site); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%-9s again   %6.2fs (%.2fs of the processor)  with a version more: wrote %d files of the tree (%s) and %d of the pages\n",
		r.size, took.Seconds(), r.cpu.Seconds(), out.Site.Files, kib(out.Site.Bytes), out.Site.Pages.Written)
	return coldPull(ctx, r, site)
}

// bulk publishes many new tools that came in one push.
func (r *reg) bulk(ctx context.Context, n int) error {
	for i := range n {
		if err := r.propose(toolName("bulk", i), "1.0.0"); err != nil {
			return err
		}
	}
	if err := r.merge(ctx, "bulk import"); err != nil {
		return err
	}
	before := r.tip(ctx)
	out, took, err := r.publish(ctx, "")
	if err != nil {
		return err
	}
	objects, pack := r.pushed(ctx, before)
	fmt.Fprintf(os.Stdout, "%-9s bulk    %6.2fs (%.2fs of the processor)  %d tools in one push, all checked: wrote %s in %d files, pushed %d objects, %s\n",
		r.size, took.Seconds(), r.cpu.Seconds(), len(out.Accepted), mib(out.Stats.Written), out.Stats.Files, objects, mib(pack))
	return nil
}

// clones says what a work tree of the branch would cost.
func (r *reg) clones(ctx context.Context) error {
	for _, c := range []struct {
		what string
		args []string
	}{
		{"full", []string{"--depth=1"}},
		{"sparse", []string{"--depth=1", "--filter=blob:none", "--sparse"}},
	} {
		dir := filepath.Join(r.root, "clone-"+c.what)
		start := time.Now()
		if _, err := git(ctx, "", append(append([]string{"clone", "-q", "-b", "published"}, c.args...), "file://"+r.origin, dir)...); err != nil {
			return err
		}
		if c.what == "sparse" { // what a publication reads
			if _, err := git(ctx, dir, "sparse-checkout", "set", "v1/buckets", "v1/records", "v1/log", "v1/objects"); err != nil {
				return err
			}
		}
		got := time.Since(start)
		file := filepath.Join(dir, "v1", "records", "new")
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			return err
		}
		start = time.Now()
		if _, err := git(ctx, dir, "add", "--sparse", "-A"); err != nil {
			return err
		}
		if _, err := git(ctx, dir, "-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-q", "-m", "x"); err != nil {
			return err
		}
		fmt.Fprintf(os.Stdout, "%-9s %-7s clone with a work tree: %.2fs, %s on disk; adding and committing one file: %.2fs\n",
			r.size, c.what, got.Seconds(), mib(sizeOf(dir)), time.Since(start).Seconds())
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

// reg is one registry.
type reg struct {
	size    string
	root    string
	origin  string
	dir     string // checkout of main
	names   []string
	w       *contribute.Workshop
	h       *host.Host
	fetched int64         // bytes of the copy of the last publication
	cpu     time.Duration // of the last publication
}

// publish is what is measured.
func (r *reg) publish(ctx context.Context, site string) (*contribute.BranchPublished, time.Duration, error) {
	work := filepath.Join(r.root, "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		return nil, 0, err
	}
	// The copy is gone at the end; how large it was is seen from beside it.
	stop, done := make(chan struct{}), make(chan int64)
	go func() {
		var most int64
		for {
			select {
			case <-stop:
				done <- most
				return
			case <-time.After(100 * time.Millisecond):
				most = max(most, sizeOf(filepath.Join(work)))
			}
		}
	}()
	start, used := time.Now(), cpu()
	out, err := r.w.PublishBranch(ctx, contribute.BranchOptions{Dir: r.dir, Remote: "file://" + r.origin, Work: work, Site: site})
	took := time.Since(start)
	r.cpu = cpu() - used
	close(stop)
	r.fetched = <-done
	return out, took, err
}

func (r *reg) propose(name, version string) error {
	for path, data := range source(name, version) {
		file := filepath.Join(r.dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (r *reg) merge(ctx context.Context, message string) error {
	for _, args := range [][]string{{"add", "-A", "tools"}, {"-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-q", "-m", message}, {"push", "-q", "origin", "main"}} {
		if _, err := git(ctx, r.dir, args...); err != nil {
			return err
		}
	}
	return nil
}

func (r *reg) tip(ctx context.Context) string {
	id, _ := git(ctx, r.origin, "rev-parse", "published")
	return id
}

// pushed counts the objects that came since a commit, and the bytes of a pack of them.
func (r *reg) pushed(ctx context.Context, before string) (objects int, pack int64) {
	list, err := git(ctx, r.origin, "rev-list", "--objects", "published", "^"+before)
	if err != nil {
		return 0, 0
	}
	cmd := exec.CommandContext(ctx, "git", "-C", r.origin, "pack-objects", "--stdout", "--thin", "--revs", "-q")
	cmd.Stdin = strings.NewReader("published\n^" + before + "\n")
	out, _ := cmd.Output()
	return strings.Count(list, "\n") + 1, int64(len(out))
}

// source is a version as the source tree has it.
func source(name, version string) map[string][]byte {
	text := strings.Replace(string(contribute.Template(spec.Name(name), "Does one useful thing to the text that it is given.")), "version: 0.1.0", "version: "+version, 1)
	dir := "tools/" + name[:2] + "/" + name + "/"
	return map[string][]byte{dir + version + "/tool.py": []byte(text), dir + "tool.yaml": []byte("owners:\n  - login: bench\n    id: 7\n")}
}

// toolName is a name that is close to no other.
func toolName(kind string, i int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", kind, i))
	name := make([]byte, 14)
	for k := range name {
		name[k] = 'a' + sum[k]%26
	}
	return string(name)
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %v: %w: %s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}

func sizeOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

func mib(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

func kib(n int64) string { return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10)) }

func newHost(root string) *host.Host {
	h := host.System()
	h.Paths = paths.Paths{Root: root}
	return h
}
