package provision

import (
	"bufio"
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// pip takes the packages of the signed closure: wheels alone, each by its digest.
// There is no other way: what an index would answer today is nobody's word.
func (w *work) pip(ctx context.Context) error {
	a := w.d.Install
	if w.r.Closure == nil {
		return fault.New(fault.NotVerified, "no_closure", "the release lists no packages for %s%s, so nobody vouches for what would be installed", a.Package, a.VersionSpec).
			Hint("ask the registry's maintainer to accept it anew: a registry lists the packages of what it accepts")
	}
	if !closureHas(w.r.Closure, a.Package, strings.TrimPrefix(a.VersionSpec, "==")) {
		return fault.New(fault.NotVerified, "no_closure", "the list of packages in the release is not one of %s%s", a.Package, a.VersionSpec)
	}
	python, err := w.p.Python(ctx, w.r.Closure)
	if err != nil {
		return err
	}
	if python.Dir == "" {
		return fault.New(fault.Unavailable, "no_target", "the release has no packages for this platform")
	}
	w.done.Closure = spec.DigestOf(ledger.Encode(w.r.Closure))
	w.done.Source = a.Package + a.VersionSpec + ", packages " + w.done.Closure.String()
	w.done.Mounts = append(slices.Clone(python.Mounts), same(python.Dir))
	w.done.Env = []string{"HOME=" + sandbox.ScratchDir, "TMPDIR=" + sandbox.ScratchDir, "LANG=C.UTF-8", "PATH=/usr/bin:/bin"}
	w.done.Env = overlay(w.done.Env, python.Env)
	scripts, err := consoleScripts(python.Dir)
	if err != nil {
		return err
	}
	w.done.Programs = map[string][]string{"python": pythonArgv(python), "python3": pythonArgv(python)}
	for name, target := range scripts {
		w.done.Programs[name] = append(slices.Clone(python.Argv), "-c", entryStart, python.Dir, target.module, target.name, name)
	}
	if len(w.d.Command) == 0 {
		return nil
	}
	first := w.d.Command[0]
	rest := w.d.Command[1:]
	if (first == "uvx" || first == "pipx") && len(rest) > 0 { // they would fetch what is newest
		if first == "pipx" && rest[0] == "run" && len(rest) > 1 {
			rest = rest[1:]
		}
		first, _, _ = strings.Cut(rest[0], "==")
		rest = rest[1:]
	}
	argv, ok := w.done.Programs[first]
	if !ok {
		return refused("the command %s is no program of %s", spec.Quote(first), a.Package)
	}
	w.done.Command = append(slices.Clone(argv), rest...)
	return nil
}

// pathStart puts the packages on the path, as a site would, without running any .pth
// file of theirs, and then does what python's own arguments ask for.
const pathStart = `import runpy, sys
sys.path.insert(0, sys.argv[1])
del sys.argv[:2]
how = sys.argv[0] if sys.argv else ""
if how == "-m":
    name = sys.argv[1]
    del sys.argv[0]
    runpy.run_module(name, run_name="__main__", alter_sys=True)
elif how == "-c":
    code = sys.argv.pop(1)
    exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
elif how:
    runpy.run_path(how, run_name="__main__")
`

// entryStart does the same and calls what a console script calls: packages, module,
// object, name of the script.
const entryStart = `import functools, importlib, sys
sys.path.insert(0, sys.argv[1])
module, name = sys.argv[2], sys.argv[3]
del sys.argv[:4]
sys.exit(functools.reduce(getattr, name.split("."), importlib.import_module(module))())
`

// pythonArgv starts the interpreter with the packages in sight.
func pythonArgv(p Python) []string { return append(slices.Clone(p.Argv), "-c", pathStart, p.Dir) }

// entry is where a console script leads.
type entry struct{ module, name string }

var entryLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z0-9_.-]{1,100})\s*=\s*([A-Za-z_][A-Za-z0-9_.]{0,200})\s*:\s*([A-Za-z_][A-Za-z0-9_.]{0,200})\s*(\[[A-Za-z0-9_, -]*\])?\s*$`)
})

// consoleScripts are the programs that packages declare.
func consoleScripts(dir string) (map[string]entry, error) {
	files, err := filepath.Glob(filepath.Join(escape(dir), "*.dist-info", "entry_points.txt"))
	if err != nil {
		return nil, err
	}
	out := map[string]entry{}
	for _, f := range files {
		data, err := readSmall(f)
		if err != nil {
			continue
		}
		maps.Copy(out, parseEntryPoints(string(data)))
	}
	return out, nil
}

// escape makes a path one that Glob takes as it is.
func escape(dir string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// parseEntryPoints reads the console scripts of an entry_points.txt, and passes over
// what it does not understand.
func parseEntryPoints(text string) map[string]entry {
	out := map[string]entry{}
	scanner := bufio.NewScanner(strings.NewReader(text))
	inside := false
	for scanner.Scan() {
		line := strings.TrimSpace(scanner.Text())
		if strings.HasPrefix(line, "[") {
			inside = line == "[console_scripts]"
			continue
		}
		if m := entryLine().FindStringSubmatch(line); inside && m != nil && !strings.HasPrefix(line, "#") {
			out[m[1]] = entry{m[2], m[3]}
		}
	}
	return out
}

// closureHas tells whether a closure is one of a package in that very version.
func closureHas(c *ledger.Closure, name, version string) bool {
	for _, wheels := range c.Targets {
		if !slices.ContainsFunc(wheels, func(w ledger.Wheel) bool { return sameName(w.Name, name) && w.Version == version }) {
			return false
		}
	}
	return len(c.Targets) > 0
}

// sameName compares names of packages as PEP 503 does.
func sameName(a, b string) bool {
	fold := func(s string) string {
		return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == '-' || r == '_' || r == '.' }), "-")
	}
	return fold(a) == fold(b)
}
