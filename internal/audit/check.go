package audit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Report is what Check found.
type Report struct {
	Records    int         `json:"records"`
	Signed     int         `json:"signed"`     // of them, by this user's key
	Unfinished int         `json:"unfinished"` // killed, or still running
	Forks      int         `json:"forks"`      // records beside another that follows the same one
	Head       spec.Digest `json:"head"`       // worth keeping elsewhere: it pins everything before it
	Seq        uint64      `json:"seq"`        // of the head
	Anchor     spec.Digest `json:"anchor"`     // the last record that is known to have reached the disk
	Pruned     int         `json:"pruned"`     // records that were removed by [Journal.Prune]
	Key        string      `json:"key,omitempty"`
	Problems   []Problem   `json:"problems,omitempty"`
}

// Only tells whether there are problems, and all of them for one reason.
func (r Report) Only(reason string) bool {
	return len(r.Problems) > 0 && !slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Reason != reason })
}

// Check reads everything and reports each damage: a record that cannot be read
// ("record"), that has no signature or a false one ("signature"), that somebody
// else signed ("key"), a gap where one was changed or removed ("chain"), an end
// that is missing though it was on the disk ("anchor"), an output that is missing
// or does not match its digest ("blob"), a record whose digest was kept elsewhere
// and is not among them ("expect"). An error means that it could not look, not
// that it found something.
func (j *Journal) Check(ctx context.Context, expect ...spec.Digest) (Report, error) {
	rep, streams, err := j.checkChain(ctx, expect)
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
	_, _ = durable.Sweep(j.blobs, sweepAfter, j.now()) // tidying, as in files
	return rep, nil
}

// checkChain checks the records while nobody appends, and returns a run for
// each stream that must be stored.
func (j *Journal) checkChain(ctx context.Context, expect []spec.Digest) (Report, map[spec.Digest]RunID, error) {
	c := newChecked(j)
	if _, err := os.Stat(j.runs); errors.Is(err, fs.ErrNotExist) {
		c.expected(expect)
		return c.rep, nil, nil // nothing was ever run; a check should not leave a lock file
	}
	unlock, err := durable.RLock(ctx, j.lockPath(), limits.LockWait)
	if err != nil {
		return Report{}, nil, err
	}
	defer unlock()
	if err := c.read(ctx); err != nil {
		return Report{}, nil, err
	}
	c.signatures()
	if err := c.chain(); err != nil {
		return Report{}, nil, err
	}
	if err := c.anchor(); err != nil {
		return Report{}, nil, err
	}
	c.expected(expect)
	return c.rep, c.streams, nil
}

// place is a record as far as the chain goes.
type place struct {
	id     RunID
	link   link
	prev   spec.Digest
	ended  time.Time
	key    string
	signed bool // what stands there is signed by that key, or is ours and not signed yet
	file   bool // it stands in a file
	out    [2]spec.Digest
}

// checked is a check under way.
type checked struct {
	j       *Journal
	keys    *keys
	rep     Report
	places  []place
	have    map[spec.Digest]bool
	streams map[spec.Digest]RunID
	grave   tombstone
	intents []Summary
	broken  []RunID
}

func newChecked(j *Journal) *checked {
	return &checked{j: j, have: map[spec.Digest]bool{{}: true}, streams: map[spec.Digest]RunID{}}
}

func (c *checked) problem(id RunID, reason, format string, args ...any) {
	c.rep.Problems = append(c.rep.Problems, Problem{RunID: id, Reason: reason, Message: fmt.Sprintf(format, args...)})
}

