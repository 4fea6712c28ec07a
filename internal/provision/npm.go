package provision

import (
	"context"
	_ "embed"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// npmResolve asks npm which packages a package needs, and prints its lock.
//
//go:embed resolve.js
var npmResolve string

const (
	npmRegistry = "https://registry.npmjs.org/"
	npmTime     = 5 * time.Minute
	lockBytes   = 4 << 20
	// nodeMemory is the address space of node, which reserves ten gigabytes for the
	// first WebAssembly, as that of its own fetch, and uses next to none of it.
	nodeMemory = 16 << 30
)

// npm works out by npm itself, in the sandbox, which packages belong to the exact
// version, and brings them by itself: each archive is held against the integrity in
// the lock before it is unpacked, and no script of any package is ever run.
func (w *work) npm(ctx context.Context) error {
	a := w.d.Install
	version := strings.TrimPrefix(a.VersionSpec, "=")
	node, mounts, err := w.p.program("node")
	if err != nil {
		return err
	}
	registry, err := w.p.npmRegistry()
	if err != nil {
		return err
	}
	w.p.progress("asking npm what "+a.Package+" needs", 0, 0)
	lock, err := w.npmLock(ctx, node, mounts, registry, a.Package+"@"+version)
	if err != nil {
		return err
	}
	packages, err := parseNPMLock(lock, registry, hostPlatform(w.p.Host.GOOS, w.p.Host.GOARCH))
	if err != nil {
		return err
	}
	top, err := mainPackage(packages, a.Package, version)
	if err != nil {
		return err
	}
	if err := w.npmUnpack(ctx, packages); err != nil {
		return err
	}
	w.done.Dir, w.done.Mounts = w.final, append([]Mount{same(w.final)}, mounts...)
	w.done.Source = a.Package + "@" + version + " " + top.Integrity
	w.done.Notes = append(w.done.Notes, npmNotes(packages)...)
	if err := w.weigh(); err != nil {
		return err
	}
	return w.npmCommand(ctx, top)
}

// npmRegistry is where packages are: what the person configured, else the public one.
func (p *Provisioner) npmRegistry() (string, error) {
	for _, name := range []string{"NPM_CONFIG_REGISTRY", "npm_config_registry"} {
		if v := p.Host.Getenv(name); v != "" {
			u, err := url.Parse(v)
			if err != nil || u.Scheme != "https" && !p.plain || u.Host == "" || u.User != nil {
				// Not repeated: people write passwords into it, and it would stand in npm's arguments.
				return "", fault.New(fault.Usage, "usage", "%s is no https address without a user", name)
			}
			return strings.TrimSuffix(v, "/") + "/", nil
		}
	}
	return npmRegistry, nil
}

// npmLock runs npm with nothing but the name and the registry.
func (w *work) npmLock(ctx context.Context, node string, mounts []Mount, registry, what string) ([]byte, error) {
	cli, npmMounts, err := w.p.program("npm")
	if err != nil {
		return nil, err
	}
	// The folder of npm itself: its program is bin/npm-cli.js in it.
	if len(npmMounts) > 0 && npmMounts[0].Source == cli {
		npmMounts[0] = same(filepath.Dir(filepath.Dir(cli)))
	}
	done := &Prefix{Mounts: append(append([]Mount{}, mounts...), npmMounts...)}
	if len(done.Mounts) == 2 && done.Mounts[0] == done.Mounts[1] {
		done.Mounts = done.Mounts[:1]
	}
	script := sandbox.ScratchDir + "/resolve.js"
	job := sandbox.Job{
		Argv: []string{node, "--no-warnings", script, cli, what, registry},
		Env: []string{
			"HOME=" + sandbox.ScratchDir + "/home", "TMPDIR=" + sandbox.ScratchDir, "PATH=" + filepath.Dir(node) + ":/usr/bin:/bin", "LANG=C.UTF-8",
			"NO_UPDATE_NOTIFIER=1",
		},
		Mounts:  done.SandboxMounts(),
		Files:   []sandbox.File{{Target: script, Data: []byte(npmResolve)}},
		Network: true,
		Limits:  sandbox.Limits{Wall: npmTime, Memory: nodeMemory, Stdout: lockBytes, Processes: 64},
	}
	if authorities, err := w.p.authorities(); err != nil {
		return nil, err
	} else if authorities != nil {
		file := sandbox.ScratchDir + "/authorities.pem"
		job.Files = append(job.Files, sandbox.File{Target: file, Data: authorities})
		job.Env = append(job.Env, "NODE_EXTRA_CA_CERTS="+file)
	}
	if w.p.Uplink != nil {
		if job.Uplink, err = w.p.Uplink(ctx); err != nil {
			return nil, err
		}
	}
	box, err := w.p.Box(ctx)
	if err != nil {
		return nil, err
	}
	out, err := box.Run(ctx, job)
	if err != nil {
		return nil, err
	}
	text := strings.Join(strings.Fields(string(out.Stderr)), " ")
	switch {
	case out.Exit == 0 && !out.StdoutCut:
		return out.Stdout, nil
	case out.StdoutCut:
		return nil, refused("the lock of %s has more than %d bytes", spec.Quote(what), lockBytes)
	case strings.Contains(text, "ETARGET"), strings.Contains(text, "E404"):
		return nil, fault.New(fault.NotFound, "no_artifact", "npm does not find %s, or something that it needs: %s", spec.Quote(what), spec.Quote(text))
	}
	return nil, fault.New(fault.Unavailable, "download", "npm did not work out what %s needs (exit %d): %s", spec.Quote(what), out.Exit, spec.Quote(text)).
		Hint("check the connection and try again")
}

// authorities are the certificates that the person trusts besides those that node brings
// along: nil where they named none.
func (p *Provisioner) authorities() ([]byte, error) {
	for _, name := range []string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"} {
		if file := p.Host.Getenv(name); file != "" {
			data, err := durable.ReadFile(file, limits.Document)
			if err != nil {
				return nil, fault.New(fault.Unavailable, "authorities", "%s names %s: %w", name, spec.Quote(file), err)
			}
			return data, nil
		}
	}
	return nil, nil
}

