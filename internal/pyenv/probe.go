package pyenv

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

//go:embed probe.py
var probeScript string

// probeTime is generous: the first start of an interpreter reads a cold disk.
const probeTime = 20 * time.Second

// answer is what probe.py prints.
type answer struct {
	Implementation string   `json:"implementation"`
	Version        string   `json:"version"`
	Release        string   `json:"release"`
	Flags          string   `json:"flags"`
	Cache          string   `json:"cache"`
	Magic          string   `json:"magic"`
	Build          []string `json:"build"`
	Libc           string   `json:"libc"`
	Missing        []string `json:"missing"`
}

var (
	magicGrammar   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{8}$`) })
	cacheGrammar   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9_-]{1,40}$`) })
	versionGrammar = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^3\.\d{1,2}\.\d{1,3}$`) })
)

// unfit says why a program is no interpreter for us. It is an answer, not a
// failure: the next candidate is tried.
type unfit string

func (u unfit) Error() string { return string(u) }

// probe runs the program at path, a resolved path, in the sandbox. The error
// is an unfit, or whatever kept the sandbox from running anything.
func (p *Pythons) probe(ctx context.Context, path string) (*Interpreter, error) {
	in := &Interpreter{Path: path}
	if err := p.layout(in); err != nil {
		return nil, unfit(err.Error())
	}
	job := in.job(probeScript)
	job.Limits = sandbox.Limits{Wall: probeTime, Stdout: limits.MiB}
	out, err := p.box.Run(ctx, job)
	if err != nil {
		return nil, err
	}
	if out.Exit != 0 {
		return nil, unfit(fmt.Sprintf("it does not start in the sandbox (%s): %s", ending(out), lastLine(out.Stderr)))
	}
	var a answer
	if err := json.Unmarshal(out.Stdout, &a); err != nil {
		return nil, unfit("it gives no readable answer")
	}
	return in, in.take(a, p.host.GOOS, p.host.GOARCH)
}

// take checks an answer and fills it in.
func (in *Interpreter) take(a answer, goos, goarch string) error {
	switch {
	case a.Implementation != "cpython":
		return unfit("it is " + spec.Quote(a.Implementation) + ", not CPython")
	case !versionGrammar().MatchString(a.Version) || !magicGrammar().MatchString(a.Magic) || !cacheGrammar().MatchString(a.Cache):
		return unfit("it gives no readable answer")
	case a.Release != "final":
		return unfit("it is a pre-release")
	case a.Flags != "":
		// A free-threaded or debug build takes other wheels and other bytecode.
		return unfit("it is a build of the kind " + spec.Quote(a.Flags))
	}
	in.Version, in.Magic, in.Cache, in.Missing = a.Version, a.Magic, a.Cache, a.Missing
	in.Build = sha(append([]string{a.Cache, a.Magic}, a.Build...)...)
	in.Target = Target(goos, goarch, a.Libc)
	return nil
}

// ending says in a few words how a program of ours ended.
func ending(out sandbox.Outcome) string {
	switch {
	case out.TimedOut:
		return "timeout"
	case out.Signal != "":
		return out.Signal
	}
	return fmt.Sprintf("exit %d", out.Exit)
}

// lastLine is the end of a traceback, safe to print.
func lastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return spec.Quote(lines[len(lines)-1])
}

// layout finds out, by looking alone, what an interpreter needs of the host:
// itself, its standard library, the shared libraries of both, time zones and
// locales. Its site-packages lie inside the standard library and come along,
// but are not on the path of what runs.
func (p *Pythons) layout(in *Interpreter) error {
	prefix := filepath.Dir(filepath.Dir(in.Path))
	if p.host.GOOS != "linux" {
		// The loaders of other systems find what they need by themselves.
		return in.show(p.host.Home, prefix)
	}
	stdlib := standardLibraries(prefix, filepath.Base(in.Path))
	if len(stdlib) == 0 {
		return errors.New("it has no standard library beside it")
	}
	roots := []string{in.Path}
	for _, dir := range stdlib {
		found, err := filepath.Glob(filepath.Join(dir, "lib-dynload", "*.so"))
		if err != nil {
			return err
		}
		roots = append(roots, found...)
	}
	objects, err := needed(triplet(p.host.GOARCH), roots...)
	if err != nil {
		return err
	}
	in.Library = strings.Join(objects.search, ":")
	paths := slices.Concat([]string{in.Path}, stdlib, objects.dirs, objects.files)
	if objects.loader != "" {
		paths = append(paths, objects.loader)
	}
	for _, extra := range []string{"/usr/lib/locale", "/usr/share/zoneinfo"} {
		if _, err := os.Stat(extra); err == nil {
			paths = append(paths, extra)
		}
	}
	// Debian's OpenSSL looks here for what lies in /etc/ssl, which the sandbox
	// shows to jobs with a network.
	if isDir("/usr/lib/ssl") {
		in.Trust = []Mount{{Source: "/usr/lib/ssl", Target: "/usr/lib/ssl"}}
	}
	return in.show(p.host.Home, paths...)
}

// show adds mounts for paths, each at its own place; a link at the end of a
// path becomes what it leads to, under its own name, and links on the way are
// left to the sandbox, which makes the host's top-level ones anew. A path that
// would show the whole home, or anything above it, is refused.
func (in *Interpreter) show(home string, paths ...string) error {
	var mounts []Mount
	for _, path := range paths {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return err
		}
		source, err := filepath.EvalSymlinks(path)
		if err != nil {
			return err
		}
		if source == filepath.Dir(source) || home != "" && within(home, source) {
			return fmt.Errorf("it would need all of %q", source)
		}
		mounts = append(mounts, Mount{Source: source, Target: filepath.Join(dir, filepath.Base(path))})
	}
	slices.SortFunc(mounts, func(a, b Mount) int { return strings.Compare(a.Target, b.Target) })
	for _, m := range mounts {
		// What lies in a directory that is shown already needs nothing more.
		covered := func(o Mount) bool {
			return o == m || o.Source == o.Target && m.Source == m.Target && within(m.Target, o.Target)
		}
		if !slices.ContainsFunc(in.Mounts, covered) {
			in.Mounts = append(in.Mounts, m)
		}
	}
	return nil
}

// within tells whether path is dir or below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// standardLibraries are the directories of a prefix that hold os.py, of the
// version that the program's name tells, or of all where it tells none.
func standardLibraries(prefix, name string) []string {
	var out []string
	version := "python3.*"
	if programName().MatchString(name) {
		version = name
	}
	for _, lib := range []string{"lib", "lib64"} {
		found, _ := filepath.Glob(filepath.Join(prefix, lib, version, "os.py"))
		for _, f := range found {
			// lib64 is a link to lib on some systems: one name is enough.
			if dir := filepath.Dir(f); !slices.ContainsFunc(out, func(o string) bool { return sameFile(o, dir) }) {
				out = append(out, dir)
			}
		}
	}
	return out
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// triplet names the processor as Debian's library directories do.
func triplet(goarch string) string {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[goarch]
	return or(arch, goarch) + "-linux-gnu"
}
