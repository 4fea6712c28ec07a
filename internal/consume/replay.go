package consume

import (
	"context"
	"encoding/json"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
)

// Replayed is what running a recorded call again showed, and no more than that.
type Replayed struct {
	Status       ReplayStatus `json:"replay_status"`
	Of           audit.RunID  `json:"replay_of"`
	SourceMatch  bool         `json:"source_match"` // the installed source is the recorded one
	SandboxMatch SandboxMatch `json:"sandbox_match"`
	OutputMatch  OutputMatch  `json:"output_match,omitempty"`
	Meaning      string       `json:"meaning"` // what was shown, in words
	*Ran
}

// ReplayStatus says how far a replay came.
type ReplayStatus string

// As requirements.md has them.
const (
	ReplayRan           ReplayStatus = "replayed"
	ReplayMissing       ReplayStatus = "tool_missing"
	ReplaySourceChanged ReplayStatus = "source_changed"
)

// OutputMatch says whether the outputs are the same.
type OutputMatch string

// OutputNA is a difference that proves nothing: the tool reads what changes.
const (
	OutputYes OutputMatch = "yes"
	OutputNo  OutputMatch = "no"
	OutputNA  OutputMatch = "na_non_deterministic"
)

// SandboxMatch compares what the recorded run was allowed with what this one is.
type SandboxMatch struct {
	Match       bool            `json:"match"`
	Recorded    json.RawMessage `json:"recorded"`
	Current     json.RawMessage `json:"current"`
	Differences []string        `json:"differences,omitempty"`
}

// Replay runs the recorded inputs of a run that succeeded against its recorded
// source, in a fresh sandbox, through the same stack as every call: what needs a
// person's word needs a new one.
func (c *Client) Replay(context.Context, audit.RunID, RunOptions) (*Replayed, error) {
	return nil, fault.New(fault.Unavailable, "replay", "replay is not there yet")
}
