package pyenv

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

//go:embed runner.py
var runnerScript string

//go:embed compile.py
var compileScript string

// Where a tool finds itself and its arguments [AR-40, AR-41].
const (
	toolPath   = sandbox.ScratchDir + "/tool.py"
	argsPath   = sandbox.ScratchDir + "/args.json"
	launchPath = sandbox.ScratchDir + "/.launch.pyc" // gone before the tool begins
)

// TokenVariable carries the short-lived token of a tool with external_auth
// [AR-42].
const TokenVariable = "PATCH_ACCESS_TOKEN"

const (
	pycHeader    = 16       // magic, flags, eight bytes for a hash (PEP 552)
	pycUnchecked = 1        // the hash is not compared on import
	launchBytes  = 16 << 20 // far above what 256 KiB of source compile to
	compileTime  = time.Minute
)

// Program is a tool made ready for one interpreter.
type Program struct {
	in     *Interpreter
	source []byte
	launch *launch // nil: the source does not compile, and running it will say so
	// modules is the file of the standard library's modules, "" where there is none.
	modules string
}

// launch is what makes a start quick.
type launch struct {
	runner  []byte   // the bytecode file of runner.py
	code    []byte   // the tool's code
	imports []string // modules of the standard library that the tool begins by importing
}

// Prepare makes a program from the verified source of a tool. The first time
// it compiles the source in the sandbox, afterwards it reads the bytecode from
// the cache.
func (p *Pythons) Prepare(ctx context.Context, in *Interpreter, source []byte) (*Program, error) {
	g := &Program{in: in, source: source}
	digest := spec.DigestOf(source)
	key := sha(in.Build.Hex(), runnerScript, compileScript, digest.Hex())
	path := filepath.Join(p.host.Paths.Cache(), "bytecode", key.Hex())
	if b, err := durable.ReadFile(path, launchBytes); err == nil {
		if parts, ok := unseal(b, key); ok {
			if g.launch = in.launch(parts); g.launch != nil {
				g.modules = p.modules(in)
				return g, nil
			}
		}
	}
	job := in.job(compileScript, "launch", runnerScript)
	job.Stdin = source
	job.Limits = sandbox.Limits{Wall: compileTime, Stdout: launchBytes}
	out, err := p.box.Run(ctx, job)
	if err != nil {
		return nil, err
	}
	if out.Exit != 0 || out.StdoutCut {
		return g, nil
	}
	if g.launch = in.launch(out.Stdout); g.launch != nil {
		// Without the cache the next run compiles again; that is all.
		_ = durable.Replace(path, seal(out.Stdout, key), 0o600)
		p.collect(ctx, in)
		g.modules = p.modules(in)
	}
	return g, nil
}

// launch reads what compile.py wrote; nil when that is something else.
func (in *Interpreter) launch(b []byte) *launch {
	parts, whole := split(b, 3)
	if !whole || !in.bytecode(parts[0]) {
		return nil
	}
	l := &launch{runner: parts[0], code: parts[1]}
	for name := range strings.SplitSeq(string(parts[2]), "\n") {
		if name != "" {
			l.imports = append(l.imports, name)
		}
	}
	return l
}

// bytecode tells whether b is a bytecode file for this interpreter, of the
// kind that is not compared with any source on import. One of another kind
// would be made anew on each import: 45 ms instead of 14 for a small tool.
func (in *Interpreter) bytecode(b []byte) bool {
	magic, err := hex.DecodeString(in.Magic)
	return err == nil && len(b) > pycHeader && slices.Equal(b[:4], magic) && binary.LittleEndian.Uint32(b[4:]) == pycUnchecked
}

// seal puts a check of the content and of the name that it is kept under
// before it, so that a file cut short by a power failure, or put under another
// name, is noticed.
func seal(b []byte, key spec.Digest) []byte { return append(check(b, key), b...) }

// unseal returns what was sealed under the key.
func unseal(b []byte, key spec.Digest) ([]byte, bool) {
	if len(b) < sha256.Size || !slices.Equal(b[:sha256.Size], check(b[sha256.Size:], key)) {
		return nil, false
	}
	return b[sha256.Size:], true
}

func check(b []byte, key spec.Digest) []byte {
	h := sha256.New()
	h.Write(key[:])
	h.Write(b)
	return h.Sum(nil)
}

// Call is what one run of a program gets.
type Call struct {
	Args    []byte          // /tmp/args.json, and standard input
	Env     Env             // the packages
	Grants  []sandbox.Mount // paths of the person's that this run may see
	Network bool
	Token   string // PATCH_ACCESS_TOKEN; "" for none
	Limits  sandbox.Limits
}

// Job is the run of a program as `python /tmp/tool.py < /tmp/args.json`
// [AR-43]: in /tmp, with PATH, HOME, LANG and TMPDIR as its whole environment.
// The tool, with its arguments, is the job's late input: what runs before is
// the interpreter and the runner.
func (g *Program) Job(c Call) sandbox.Job {
	job := sandbox.Job{
		Env:     g.in.env(),
		Mounts:  append(g.in.mounts(), c.Grants...),
		Network: c.Network,
		Limits:  c.Limits,
	}
	if c.Env.Dir != "" {
		job.Mounts = append(job.Mounts, sandbox.Mount{Source: c.Env.Dir, Target: c.Env.Dir})
	}
	if c.Network {
		job.Mounts = append(job.Mounts, readOnly(g.in.Trust)...)
	}
	if c.Token != "" {
		job.Env = append(job.Env, TokenVariable+"="+c.Token)
	}
	if g.launch == nil {
		job.Argv = append(g.in.argv(), toolPath)
		job.Files = []sandbox.File{{Target: toolPath, Data: g.source}, {Target: argsPath, Data: c.Args}}
		job.StdinFile = argsPath
		return job
	}
	modules := ""
	if g.modules != "" {
		modules = modulesTarget
		job.Mounts = append(job.Mounts, sandbox.Mount{Source: g.modules, Target: modulesTarget, Optional: true})
	}
	end := "soon"
	if c.Network || slices.ContainsFunc(c.Grants, func(m sandbox.Mount) bool { return m.Write }) {
		end = "slowly"
	}
	job.Argv = append(g.in.argv(), launchPath, end, toolPath, argsPath, c.Env.Dir, modules)
	job.Argv = append(job.Argv, g.launch.imports...)
	job.Files = []sandbox.File{{Target: launchPath, Data: g.launch.runner}}
	job.Late, job.Wake = true, []byte{0xff, 0xff, 0xff, 0xff} // no part is so long
	for _, part := range [][]byte{g.launch.code, g.source, c.Args} {
		job.Early = len(job.Stdin) // without the last part the runner runs nothing
		job.Stdin = binary.LittleEndian.AppendUint32(job.Stdin, uint32(len(part)))
		job.Stdin = append(job.Stdin, part...)
	}
	return job
}
