package github

import (
	"context"
	"slices"

	api "github.com/google/go-github/v62/github"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Checks lists the newest check runs of a name on a commit, of every app. Any
// workflow of the repository, also one that a pull request brings along, is the
// app "github-actions": the name alone proves nothing.
func (c *Client) Checks(ctx context.Context, repo Repo, sha, name string) ([]Check, error) {
	if err := repo.check(); err != nil {
		return nil, err
	}
	if err := checkSHA(sha); err != nil {
		return nil, err
	}
	total := 0
	all, err := pages(longEntries, func(at api.ListOptions) ([]*api.CheckRun, *api.Response, error) {
		got, resp, err := c.gh.Checks.ListCheckRunsForRef(ctx, repo.Owner, repo.Name, sha, &api.ListCheckRunsOptions{CheckName: &name, ListOptions: at})
		if err != nil {
			return nil, nil, err
		}
		total = got.GetTotal()
		return got.CheckRuns, resp, nil
	})
	if err == nil && len(all) < total {
		err = fault.New(fault.Unavailable, "truncated", "GitHub lists %d of %d checks", len(all), total)
	}
	doing := "list the checks of the commit " + sha
	if err != nil {
		return nil, c.explain(err, doing)
	}
	var out []Check
	for _, r := range all {
		one := Check{ID: r.GetID(), Name: r.GetName(), App: r.GetApp().GetSlug(), Status: r.GetStatus(), Conclusion: r.GetConclusion(), Title: r.GetOutput().GetTitle()}
		if one.ID == 0 || one.Status == "" || r.GetHeadSHA() != sha {
			return nil, c.explain(incomplete("a check"), doing)
		}
		if one.Name == name {
			out = append(out, one)
		}
	}
	return out, nil
}

// CreateCheck makes a check run and returns its number. Annotations beyond the
// fifty that one request takes follow in others, and the conclusion comes with
// the last of them: a check that is broken off is in progress and no success.
//
// A check that is made twice because an attempt broke off does no harm: GitHub
// shows, and rules of branches read, the newest of a name.
func (c *Client) CreateCheck(ctx context.Context, repo Repo, run CheckRun) (int64, error) {
	if err := repo.check(); err != nil {
		return 0, err
	}
	if err := checkSHA(run.Head); err != nil {
		return 0, err
	}
	if err := run.check(); err != nil {
		return 0, err
	}
	first, rest := cut(run.Annotations)
	o := api.CreateCheckRunOptions{Name: run.Name, HeadSHA: run.Head, DetailsURL: optional(run.DetailsURL), Output: run.output(first)}
	o.Status, o.Conclusion, o.CompletedAt = c.ending(run, len(rest) == 0)
	got, _, err := c.gh.Checks.CreateCheckRun(again(ctx), repo.Owner, repo.Name, o)
	if err == nil && got.GetID() == 0 {
		err = incomplete("a check")
	}
	if err != nil {
		return 0, c.explain(err, "make a check of the commit "+run.Head)
	}
	run.ID, run.Annotations = got.GetID(), rest
	if len(rest) == 0 {
		return run.ID, nil
	}
	return c.UpdateCheck(ctx, repo, run)
}

// UpdateCheck changes the check run with run.ID: everything but the annotations
// is replaced, and those are added to what is there.
func (c *Client) UpdateCheck(ctx context.Context, repo Repo, run CheckRun) (int64, error) {
	if err := repo.check(); err != nil {
		return 0, err
	}
	if run.ID <= 0 {
		return 0, fault.New(fault.Internal, "check", "a check to change needs its number")
	}
	if err := run.check(); err != nil {
		return 0, err
	}
	for rest := run.Annotations; ; {
		var now []Annotation
		now, rest = cut(rest)
		o := api.UpdateCheckRunOptions{Name: run.Name, DetailsURL: optional(run.DetailsURL), Output: run.output(now)}
		o.Status, o.Conclusion, o.CompletedAt = c.ending(run, len(rest) == 0)
		// Sent twice, annotations are there twice; a report that is there matters more.
		if _, _, err := c.gh.Checks.UpdateCheckRun(again(ctx), repo.Owner, repo.Name, run.ID, o); err != nil {
			return 0, c.explain(err, "change the check "+spec.Quote(run.Name))
		}
		if len(rest) == 0 {
			return run.ID, nil
		}
	}
}

// cut takes as many annotations as one request may have.
func cut(all []Annotation) (now, rest []Annotation) {
	n := min(len(all), limits.GitHubNotes)
	return all[:n], all[n:]
}

// conclusions are those that a check of ours may have. Neutral and skipped, with
// which GitHub lets a required check pass, are not among them.
var conclusions = []string{"", "success", "failure", "action_required"}

// levelsOfNotes are what GitHub knows.
var levelsOfNotes = []string{"failure", "warning", "notice"}

// check refuses what GitHub would, and what would let a pull request pass that
// nobody judged.
func (run CheckRun) check() error {
	if run.Name == "" || !slices.Contains(conclusions, run.Conclusion) {
		return fault.New(fault.Internal, "check", "a check %s cannot end with %s", spec.Quote(run.Name), spec.Quote(run.Conclusion))
	}
	if run.Title == "" || run.Summary == "" || len(run.Title) > 255 || len(run.Summary) > limits.GitHubOutput || len(run.Text) > limits.GitHubOutput {
		return fault.New(fault.Internal, "check", "the title, summary or text of a check is missing or too long")
	}
	for _, a := range run.Annotations {
		if a.Path == "" || a.Line < 1 || !slices.Contains(levelsOfNotes, a.Level) || a.Message == "" || len(a.Message) > 64*limits.KiB || len(a.Title) > 255 {
			return fault.New(fault.Internal, "check", "an annotation of %s lacks something or is too long", spec.Quote(a.Path))
		}
	}
	return nil
}

// ending is what a request says of how the check ends; last is the one that may.
func (c *Client) ending(run CheckRun, last bool) (status, conclusion *string, completed *api.Timestamp) {
	if run.Conclusion == "" || !last {
		return new("in_progress"), nil, nil
	}
	return new("completed"), &run.Conclusion, &api.Timestamp{Time: c.now().UTC()}
}

func (run CheckRun) output(now []Annotation) *api.CheckRunOutput {
	out := &api.CheckRunOutput{Title: &run.Title, Summary: &run.Summary, Text: optional(run.Text)}
	for _, a := range now {
		out.Annotations = append(out.Annotations, &api.CheckRunAnnotation{
			Path: &a.Path, StartLine: &a.Line, EndLine: &a.Line, AnnotationLevel: &a.Level, Title: optional(a.Title), Message: &a.Message,
		})
	}
	return out
}

// optional is nothing for an empty text.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
