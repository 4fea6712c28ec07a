package action

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

// How often a merge is tried that GitHub does not let be made. It says the same
// of a conflict and of a base that moves just now.
const (
	mergeAttempts = 3
	mergePause    = 5 * time.Second
)

// late looks once more, directly before a merge: between a review and its report
// lie minutes, or a night, in which somebody objects, takes the tool away from
// its author or changes what the review was made against. The answer is why it
// is not merged now, "" where it is. What cannot be told is a no.
func (j *job) late(ctx context.Context, r *review.Review) (review.Reason, error) {
	why, err := j.looked(ctx, r)
	if err == nil || fault.KindOf(err) == fault.Interrupted {
		return why, err
	}
	j.say("whether it may still be merged is not known: " + err.Error())
	return review.ReasonMoved, nil
}

func (j *job) looked(ctx context.Context, r *review.Review) (review.Reason, error) {
	p, err := j.hub.Pull(ctx, j.repo, r.Pull)
	if err != nil {
		return "", err
	}
	if p.State != "open" || p.Head.SHA != r.Head || p.Base.Branch != mainBranch {
		return review.ReasonMoved, nil
	}
	now := &review.Submission{Author: owner(p.Author), Draft: p.Draft, Labels: p.Labels}
	if err := j.people(ctx, p, now); err != nil {
		return "", err
	}
	if err := j.counted(ctx, p, now); err != nil {
		return "", err
	}
	if why := r.Late(now); why != "" {
		return why, nil
	}
	return j.moved(ctx, r)
}

// moved holds the tip of main against the commit that the review was made on.
// Other tools may have come since; the same one, a name close to a new one, and
// anything outside of tools/ may not.
func (j *job) moved(ctx context.Context, r *review.Review) (review.Reason, error) {
	if r.Tree == "" {
		return review.ReasonMoved, nil
	}
	tip, err := j.hub.Tip(ctx, j.repo, mainBranch)
	if err != nil || tip == r.Tree {
		return "", err
	}
	paths, err := j.hub.Moved(ctx, j.repo, r.Tree, tip, "tools", 3)
	if err != nil {
		return "", err
	}
	for _, p := range paths {
		if parts := strings.Split(p, "/"); len(parts) != 3 || parts[0] != "tools" || concerns(spec.Name(parts[2]), r) {
			return review.ReasonMoved, nil
		}
	}
	return "", nil
}

// concerns tells whether what happens under a name matters to a review.
func concerns(n spec.Name, r *review.Review) bool {
	return strings.EqualFold(string(n), string(r.Name)) || r.New && quarantine.Alike(n, r.Name)
}

// merge merges the very commit that was reviewed, and lets it be published.
func (j *job) merge(ctx context.Context, p github.Pull, s *said) error {
	r := s.review
	for attempt := 1; ; attempt++ {
		why, err := j.late(ctx, r)
		if err != nil {
			return err
		}
		if why != "" {
			r.Merge = review.Merge{Reason: why}
			return nil
		}
		sha, err := j.hub.Merge(ctx, j.repo, p.Number, r.Head, mergeTitle(r))
		switch kind := fault.KindOf(err); {
		case err == nil:
			s.merged, s.publish = sha, j.republish(ctx)
			return nil
		case fault.ReasonOf(err) == "not_mergeable" && attempt < mergeAttempts:
			j.say("the merge is tried again: " + err.Error())
			if err := j.pause(ctx, time.Duration(attempt)*mergePause); err != nil {
				return err
			}
		case kind == fault.Denied || kind == fault.Findings:
			// A rule of the branch, a conflict, or a head that moved: whoever
			// merges by hand is told the same.
			j.say("the merge was refused: " + err.Error())
			s.refused = true
			return nil
		default:
			return err
		}
	}
}

// mergeTitle is that of the commit, in words of ours.
func mergeTitle(r *review.Review) string {
	what := string(r.Name) + ": " + string(r.Kind)
	if r.Version != "" {
		what = string(r.Name) + "@" + string(r.Version)
	}
	return what + " (#" + number(r.Pull) + ")"
}

// checkout is the commit that the registry's folder is a checkout of, "" where
// nobody can tell. Git's own files say it, in the two forms in which a checkout
// of a job is made: detached, or on a branch that it made anew.
func (j *job) checkout() string {
	read := func(name string) string {
		data, err := durable.ReadFileNoFollow(filepath.Join(j.in, ".git", filepath.FromSlash(name)), limits.KiB)
		if err != nil && !os.IsNotExist(err) {
			j.say("which commit is checked out is not known: " + err.Error())
		}
		return strings.TrimSuffix(string(data), "\n")
	}
	at := read("HEAD")
	if ref, ok := strings.CutPrefix(at, "ref: "); ok && path.Clean(ref) == ref && strings.HasPrefix(ref, "refs/heads/") {
		at = read(ref)
	}
	if !isCommit(at) {
		return ""
	}
	return at
}
