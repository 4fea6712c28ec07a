package consume

import (
	"context"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Replayed is what running a recorded call again showed, and no more than that.
type Replayed struct {
	Status ReplayStatus `json:"replay_status"`
	Of     audit.RunID  `json:"replay_of"`
	Tool   string       `json:"tool"` // name@version, as recorded
	// SourceMatch: the tool's file in the toolbox is the recorded source. What ran is
	// the recorded source in any case.
	SourceMatch bool `json:"source_match"`
	// SandboxMatch and OutputMatch are there where something ran, and OutputMatch
	// where the outputs could be compared.
	SandboxMatch *SandboxMatch `json:"sandbox_match,omitempty"`
	OutputMatch  OutputMatch   `json:"output_match,omitempty"`
	Meaning      string        `json:"meaning"` // what was shown and what was not, in words
	Ran          *Ran          `json:"run,omitempty"`
}

// ReplayStatus says how far a replay came.
type ReplayStatus string

// Only a replay that ran says anything of the output.
const (
	ReplayRan           ReplayStatus = "replayed"
	ReplayMissing       ReplayStatus = "tool_missing"   // the recorded release is not installed
	ReplaySourceChanged ReplayStatus = "source_changed" // what is kept of it is not the recorded source
)

// OutputMatch says whether the outputs are the same.
type OutputMatch string

// As it is specified: a tool with network may answer anything the next time.
const (
	OutputYes OutputMatch = "yes"
	OutputNo  OutputMatch = "no"
	OutputNA  OutputMatch = "na_non_deterministic"
)

// Replay runs the recorded inputs of a run that succeeded against its recorded
// source, in a fresh sandbox, through the same stack as every call: whatever needs a
// person's word needs a new one, and paths that were given by flags are given anew
// or not at all. The run of it is recorded as any other. That a tool is not there any
// more is an answer, not an error.
func (c *Client) Replay(ctx context.Context, id audit.RunID, o RunOptions) (*Replayed, error) {
	old, err := c.Journal.Get(id)
	if err != nil {
		return nil, err
	}
	if err := old.CanReplay(); err != nil {
		return nil, err
	}
	ref := spec.Ref{Name: old.Tool.Name, Version: old.Tool.Version, Digest: old.Tool.Release}
	r := &Replayed{Of: id, Tool: ref.At()}
	if !ref.Pinned() {
		r.Status, r.Meaning = ReplayMissing, "it was a file of your own, of which no copy is kept; nothing was run"
		return r, nil
	}
	visible, err := c.Box.Visible(ref.Name)
	if err != nil {
		return nil, err
	}
	r.SourceMatch = visible == old.Tool.Source
	operation := ""
	if old.Operation != nil {
		operation = old.Operation.Name
	}
	s, err := c.recorded(ctx, called{ref, operation}, old.Tool.Source)
	switch {
	case fault.ReasonOf(err) == "not_installed":
		r.Status, r.Meaning = ReplayMissing, "the recorded release "+ref.String()+" is not installed; nothing was run"
		return r, nil
	case fault.ReasonOf(err) == reasonSource:
		r.Status, r.Meaning = ReplaySourceChanged, err.Error()+"; nothing was run"
		return r, nil
	case err != nil:
		return nil, err
	}
	var now audit.Record
	o.replay, o.became, o.Limits = id, &now, limitsOf(old.Sandbox.Limits)
	if o.Session != nil {
		o.Session.Recall(old)
		o.Limits = usual(o.Limits)
	}
	if r.Ran, err = c.Run(ctx, s, old.Inputs, o); err != nil {
		return nil, err
	}
	r.Status = ReplayRan
	r.SandboxMatch = compare(old.Sandbox, now.Sandbox)
	return r, c.judgeOutput(r, &old, s.Tool)
}

// reasonSource refuses a release whose kept source is not the recorded one.
const reasonSource = "source_changed"

// recorded makes a subject of the very bytes that ran, verified anew: of the store,
// because the file in tools/ may have been edited, or be of another version.
func (c *Client) recorded(ctx context.Context, what called, source spec.Digest) (*Subject, error) {
	ref := what.ref
	s, err := c.subjectOf(ctx, what, c.Box.LoadKept)
	switch {
	case slices.Contains([]string{string(verify.ReasonRelease), string(verify.ReasonFile)}, fault.ReasonOf(err)):
		return nil, fault.New(fault.NotVerified, reasonSource, "what is kept of %s is not what ran: %w", ref.At(), err)
	case err != nil:
		return nil, err
	case s.source() != source:
		return nil, fault.New(fault.NotVerified, reasonSource, "the record says that %s ran the source %s, and the release has %s", ref.At(), source, s.source())
	}
	return s, nil
}

// judgeOutput compares the outputs by the codes that both were recorded with, so that
// an output from which a secret was struck can be compared too.
func (c *Client) judgeOutput(r *Replayed, old *audit.Record, t *spec.Tool) error {
	before := old.OutputCode
	if before == "" && !old.Redacted { // of an older patch-git
		var err error
		if before, err = c.Journal.OutputCode(old.Output); err != nil {
			return err
		}
	}
	after, err := c.Journal.OutputCode(r.Ran.Result)
	if err != nil {
		return err
	}
	conditions := ""
	if !r.SandboxMatch.Match {
		conditions = " It ran under other conditions than before, see sandbox_match."
	}
	switch {
	case before == "":
		r.Meaning = "The recorded source ran with the recorded inputs. The recorded output is not kept in full, so nothing can be said about whether it is the same."
	case before == after:
		r.OutputMatch = OutputYes
		r.Meaning = "The recorded source gave the recorded output once more. That shows it for these two runs, and not that it always does."
	case t.Capabilities.Network:
		r.OutputMatch = OutputNA
		r.Meaning = "The recorded source ran with the recorded inputs and answered something else. It may use the network, and what that said is not recorded: whether the tool behaves as before cannot be told."
	default:
		r.OutputMatch = OutputNo
		r.Meaning = "The recorded source ran with the recorded inputs and answered something else, without a network: it depends on the clock, on chance, on the order of a set, or on the machine."
		if t.Capabilities.Filesystem != spec.FilesystemNone {
			r.Meaning += " It may be given files, whose content is not recorded: they may have changed."
		}
	}
	r.Meaning += conditions
	return nil
}

// limitsOf are the recorded limits, to run under the same.
func limitsOf(l audit.Limits) sandbox.Limits {
	return sandbox.Limits{
		Wall: time.Duration(l.TimeMS) * time.Millisecond, Memory: l.Memory, Processes: int(l.Processes),
		OpenFiles: int(l.Files), FileSize: l.FileSize, Scratch: l.Scratch,
	}
}

// usual are limits of which none is wider than that of every call: a wider one was the
// word of a person for another run, and no conversation has it.
func usual(l sandbox.Limits) sandbox.Limits {
	b := bounds(sandbox.Limits{})
	least := func(n, most int64) int64 {
		if n <= 0 {
			return most
		}
		return min(n, most)
	}
	return limitsOf(audit.Limits{
		TimeMS: least(l.Wall.Milliseconds(), b.TimeMS), Memory: least(l.Memory, b.Memory), Processes: least(int64(l.Processes), b.Processes),
		Files: least(int64(l.OpenFiles), b.Files), FileSize: least(l.FileSize, b.FileSize), Scratch: least(l.Scratch, b.Scratch),
	})
}
