package provision

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Trusted runs a program of the host that the person trusts with everything;
// trusted.Run is the one outside of tests.
type Trusted func(ctx context.Context, argv, env []string, dir string, stdin []byte) (sandbox.Outcome, error)

// Provisioner acquires artifacts for one user. Find, Run, HTTP, Python and Resolve
// are compulsory for the methods that need them.
type Provisioner struct {
	Host *host.Host
	// HTTP asks servers that a stranger named: its dialer must hold to what the person
	// lets tools reach.
	HTTP *http.Client
	// Reach refuses an address that a program asks itself, as HTTP's dialer does; nil
	// lets all through.
	Reach func(ctx context.Context, u *url.URL) error
	// Find is the absolute path of a program of the host.
	Find func(name string) (string, error)
	// Run runs git and container engines.
	Run Trusted
	// Box is where npm works out what a package needs.
	Box func(ctx context.Context) (Box, error)
	// Uplink is the network of that work.
	Uplink func(ctx context.Context) (sandbox.Uplink, error)
	// Python makes the environment of a closure ready; a nil closure is the plain
	// interpreter.
	Python func(ctx context.Context, c *ledger.Closure) (Python, error)
	// Progress hears of long work; nil is silence.
	Progress func(what string, done, total int64)

	// plain lets tests fetch over http, and git from a folder; nothing outside of
	// this package's tests can set it.
	plain bool
	// after is told of each change on disk, so that tests can end the process there.
	after func(what string)
}

func (p *Provisioner) did(what string) {
	if p.after != nil {
		p.after(what)
	}
}

// Box runs a job; *sandbox.Sandbox is one.
type Box interface {
	Run(ctx context.Context, j sandbox.Job) (sandbox.Outcome, error)
}

// Python is an interpreter with the packages of a closure.
type Python struct {
	Argv   []string // starts it without any packages
	Dir    string   // of the packages, "" where there are none
	Env    []string
	Mounts []Mount
}

// Request is what is to be installed: a tool of a verified release.
type Request struct {
	Tool    *spec.Tool
	Release spec.Digest
	Closure *ledger.Closure // the signed packages of the release, nil where it has none
}

// Install makes the prefix of a release. One that is there is returned as it is.
// Errors are Findings "install" for what is never installed, NotVerified for other
// bytes than were stated, Unavailable for what could not be reached or is missing on
// this machine. Whatever it is, nothing is left that Load would find.
func (p *Provisioner) Install(ctx context.Context, r Request) (*Prefix, error) {
	if err := check(r.Tool, p.plain); err != nil {
		return nil, err
	}
	if r.Release.IsZero() {
		return nil, fault.New(fault.NotVerified, "unverified", "nobody verified %s", r.Tool.Name)
	}
	final := p.dir(r.Release)
	if err := durable.MkdirAll(filepath.Dir(final)); err != nil {
		return nil, err
	}
	unlock, err := durable.Lock(ctx, final+".lock", limits.ProvisionTime)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if done, err := p.Load(r.Release); fault.ReasonOf(err) != "not_provisioned" {
		return done, err
	}
	ctx, cancel := context.WithTimeout(ctx, limits.ProvisionTime)
	defer cancel()
	p.sweep(r.Release)
	stage := final + stageMark + rand.Text()
	if err := durable.MkdirAll(filepath.Join(stage, rootDir)); err != nil {
		return nil, err
	}
	defer func() { _ = clear(stage) }()
	p.did("stage")
	done := &Prefix{
		Schema: prefixSchema, Tool: r.Tool.Name, Version: r.Tool.Version, Release: r.Release, Method: r.Tool.Deployment.Install.Method,
		At: p.Host.Now().UTC().Format(time.RFC3339),
	}
	w := &work{p: p, r: r, d: r.Tool.Deployment, stage: filepath.Join(stage, rootDir), final: filepath.Join(final, rootDir), done: done}
	if err := w.acquire(ctx); err != nil {
		return nil, err
	}
	if done.Method == "git" || done.Method == "npm" {
		names, err := listed(w.stage)
		if err == nil {
			done.Tree, err = treeDigest(w.stage, names)
		}
		if err != nil {
			return nil, durable.Classify("read", w.stage, err)
		}
	}
	p.did("artifact")
	data, err := json.MarshalIndent(done, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := durable.WriteFile(filepath.Join(stage, prefixFile), append(data, '\n'), 0o600); err != nil {
		return nil, err
	}
	p.did("record")
	if err := durable.SyncAll(stage); err != nil {
		return nil, durable.Classify("keep", stage, err)
	}
	p.did("sync")
	// The commit point.
	if err := os.Rename(stage, final); err != nil {
		return nil, durable.Classify("put into place", final, err)
	}
	p.did("place")
	return done, durable.SyncDir(filepath.Dir(final))
}

// Load returns the prefix of a release; one that is not there is NotFound
// "not_provisioned".
func (p *Provisioner) Load(release spec.Digest) (*Prefix, error) {
	done, err := read(p.dir(release), release)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "not_provisioned", "what release %s installs is not on this machine", release.Short()).
			Hint("patch-git pull the tool again")
	}
	if err == nil {
		err = p.unchanged(done)
	}
	return done, err
}

