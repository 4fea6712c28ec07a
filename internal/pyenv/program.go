package pyenv

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"
	"slices"
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
	launch []byte // nil: the source does not compile, and running it will say so
}

// Prepare makes a program from the verified source of a tool. The first time
// it compiles the source in the sandbox, afterwards it reads the bytecode from
// the cache.
func (p *Pythons) Prepare(ctx context.Context, in *Interpreter, source []byte) (*Program, error) {
	g := &Program{in: in, source: source}
	digest := spec.DigestOf(source)
	key := sha(in.Build.Hex(), runnerScript, compileScript, digest.Hex())
	path := filepath.Join(p.host.Paths.Cache(), "bytecode", key.Hex()+".pyc")
	if b, err := durable.ReadFile(path, launchBytes); err == nil && in.sealed(b, key) {
		g.launch = b
		return g, nil
	}
	job := in.job(compileScript, "launch", runnerScript)
	job.Stdin = source
	job.Limits = sandbox.Limits{Wall: compileTime, Stdout: launchBytes}
	out, err := p.box.Run(ctx, job)
	if err != nil {
		return nil, err
	}
	if out.Exit != 0 || out.StdoutCut || !in.bytecode(out.Stdout) {
		return g, nil
	}
	g.launch = out.Stdout
	seal(g.launch, key)
	// Without the cache the next run compiles again; that is all.
	_ = durable.Replace(path, g.launch, 0o600)
	return g, nil
}

// bytecode tells whether b is a bytecode file for this interpreter, of the
// kind that is not compared with any source on import. One of another kind
// would be made anew on each import: 45 ms instead of 14 for a small tool.
func (in *Interpreter) bytecode(b []byte) bool {
	magic, err := hex.DecodeString(in.Magic)
	return err == nil && len(b) > pycHeader && slices.Equal(b[:4], magic) && binary.LittleEndian.Uint32(b[4:]) == pycUnchecked
}

// seal writes a check of the whole content into the place of the source hash,
// which nothing reads, so that a file cut short by a power failure, or put
// under another name, is noticed.
func seal(b []byte, key spec.Digest) { copy(b[8:pycHeader], check(b, key)) }

func (in *Interpreter) sealed(b []byte, key spec.Digest) bool {
	return in.bytecode(b) && slices.Equal(b[8:pycHeader], check(b, key))
}

func check(b []byte, key spec.Digest) []byte {
	h := sha256.New()
	h.Write(key[:])
	h.Write(b[pycHeader:])
	return h.Sum(nil)[:pycHeader-8]
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
func (g *Program) Job(c Call) sandbox.Job {
	job := sandbox.Job{
		Argv: append(g.in.argv(), toolPath),
		Env:  g.in.env(),
		Files: []sandbox.File{
			{Target: toolPath, Data: g.source},
			{Target: argsPath, Data: c.Args},
		},
		StdinFile: argsPath,
		Mounts:    append(g.in.mounts(), c.Grants...),
		Network:   c.Network,
		Limits:    c.Limits,
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
	if g.launch != nil {
		end := "soon"
		if c.Network || slices.ContainsFunc(c.Grants, func(m sandbox.Mount) bool { return m.Write }) {
			end = "slowly"
		}
		job.Argv = append(g.in.argv(), launchPath, end, toolPath, c.Env.Dir)
		job.Files = append(job.Files, sandbox.File{Target: launchPath, Data: g.launch})
	}
	return job
}