// npmCommand is the command of the manifest in terms of the installed packages: npx
// and the name of the package are the package's own program.
func (w *work) npmCommand(ctx context.Context, top npmPackage) error {
	bins, err := readBins(w.stage, top)
	if err != nil {
		return err
	}
	w.done.Programs = map[string][]string{}
	for name, rel := range bins {
		argv, err := w.starts(ctx, rel)
		if err != nil {
			// A program that needs what is not here is an error when it is the one.
			continue
		}
		w.done.Programs[name] = argv
	}
	command := npxCommand(w.d.Command, top.Name, bins)
	w.d.Command = command
	return w.command(ctx, func(word string, i int) ([]string, bool, error) {
		if rel, ok := bins[word]; ok && i == 0 {
			argv, err := w.starts(ctx, rel)
			return argv, true, err
		}
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

// npxCommand turns `npx -y package args` into `program args`: npx would fetch what is
// newest instead of running what is installed.
func npxCommand(command []string, name string, bins map[string]string) []string {
	if len(command) < 2 || command[0] != "npx" {
		return command
	}
	rest := command[1:]
	for len(rest) > 0 && (rest[0] == "-y" || rest[0] == "--yes") {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return command
	}
	first := rest[0]
	if at := strings.LastIndexByte(first, '@'); at > 0 {
		first = first[:at]
	}
	if _, ok := bins[first]; ok {
		return append([]string{first}, rest[1:]...)
	}
	if first != name {
		return command
	}
	short := name[strings.LastIndexByte(name, '/')+1:]
	if _, ok := bins[short]; ok {
		return append([]string{short}, rest[1:]...)
	}
	if len(bins) == 1 {
		for only := range bins {
			return append([]string{only}, rest[1:]...)
		}
	}
	return command
}

// npmNotes tell what a person should know.
func npmNotes(packages []npmPackage) []string {
	notes := []string{"the list of packages was made now, by npm, and is no part of what the registry signed; only the version of the package itself is"}
	var scripts []string
	for _, p := range packages {
		if p.Scripts {
			scripts = append(scripts, p.Name)
		}
	}
	if len(scripts) > 0 {
		notes = append(notes, "these packages have install scripts, which were not run: "+spec.Quote(strings.Join(scripts, ", ")))
	}
	return notes
}

// hostPlatform are the words by which npm knows this machine.
func hostPlatform(goos, goarch string) [2]string {
	os, cpu := goos, goarch
	if goos == "windows" {
		os = "win32"
	}
	if goarch == "amd64" {
		cpu = "x64"
	}
	return [2]string{os, cpu}
}

// readBins are the programs of a package: by its package.json as it lies there.
func readBins(stage string, top npmPackage) (map[string]string, error) {
	data, err := readSmall(filepath.Join(stage, top.Path, "package.json"))
	if err != nil {
		return nil, refused("%s has no package.json", spec.Quote(top.Name))
	}
	var doc struct {
		Bin json.RawMessage `json:"bin"`
	}
	if json.Unmarshal(data, &doc) != nil {
		return nil, refused("the package.json of %s cannot be read", spec.Quote(top.Name))
	}
	named := map[string]string{}
	var one string
	if json.Unmarshal(doc.Bin, &one) == nil && one != "" {
		named[top.Name[strings.LastIndexByte(top.Name, '/')+1:]] = one
	} else if len(doc.Bin) > 0 && json.Unmarshal(doc.Bin, &named) != nil {
		return nil, refused("the package.json of %s cannot be read", spec.Quote(top.Name))
	}
	out := map[string]string{}
	for name, file := range named {
		rel := filepath.Join(top.Path, filepath.Clean(file))
		if !filepath.IsLocal(filepath.Clean(file)) || strings.ContainsAny(name, "/\\") || name == "" || len(name) > limits.EnvName {
			return nil, refused("the program %s of %s lies elsewhere", spec.Quote(name), spec.Quote(top.Name))
		}
		out[name] = rel
	}
	return out, nil
}