// read reads all records, and what is left of those that were pruned.
func (c *checked) read(ctx context.Context) error {
	var err error
	if c.keys, err = c.j.peek(); err != nil {
		c.problem("", "key", "%v", err)
		c.keys = nil
	}
	if c.keys != nil {
		c.rep.Key = c.keys.name
	}
	v, err := c.j.look()
	if err != nil {
		return err
	}
	for _, id := range v.ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, rec, err := v.read(id)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case fault.ReasonOf(err) == "record":
			c.problem(id, "record", "%v", err)
			c.broken = append(c.broken, id)
		case err != nil:
			return err
		case rec.Status == Started:
			c.rep.Unfinished++
			if _, ok := v.logged[id]; !ok {
				c.intents = append(c.intents, Summary{RunID: id, StartedAt: rec.StartedAt})
			}
		default:
			c.add(v, b, &rec)
		}
	}
	if c.grave, err = c.j.tombstone(c.keys); fault.KindOf(err) == fault.NotVerified {
		c.problem("", "chain", "%v", err)
	} else if err != nil {
		return err
	}
	for _, d := range c.grave.Ends {
		c.have[d] = true
	}
	c.rep.Pruned = c.grave.Records
	return nil
}

func (c *checked) add(v *view, line []byte, rec *Record) {
	p := place{
		id: rec.RunID, link: link{rec.Seq, digestOf(line)}, prev: rec.Prev, ended: rec.EndedAt, key: rec.Key, file: true,
		out: [2]spec.Digest{rec.StdoutSHA256, rec.StderrSHA256},
	}
	if l, ok := v.logged[rec.RunID]; ok && bytes.Equal(l.content, line) {
		p.file, p.signed = false, l.coded
	} else {
		p.signed = rec.Key != "" && signedBy(ofRecord, line, rec.Key)
	}
	c.places = append(c.places, p)
	c.rep.Records++
	c.have[p.link.digest] = true
	for _, d := range p.out {
		c.streams[d] = p.id
	}
}

// signatures tells records without one, and those of somebody else. A record of an
// older patch-git has none, and none such comes after one that has.
func (c *checked) signatures() {
	var first time.Time
	ours, foreign := map[spec.Digest]bool{}, map[string][]RunID{}
	for _, p := range c.places {
		switch {
		case p.key == "":
		case !p.signed:
			c.problem(p.id, "signature", "the signature of run %s is missing or false", p.id)
		case c.keys != nil && p.key != c.keys.name:
			foreign[p.key] = append(foreign[p.key], p.id)
		default:
			c.rep.Signed++
			ours[p.link.digest] = true
			if first.IsZero() || p.ended.Before(first) {
				first = p.ended
			}
		}
	}
	for _, p := range c.places {
		if p.key == "" && len(ours) > 0 && (ours[p.prev] || p.ended.After(first)) {
			c.problem(p.id, "signature", "run %s is not signed, though runs before it are", p.id)
		}
	}
	for key, ids := range foreign {
		c.problem(ids[0], "key", "%d records, of run %s first, are signed by a key that is not yours (%s)", len(ids), ids[0], key)
	}
}

// chain tells gaps.
func (c *checked) chain() error {
	next := map[spec.Digest][]RunID{}
	for _, p := range c.places {
		next[p.prev] = append(next[p.prev], p.id)
	}
	for prev, followers := range next {
		c.rep.Forks += len(followers) - 1
		if !c.have[prev] {
			c.problem(followers[0], "chain", "the record before run %s (%s) was changed or removed", followers[0], prev)
		}
	}
	head, err := c.j.head()
	if err != nil {
		return err
	}
	if c.rep.Head, c.rep.Seq = head.digest, head.seq; !c.have[head.digest] {
		c.problem("", "chain", "the last record (%s) was changed or removed", head.digest)
	}
	return nil
}

// anchor tells an end that is missing.
func (c *checked) anchor() error {
	l, err := c.j.readAnchor(c.keys)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.rep.Signed == 0:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		c.problem("", "anchor", "the anchor of the records (%s) is gone: whether records are missing at the end cannot be told", c.j.anchorPath())
		return nil
	case fault.KindOf(err) == fault.NotVerified:
		c.problem("", "anchor", "%v", err)
		return nil
	case err != nil:
		return err
	}
	if c.rep.Anchor = l.digest; !c.have[l.digest] {
		c.problem("", "anchor", "record number %d (%s), which had reached the disk, was changed or removed", l.seq, l.digest)
	}
	return nil
}

// expected tells what somebody kept elsewhere and is not here.
func (c *checked) expected(digests []spec.Digest) {
	for _, d := range digests {
		if !c.have[d] {
			c.problem("", "expect", "no record has the digest %s", d)
		}
	}
}
