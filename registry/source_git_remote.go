package registry

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// gitRemote keeps a shallow copy of one branch of a remote repository in a
// folder that several processes share and that can be deleted at any time:
//
//	lock        held while the copy changes
//	state.json  which copy is current, and the commit to read in it
//	g<random>/  copies; beside the current one the one before it, for readers that have it open
//
// state.json is replaced last, so a crash leaves the old copy in use.
type gitRemote struct {
	dir    string
	remote gitDialer
	now    func() time.Time
	maxAge time.Duration
}

// gitState is state.json.
type gitState struct {
	Schema string    `json:"schema"`
	Tip    string    `json:"tip"`
	Copy   string    `json:"copy"`
	Time   time.Time `json:"time"`  // of the last look at the remote
	Added  int       `json:"added"` // fetches since the copy was made
}

const (
	gitStateSchema = "patch-git/clone/v1"
	copyPrefix     = "g"
	// maxAdded is how many fetches a copy takes before a new one replaces it,
	// which also drops what the branch does not have any more.
	maxAdded = 50
)

func (g *gitRemote) open(ctx context.Context, want gitWant) (*gitSnapshot, error) {
	if want == gitRecent {
		if st := g.state(); st != nil && g.young(st) {
			if snap, err := g.snapshot(st); err == nil {
				return snap, nil
			}
			want = gitClean
		}
	}
	ctx, cancel := context.WithTimeout(ctx, limits.GitTimeout)
	defer cancel()
	asked, before := g.now(), g.state()
	unlock, err := durable.Lock(ctx, filepath.Join(g.dir, "lock"), limits.GitTimeout)
	if err != nil {
		return nil, err
	}
	defer unlock()
	st := g.state()
	// Another process may have looked while we waited for it.
	changed := st != nil && (before == nil || !st.Time.Equal(before.Time)) && !st.Time.Before(asked)
	if st != nil && (want == gitRecent && g.young(st) || want != gitClean && changed) {
		if snap, err := g.snapshot(st); err == nil {
			return snap, nil
		}
		want = gitClean
	}
	return g.update(ctx, st, want)
}

// update makes the remote's tip the current commit.
func (g *gitRemote) update(ctx context.Context, st *gitState, want gitWant) (*gitSnapshot, error) {
	looked := g.now()
	session, err := g.remote.dial(ctx)
	if err != nil {
		return nil, err
	}
	next := &gitState{Schema: gitStateSchema, Tip: session.tip.String(), Time: looked}
	if st != nil && want != gitClean && st.Added < maxAdded {
		next.Copy, next.Added = st.Copy, st.Added
		var err error
		if st.Tip != next.Tip {
			next.Added++
			err = session.fetch(ctx, g.path(st.Copy), plumbing.NewHash(st.Tip))
		} else {
			session.close()
		}
		if err == nil {
			if snap, err := g.snapshot(next); err == nil {
				return snap, g.commit(next, st.Copy)
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// What is here does not fit what came: begin anew, on a new connection.
		if session, err = g.remote.dial(ctx); err != nil {
			return nil, err
		}
		next.Tip, next.Added = session.tip.String(), 0
	}
	next.Copy = copyPrefix + strings.ToLower(rand.Text())
	if err := session.fetch(ctx, g.path(next.Copy), plumbing.ZeroHash); err != nil {
		_ = os.RemoveAll(g.path(next.Copy))
		return nil, err
	}
	snap, err := g.snapshot(next)
	if err != nil {
		_ = os.RemoveAll(g.path(next.Copy))
		return nil, err
	}
	previous := ""
	if st != nil {
		previous = st.Copy
	}
	return snap, g.commit(next, previous)
}

// commit makes a state the current one and deletes copies that are neither its
// own nor the one that readers may have open.
func (g *gitRemote) commit(st *gitState, previous string) error {
	data, err := json.Marshal(st)
	if err != nil {
		return fault.New(fault.Internal, "git_state", "encode the state of a clone: %w", err)
	}
	if err := durable.WriteFile(g.statePath(), append(data, '\n'), 0o600); err != nil {
		return err
	}
	// The rest is only tidying: what stays now goes with the next fetch.
	if list, err := os.ReadDir(g.dir); err == nil {
		for _, e := range list {
			if n := e.Name(); e.IsDir() && validCopy(n) && n != st.Copy && n != previous {
				_ = os.RemoveAll(g.path(n))
			}
		}
	}
	return nil
}

func (g *gitRemote) statePath() string { return filepath.Join(g.dir, "state.json") }

func (g *gitRemote) path(dir string) string { return filepath.Join(g.dir, dir) }

// state reads state.json; nil when there is none that can be used.
func (g *gitRemote) state() *gitState {
	data, err := durable.ReadFileNoFollow(g.statePath(), limits.KiB)
	if err != nil {
		return nil
	}
	return parseState(data)
}

func parseState(data []byte) *gitState {
	st := new(gitState)
	if json.Unmarshal(data, st) != nil || st.Added < 0 || st.Schema != gitStateSchema || !plumbing.IsHash(st.Tip) || !validCopy(st.Copy) {
		return nil
	}
	return st
}

// validCopy tells whether a name is one that update made: it becomes a path,
// and other folders are not ours to delete.
func validCopy(name string) bool {
	rest, ok := strings.CutPrefix(name, copyPrefix)
	return ok && len(rest) == 26 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

func (g *gitRemote) young(st *gitState) bool {
	age := g.now().Sub(st.Time)
	return age >= 0 && age < g.maxAge
}

func (g *gitRemote) snapshot(st *gitState) (*gitSnapshot, error) {
	return openSnapshot(openStorage(g.path(st.Copy)), plumbing.NewHash(st.Tip))
}
