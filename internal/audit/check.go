package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Report is what Check found.
type Report struct {
	Records    int         `json:"records"`
	Unfinished int         `json:"unfinished"` // killed, or still running
	Forks      int         `json:"forks"`      // records beside another that follows the same one
	Head       spec.Digest `json:"head"`       // worth keeping elsewhere: it pins everything before it
	Problems   []Problem   `json:"problems,omitempty"`
}

// Check reads everything and reports each damage: a record that cannot be read
// ("record"), a gap where one was changed or removed ("chain"), an output that
// is missing or does not match its digest ("blob"). An error means that it
// could not look, not that it found something.
func (j *Journal) Check(ctx context.Context) (Report, error) {
	rep, streams, err := j.checkChain(ctx)
	if err != nil {
		return Report{}, err
	}
	for d, id := range streams {
		if err := ctx.Err(); err != nil {
			return Report{}, err
		}
		switch _, err := j.Blob(d); fault.KindOf(err) {
		case fault.NotFound, fault.NotVerified:
			rep.Problems = append(rep.Problems, Problem{RunID: id, Reason: "blob", Message: err.Error()})
		default:
			if err != nil {
				return Report{}, err
			}
		}
	}
	slices.SortFunc(rep.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.RunID, b.RunID), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
	})
	_, _ = durable.Sweep(j.blobs, sweepAfter, j.now()) // tidying, as in ids
	return rep, nil
}

// checkChain checks the records while nobody appends, and returns a run for
// each stream that must be stored.
func (j *Journal) checkChain(ctx context.Context) (Report, map[spec.Digest]RunID, error) {
	rep, streams := Report{}, map[spec.Digest]RunID{}
	if _, err := os.Stat(j.runs); errors.Is(err, fs.ErrNotExist) {
		return rep, nil, nil // nothing was ever run; a check should not leave a lock file
	}
	unlock, err := durable.RLock(ctx, j.lockPath(), limits.LockWait)
	if err != nil {
		return Report{}, nil, err
	}
	defer unlock()
	ids, err := j.ids()
	if err != nil {
		return Report{}, nil, err
	}
	have, next := map[spec.Digest]bool{{}: true}, map[spec.Digest][]RunID{}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return Report{}, nil, err
		}
		b, rec, err := j.read(id)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case fault.ReasonOf(err) == "record":
			rep.Problems = append(rep.Problems, Problem{RunID: id, Reason: "record", Message: err.Error()})
		case err != nil:
			return Report{}, nil, err
		case rec.Status == Started:
			rep.Unfinished++
		default:
			rep.Records++
			have[spec.DigestOf(b)] = true
			next[rec.Prev] = append(next[rec.Prev], id)
			streams[rec.StdoutSHA256], streams[rec.StderrSHA256] = id, id
		}
	}
	for prev, followers := range next {
		rep.Forks += len(followers) - 1
		if !have[prev] {
			rep.Problems = append(rep.Problems, Problem{
				RunID: followers[0], Reason: "chain",
				Message: fmt.Sprintf("the record before run %s (%s) was changed or removed", followers[0], prev),
			})
		}
	}
	if rep.Head, err = j.head(); err != nil {
		return Report{}, nil, err
	}
	if !have[rep.Head] {
		rep.Problems = append(rep.Problems, Problem{
			Reason: "chain", Message: fmt.Sprintf("the last record (%s) was changed or removed", rep.Head),
		})
	}
	return rep, streams, nil
}
