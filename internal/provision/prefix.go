package provision

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// Prefix is an installed artifact and how it is started. All paths are absolute.
type Prefix struct {
	Schema  int          `json:"schema"`
	Tool    spec.Name    `json:"tool"`
	Version spec.Version `json:"version"`
	Release spec.Digest  `json:"release"`
	Method  string       `json:"method"` // pip, npm, git, url, container
	Source  string       `json:"source"` // what was acquired, to the byte, in words

	Dir string `json:"dir"` // of the artifact; "" where there are no files of its own
	// Command is the argv prefix that an action's arguments extend [TI-P9]; none where
	// the tool is reached by its endpoint alone.
	Command []string `json:"command,omitempty"`
	Cwd     string   `json:"cwd,omitempty"` // "" is the sandbox's scratch directory
	// Mounts are what it needs of the host, read-only, Dir among them.
	Mounts []Mount `json:"mounts,omitempty"`
	// Env are NAME=value that it needs to find itself; nothing that a person gave.
	Env []string `json:"env,omitempty"`
	// Programs are other commands of the artifact, by their names: what a smoke run or a
	// kill switch may call.
	Programs map[string][]string `json:"programs,omitempty"`
	// Engine is the container engine that Command starts, which cannot run in the
	// sandbox because it makes one of its own; "" for all others.
	Engine string   `json:"engine,omitempty"`
	Image  string   `json:"image,omitempty"`
	Run    []string `json:"run,omitempty"` // how the engine is started, up to the image

	// Memory is the address space that its interpreter reserves, in bytes; 0 is what the
	// sandbox gives anybody.
	Memory int64 `json:"memory,omitempty"`

	Closure spec.Digest `json:"closure,omitzero"` // of the packages, where they lie elsewhere
	Files   int         `json:"files"`
	Bytes   int64       `json:"bytes"`
	SHA256  spec.Digest `json:"sha256,omitzero"` // of the artifact, where it is one file
	Tree    spec.Digest `json:"tree,omitzero"`   // of all its files, where there are several
	Notes   []string    `json:"notes,omitempty"` // what a person should know of how it was acquired
	At      string      `json:"installed_at"`
}

// Mount is a path of the host that the artifact needs, and where it sees it.
type Mount struct {
	Source string `json:"source"`
	Target string `json:"target"`
}

// same is a path that is seen where it lies.
func same(path string) Mount { return Mount{path, path} }

const (
	prefixFile   = "prefix.json"
	rootDir      = "root"
	prefixSchema = 1
)

// Argv is the command with more arguments.
func (p *Prefix) Argv(more ...string) []string { return append(slices.Clone(p.Command), more...) }

// Resolve is the argv of a command of the manifest: its first word is the tool's own
// command, another program of the artifact, or a program of the host by its absolute
// path; what none of them has is NotFound.
func (p *Prefix) Resolve(command, entrypoint []string) ([]string, error) {
	if len(command) == 0 {
		return nil, fault.New(fault.Findings, "command", "there is no command")
	}
	if len(entrypoint) > 0 && len(p.Command) > 0 && len(command) >= len(entrypoint) && slices.Equal(command[:len(entrypoint)], entrypoint) {
		return p.Argv(command[len(entrypoint):]...), nil
	}
	if p.Engine != "" {
		return p.inside(command), nil
	}
	if own, ok := p.Programs[command[0]]; ok {
		return append(slices.Clone(own), command[1:]...), nil
	}
	return nil, fault.New(fault.NotFound, "command", "%s is no command of what is installed", spec.Quote(command[0]))
}

// Job is a run of argv in the sandbox: with the artifact and what it needs of the host
// in sight, and the variables given. Network, grants and further limits are the caller's.
func (p *Prefix) Job(argv, env []string, stdin []byte) (sandbox.Job, error) {
	if p.Engine != "" {
		return sandbox.Job{}, fault.New(fault.Internal, "engine", "%s makes its own sandbox", p.Engine)
	}
	if len(argv) == 0 {
		return sandbox.Job{}, fault.New(fault.Findings, "command", "%s has no command to run", p.Tool)
	}
	job := sandbox.Job{Argv: argv, Dir: p.Cwd, Stdin: stdin, Mounts: p.SandboxMounts(), Limits: sandbox.Limits{Memory: p.Memory}}
	job.Env = append(slices.Clone(p.Env), env...)
	return job, nil
}

// SandboxMounts are the mounts of the artifact.
func (p *Prefix) SandboxMounts() []sandbox.Mount {
	mounts := sandbox.HostLibraries()
	for _, m := range p.Mounts {
		// A folder that holds others shows them too.
		mounts = slices.DeleteFunc(mounts, func(o sandbox.Mount) bool { return below(o.Target, m.Target) })
		if !slices.ContainsFunc(mounts, func(o sandbox.Mount) bool { return o.Target == m.Target }) {
			mounts = append(mounts, sandbox.Mount{Source: m.Source, Target: m.Target})
		}
	}
	return mounts
}

// below tells whether a path is a folder, or lies in it.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// parsePrefix reads prefix.json.
func parsePrefix(data []byte, release spec.Digest, dir string) (*Prefix, error) {
	var p Prefix
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&p); err != nil || strict.More() {
		return nil, errors.New("it is not what this program writes")
	}
	switch {
	case p.Schema != prefixSchema:
		return nil, errors.New("it is of another edition")
	case p.Release != release:
		return nil, errors.New("it is of another release")
	case p.Dir != "" && p.Dir != filepath.Join(dir, rootDir):
		return nil, errors.New("it was made in another place")
	}
	return &p, nil
}

// read returns the prefix of a folder; fs.ErrNotExist where there is none.
func read(dir string, release spec.Digest) (*Prefix, error) {
	data, err := durable.ReadFileNoFollow(filepath.Join(dir, prefixFile), limits.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var p *Prefix
	if err == nil {
		p, err = parsePrefix(data, release, dir)
	}
	if err != nil && fault.KindOf(err) != fault.Unavailable {
		return nil, fault.New(fault.NotVerified, "prefix_damaged", "what is installed in %s cannot be used: %w", spec.Quote(dir), err).
			Hint("patch-git list, then remove the tool and pull it again")
	}
	return p, err
}
