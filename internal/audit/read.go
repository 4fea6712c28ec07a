package audit

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// sweepAfter is the age at which a temporary file has no writer any more.
const sweepAfter = time.Hour

// Summary is one line of a list of runs.
type Summary struct {
	RunID      RunID        `json:"run_id"`
	Status     Status       `json:"status"`
	StartedAt  time.Time    `json:"ran_at"`
	DurationMS int64        `json:"duration_ms"`
	Tool       spec.Name    `json:"tool"`
	Version    spec.Version `json:"version,omitempty"`
	Operation  string       `json:"operation,omitempty"` // of a tool that has several
	Registry   string       `json:"registry,omitempty"`
	ExitCode   int          `json:"exit_code"`
	Error      *Failure     `json:"error,omitempty"`
}

// Problem is something wrong with one record.
type Problem struct {
	RunID   RunID  `json:"run_id,omitempty"` // "" is the journal as a whole
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Filter selects runs; its zero value selects all.
type Filter struct {
	Name  spec.Name // "": of every tool
	Limit int       // at most so many; 0: all
}

// List returns summaries of runs, the newest first, and the records that could
// not be read on the way. No runs at all are no error.
func (j *Journal) List(f Filter) ([]Summary, []Problem, error) {
	v, err := j.look()
	if err != nil {
		return nil, nil, err
	}
	var out []Summary
	var broken []Problem
	for _, id := range slices.Backward(v.ids) {
		if f.Limit > 0 && len(out) == f.Limit {
			break
		}
		_, rec, err := v.read(id)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since the directory was listed
		}
		if err != nil {
			broken = append(broken, Problem{RunID: id, Reason: "record", Message: err.Error()})
			continue
		}
		if f.Name != "" && rec.Tool.Name != f.Name {
			continue
		}
		s := Summary{
			RunID: id, Status: rec.Status, StartedAt: rec.StartedAt, DurationMS: rec.DurationMS,
			Tool: rec.Tool.Name, Version: rec.Tool.Version, Registry: rec.Registry, ExitCode: rec.ExitCode, Error: rec.Error,
		}
		if rec.Operation != nil {
			s.Operation = rec.Operation.Name
		}
		out = append(out, s)
	}
	return out, broken, nil
}

// Get returns the record of a run. No such run is fault.NotFound; a record
// that cannot be trusted to be one is fault.NotVerified with reason "record".
func (j *Journal) Get(id RunID) (Record, error) {
	if _, err := ParseRunID(string(id)); err != nil {
		return Record{}, fault.New(fault.Usage, "run_id", "%w", err)
	}
	v, err := j.lookLive()
	if err != nil {
		return Record{}, err
	}
	_, rec, err := v.read(id)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, fault.New(fault.NotFound, "run", "there is no run %s", id).Hint("patch-git runs")
	}
	return rec, err
}
