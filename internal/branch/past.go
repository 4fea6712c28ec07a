package branch

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
)

// Past is the tree at an earlier commit, in so far as it is another one now.
type Past struct {
	Head    []byte            // head.json
	Records map[string][]byte // by path; nil where there was none
}

const (
	pastRef     = "refs/patch-git/past"
	recordsDir  = "records/"
	maxPastList = 64 << 20 // bytes of paths that differ
)

// Past returns the states of the newest n commits before what is now here,
// newest first. Nothing of it is believed: anybody who may push can have
// written a history.
func (b *Branch) Past(ctx context.Context, n int) ([]Past, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.base == "" {
		return nil, nil
	}
	b.stats.Fetches++
	err := b.git.do(ctx, nil, nil, "fetch", "-q", "--depth="+strconv.Itoa(n+1), "--filter=blob:none", "--no-tags", "--no-write-fetch-head", "origin", "+"+remoteRef+":"+pastRef)
	if err != nil {
		return nil, err
	}
	list, err := b.git.text(ctx, "rev-list", "--first-parent", "--max-count="+strconv.Itoa(n+1), pastRef)
	if err != nil {
		return nil, err
	}
	if err := b.load(ctx, strings.TrimSuffix(recordsDir, "/")); err != nil {
		return nil, err
	}
	var blobs []string
	var states []map[string]string
	for commit := range strings.FieldsSeq(list) {
		if !isID(commit) {
			return nil, fault.New(fault.Unavailable, "git", "git named the commit %s", strconv.Quote(commit))
		}
		then, err := b.then(ctx, commit)
		if err != nil {
			return nil, err
		}
		if then != nil {
			states = append(states, then)
			blobs = slices.AppendSeq(blobs, maps.Values(then))
		}
	}
	blobs = slices.DeleteFunc(blobs, func(id string) bool { return id == "" })
	if err := b.bring(ctx, blobs); err != nil {
		return nil, err
	}
	if err := b.keep(ctx, blobs, true); err != nil {
		return nil, err
	}
	var out []Past
	for _, then := range states {
		p := Past{b.kept[then[ledger.HeadPath]], map[string][]byte{}}
		for path, id := range then {
			if path != ledger.HeadPath {
				p.Records[path] = b.kept[id] // of "" there is none
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// then returns the blobs at a commit of the files that are others now, "" where
// there was none; nil where the commit has no other head.
func (b *Branch) then(ctx context.Context, commit string) (map[string]string, error) {
	var out bytes.Buffer
	err := b.git.do(ctx, nil, &capped{&out, maxPastList}, "diff-tree", "-r", "-z", "--no-renames", commit, b.base, "--",
		ledger.Root+"/"+recordsDir, ledger.Root+"/"+ledger.HeadPath)
	if err != nil {
		return nil, err
	}
	then := map[string]string{}
	for path := range b.written { // since the base, and at the commit perhaps as it is there
		if strings.HasPrefix(path, recordsDir) {
			then[path] = b.roots[rootOf(path)][path].blob
		} else if path == ledger.HeadPath {
			then[path] = b.roots[""][path].blob
		}
	}
	parseDifference(out.String(), func(path string, e entry) {
		then[path] = ""
		if e.mode == "100644" || e.mode == "100755" {
			then[path] = e.blob
		}
	})
	if then[ledger.HeadPath] == "" {
		return nil, nil
	}
	return then, nil
}

// parseDifference reads the answer of `git diff-tree -r -z` and hands over what
// the first of the two trees has.
func parseDifference(answer string, each func(path string, e entry)) {
	fields := strings.Split(answer, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		meta := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		path, inside := strings.CutPrefix(fields[i+1], ledger.Root+"/")
		if len(meta) == 5 && inside && isID(meta[2]) {
			each(path, entry{meta[0], meta[2]})
		}
	}
}
