package contribute

import (
	"context"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/sealed"
	"github.com/patch-cat/patch-git/quarantine"
)

// parser asks the CPython that will run a tool to parse its source, in the
// sandbox; it executes nothing of it.
type parser struct {
	w    *Workshop
	want string // minor version
	pkgs bool
}

// parseLimits bound the parsing of one source; a source that needs more is
// refused because nobody could tell what it is. The processor's time is what a
// hostile source can use up; the clock also runs while others use the machine.
var parseLimits = sandbox.Limits{Wall: limits.ParseTime, CPU: limits.ParseCPU, Memory: limits.ParseMemory, Stdout: limits.Document}

// factsLife is how long facts are kept. They follow from what their name is
// made of, so that time alone makes none of them wrong.
const factsLife = 30 * 24 * time.Hour

// Facts implements quarantine.Parser. What is kept is what the interpreter said,
// and never a verdict: the rules run each time.
func (p parser) Facts(ctx context.Context, source []byte) (quarantine.Facts, error) {
	pythons, box, err := p.w.pythons(ctx)
	if err != nil {
		return quarantine.Facts{}, err
	}
	in, err := pythons.Find(ctx, p.want, p.pkgs)
	if err != nil {
		return quarantine.Facts{}, err
	}
	program := string(quarantine.ProgramSource())
	kept := sealed.Open(p.w.host.Paths.Facts(), p.w.host.Now, factsLife, limits.Document)
	name := sealed.Name("patch-git/facts/v1", in.Path, in.Version, in.Build.Hex(), program, string(source))
	if data := kept.Load(name); data != nil {
		if facts, err := quarantine.ParseFacts(data); err == nil {
			return facts, nil
		}
	}
	job, err := pythons.CompiledScript(ctx, in, program, source, parseLimits)
	if err != nil {
		return quarantine.Facts{}, err
	}
	out, err := box.Run(ctx, job)
	if err != nil {
		return quarantine.Facts{}, err
	}
	if out.Exit != 0 || out.StdoutCut {
		return quarantine.Facts{}, fault.New(fault.Unavailable, "facts", "the parser ended with exit code %d %s", out.Exit, out.Signal)
	}
	facts, err := quarantine.ParseFacts(out.Stdout)
	if err == nil && (facts.Error == nil || facts.Error.Kind == "syntax") { // and nothing that another hour could change
		kept.Save(name, out.Stdout)
	}
	return facts, err
}
