package contribute

import (
	"context"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
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

// Facts implements quarantine.Parser. What is kept is what the interpreter said,
// and never a verdict: the rules run each time.
func (p parser) Facts(ctx context.Context, source []byte) (quarantine.Facts, error) {
	pythons, box, err := p.w.pythons(ctx)
	if err != nil {
		return quarantine.Facts{}, err
	}
	defer box.Close() // what was started ahead and is not needed
	in, err := pythons.Find(ctx, p.want, p.pkgs)
	if err != nil {
		return quarantine.Facts{}, err
	}
	data, asked, err := pythons.Answer(ctx, in, string(quarantine.ProgramSource()), source, parseLimits, quarantine.Lasting)
	if err != nil {
		return quarantine.Facts{}, err
	}
	p.w.learned.Do(func() {
		if asked != nil {
			ahead.LearnCheck(p.w.host.Paths, asked.Job, asked.Known, durable.Replace)
		}
	})
	return quarantine.ParseFacts(data)
}
