package pyenv

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

//go:embed modules.py
var modulesScript string

// modulesTarget is where a run sees the file: its own place would name the person, and
// below a folder that exists somebody may have granted that folder.
const modulesTarget = "/.patch-git-modules"

// modulesPath is where the modules of the standard library lie that tools begin by
// importing: one file for an interpreter, as modules.py writes it. Each is used as
// long as its source has the time and size that it had, so an interpreter that
// changes in its place is served by its own files.
func (p *Pythons) modulesPath(in *Interpreter) string {
	key := sha(in.Path, in.Version, in.Build.Hex(), in.Magic, modulesScript)
	return filepath.Join(p.host.Paths.Cache(), "modules", key.Hex())
}

// modules is the path of that file, or "" where there is none.
func (p *Pythons) modules(in *Interpreter) string {
	path := p.modulesPath(in)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// collect makes the file where there is none. It runs no tool, and sees none. Failing
// costs each run a millisecond, and nothing else. The file is on the disk before it has
// its name, because an interpreter believes what it loads, and is never replaced: a run
// that is about to show it would find another one.
func (p *Pythons) collect(ctx context.Context, in *Interpreter) {
	if p.host.GOOS == "windows" || p.modules(in) != "" {
		return
	}
	job := in.job(modulesScript)
	job.Limits = sandbox.Limits{Wall: compileTime, Stdout: launchBytes}
	if out, err := p.box.Run(ctx, job); err == nil && out.Exit == 0 && !out.StdoutCut && len(out.Stdout) > 0 {
		_ = durable.WriteImmutable(p.modulesPath(in), out.Stdout, 0o444)
	}
}
