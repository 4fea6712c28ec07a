package skillplan

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// askTime is how long a command may take to tell its version, and askMost how much of
// what it says is read.
const (
	askTime = 5 * time.Second
	askMost = 64 << 10
)

// asks are the ways in which programs are asked for their version. The first that
// ends well and names a number is believed.
var asks = []string{"--version", "-version", "version", "-V"}

// commands looks for the programs that must be there, and asks for a version only
// where the manifest bounds it [SK-21, SK-22].
func (p *Plan) commands(ctx context.Context) error {
	var box Runner
	for _, c := range p.request.Tool.Skill.Commands {
		one := Command{Cmd: c.Cmd, Min: c.Min, Max: c.Max, Path: p.find(c.Cmd)}
		if one.Path == "" {
			p.problem(rulePreconditions, "missing_command", c.Cmd, fmt.Sprintf("there is no command %s in PATH", c.Cmd))
			p.Commands = append(p.Commands, one)
			continue
		}
		if c.Min == "" && c.Max == "" {
			p.Commands = append(p.Commands, one)
			continue
		}
		var why error
		if box == nil {
			box, why = p.request.Box()
		}
		if why == nil {
			one.Version, why = p.ask(ctx, box, one.Path)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case why != nil:
			p.untold(rulePreconditions, "untold_version", c.Cmd, fmt.Sprintf("nobody could tell the version of %s: %s", c.Cmd, oneLine(why.Error())))
		case c.Min != "" && manifest.CompareNumbers(one.Version, c.Min) < 0:
			p.problem(rulePreconditions, "old_command", c.Cmd, fmt.Sprintf("%s is %s, and must be at least %s", c.Cmd, one.Version, c.Min))
		case c.Max != "" && above(one.Version, c.Max):
			p.problem(rulePreconditions, "new_command", c.Cmd, fmt.Sprintf("%s is %s, and must be at most %s", c.Cmd, one.Version, c.Max))
		}
		p.Commands = append(p.Commands, one)
	}
	return nil
}

// above tells whether a version is above a maximum: 3.11.4 is not above 3.11.
func above(version, most string) bool {
	parts, n := strings.Split(version, "."), strings.Count(most, ".")+1
	return manifest.CompareNumbers(strings.Join(parts[:min(n, len(parts))], "."), most) > 0
}

// find looks for a program in PATH. A folder that is not absolute is wherever the
// person happens to be, which may be a stranger's checkout.
func (p *Plan) find(cmd string) string {
	path, _ := p.request.Lookup("PATH")
	for _, dir := range filepath.SplitList(path) {
		at := filepath.Join(dir, cmd)
		if info, err := os.Stat(at); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return at
		}
	}
	return ""
}

// number is the first version in what a program says of itself.
var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]{1,18}(\.[0-9]{1,18})+|[0-9]{1,18}`) })

// versionIn finds the version in a text such as "git version 2.43.0 (Apple Git-146)":
// the first numbers joined by dots, else the first number.
func versionIn(text string) string {
	first := ""
	for _, m := range number().FindAllString(text, 32) {
		if strings.Contains(m, ".") {
			return m
		}
		first = cmp.Or(first, m)
	}
	return first
}

// ask runs the program with nothing but a question for its version: in the sandbox,
// without network, with nothing of the person's to be seen, and through no shell.
func (p *Plan) ask(ctx context.Context, box Runner, path string) (string, error) {
	mounts := p.programs(path)
	why := ""
	for _, question := range asks {
		out, err := box.Run(ctx, sandbox.Job{
			Argv: []string{path, question}, Env: plainEnv(path), Mounts: mounts,
			Limits: sandbox.Limits{Wall: askTime, Stdout: askMost, Stderr: askMost},
		})
		switch {
		case err != nil:
			return "", err
		case out.TimedOut:
			return "", fmt.Errorf("it did not answer %s in %v", question, askTime)
		case out.Exit == 0:
			if v := cmp.Or(versionIn(string(out.Stdout)), versionIn(string(out.Stderr))); v != "" {
				return v, nil
			}
			why = "it answers " + question + " with no number"
		case why == "":
			why = fmt.Sprintf("it answers %s with exit code %d", question, out.Exit)
		}
	}
	return "", fmt.Errorf("%s", why)
}

func plainEnv(path string) []string {
	return []string{"PATH=" + filepath.Dir(path) + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + sandbox.ScratchDir, "TMPDIR=" + sandbox.ScratchDir, "LC_ALL=C.UTF-8"}
}

// systemDirs are where programs and their libraries lie.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt"}

// programs shows the system's programs to a job, and the folder of one that lies
// elsewhere, read-only.
func (p *Plan) programs(paths ...string) []sandbox.Mount {
	var out []sandbox.Mount
	show := func(dir string) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || slices.ContainsFunc(out, func(m sandbox.Mount) bool { return m.Target == dir }) {
			return
		}
		out = append(out, sandbox.Mount{Source: real, Target: dir})
	}
	for _, dir := range systemDirs {
		// A place that is a link to another of these is made anew by the sandbox.
		if real, err := filepath.EvalSymlinks(dir); err == nil && real == dir {
			show(dir)
		}
	}
	for _, path := range paths {
		dir := filepath.Dir(path)
		if !slices.ContainsFunc(systemDirs, func(s string) bool { return within(dir, s) }) {
			show(dir)
		}
		if manager := p.manager(dir); manager != "" {
			show(manager)
		}
		// A link in a folder of programs often leads to a folder of its own.
		if real, err := filepath.EvalSymlinks(path); err == nil && !slices.ContainsFunc(systemDirs, func(s string) bool { return within(real, s) }) {
			show(filepath.Dir(real))
		}
	}
	return out
}

// manager is the folder of a manager of versions, such as pyenv or asdf, of whose shims a
// folder is made: scripts that look for the program itself beside them. "" where it is
// none.
func (p *Plan) manager(dir string) string {
	root := filepath.Dir(dir)
	if home, _ := p.request.Lookup("HOME"); filepath.Base(dir) != "shims" || home == "" || within(home, root) {
		return ""
	}
	for _, kept := range []string{"versions", "installs"} {
		if info, err := os.Stat(filepath.Join(root, kept)); err == nil && info.IsDir() {
			return root
		}
	}
	return ""
}

// within tells whether a path is dir or lies in it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// command names a program for a person.
func commandName(argv []string) string { return spec.Quote(filepath.Base(argv[0])) }