// Resolve is the argv of a command of a manifest, as [Prefix.Resolve] has it, or a
// program of the host that what is installed brings along to its sandbox. The prefix
// that is returned shows it there too.
func (p *Provisioner) Resolve(in *Prefix, command, entrypoint []string) (*Prefix, []string, error) {
	argv, err := in.Resolve(command, entrypoint)
	if fault.ReasonOf(err) != "command" || fault.KindOf(err) != fault.NotFound {
		return in, argv, err
	}
	word := command[0]
	if filepath.IsAbs(word) {
		word = filepath.Base(word) // where it lies on another machine says nothing here
	}
	path, more, err := p.program(word)
	if err != nil {
		return in, nil, err
	}
	with := *in
	with.Mounts = append(slices.Clone(in.Mounts), more...)
	if word == "node" {
		with.Memory = nodeMemory
	}
	return &with, append([]string{path}, command[1:]...), nil
}

// EngineEnv is what the engine of a prefix may see of the host's environment.
func (p *Provisioner) EngineEnv() []string { return p.engineEnv() }

// Remove takes a prefix away. One that is not there is no error.
func (p *Provisioner) Remove(ctx context.Context, release spec.Digest) error {
	final := p.dir(release)
	if _, err := os.Lstat(filepath.Dir(final)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := durable.Lock(ctx, final+".lock", limits.LockWait)
	if err != nil {
		return err
	}
	defer unlock()
	p.sweep(release)
	gone := final + stageMark + rand.Text()
	switch err := os.Rename(final, gone); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return durable.Classify("remove", final, err)
	}
	p.did("aside")
	if err := clear(gone); err != nil {
		return durable.Classify("remove", gone, err)
	}
	p.did("removed")
	return nil
}

// stageMark is in the names of what is being made or taken away.
const stageMark = ".part-"

func (p *Provisioner) dir(release spec.Digest) string {
	return filepath.Join(p.Host.Paths.Prefixes(), release.Hex())
}

// sweep takes away what a killed process left of this release, whose lock is held.
func (p *Provisioner) sweep(release spec.Digest) {
	list, _ := os.ReadDir(p.Host.Paths.Prefixes())
	for _, e := range list {
		if strings.HasPrefix(e.Name(), release.Hex()+stageMark) {
			_ = clear(filepath.Join(p.Host.Paths.Prefixes(), e.Name()))
		}
	}
}

// clear removes a tree whose folders may be read-only.
func clear(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	_ = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = root.Chmod(path, 0o700)
		}
		return nil
	})
	if err := root.Close(); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

func (p *Provisioner) progress(what string, done, total int64) {
	if p.Progress != nil {
		p.Progress(what, done, total)
	}
}

// work is one installation on its way.
type work struct {
	p            *Provisioner
	r            Request
	d            *spec.Deployment
	stage, final string // of the artifact: where it is made, and where it will be
	done         *Prefix
}

// acquire does what the method asks for.
func (w *work) acquire(ctx context.Context) error {
	switch w.d.Install.Method {
	case "pip":
		return w.pip(ctx)
	case "npm":
		return w.npm(ctx)
	case "git":
		return w.git(ctx)
	case "url":
		return w.url(ctx)
	case "container":
		return w.container(ctx)
	}
	return refused("the install method %s is not known", spec.Quote(w.d.Install.Method))
}

// refused is for what no machine installs.
func refused(format string, args ...any) *fault.Error {
	return fault.New(fault.Findings, "install", format, args...)
}
