package github

import (
	"context"

	api "github.com/google/go-github/v62/github"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// Runs lists the runs of a workflow on a commit, the newest first.
func (c *Client) Runs(ctx context.Context, repo Repo, workflowFile, headSHA string) ([]Run, error) {
	if err := checkSHA(headSHA); err != nil {
		return nil, err
	}
	return c.runs(ctx, repo, workflowFile, &api.ListWorkflowRunsOptions{HeadSHA: headSHA})
}

func (c *Client) runs(ctx context.Context, repo Repo, workflowFile string, o *api.ListWorkflowRunsOptions) ([]Run, error) {
	if err := repo.check(); err != nil {
		return nil, err
	}
	if err := checkWorkflow(workflowFile); err != nil {
		return nil, err
	}
	o.ExcludePullRequests = true // which are long, and not read
	all, err := pages(shortEntries, func(at api.ListOptions) ([]*api.WorkflowRun, *api.Response, error) {
		o.ListOptions = at
		got, resp, err := c.gh.Actions.ListWorkflowRunsByFileName(ctx, repo.Owner, repo.Name, workflowFile, o)
		if err != nil {
			return nil, nil, err
		}
		return got.WorkflowRuns, resp, nil
	})
	doing := "list the runs of " + workflowFile
	if err != nil {
		return nil, c.explain(err, doing)
	}
	out := make([]Run, 0, len(all))
	for _, r := range all {
		one, err := run(r)
		if err != nil {
			return nil, c.explain(err, doing)
		}
		out = append(out, one)
	}
	return out, nil
}

func run(r *api.WorkflowRun) (Run, error) {
	out := Run{
		ID: r.GetID(), Attempt: r.GetRunAttempt(), Head: r.GetHeadSHA(), Event: r.GetEvent(), Branch: r.GetHeadBranch(),
		Status: r.GetStatus(), Conclusion: r.GetConclusion(), URL: r.GetHTMLURL(), Created: r.GetCreatedAt().Time,
	}
	if out.ID == 0 || out.Status == "" || out.Created.IsZero() || checkSHA(out.Head) != nil {
		return Run{}, incomplete("a run")
	}
	return out, nil
}

// Rerun runs the newest run of a workflow again that came of a push to the
// default branch, and returns it as it was before. A run that is made again
// keeps its event and its branch, which a started one would not have: what it
// signs is believed. GitHub takes one that has ended, is younger than thirty
// days and was made fewer than fifty times; where there is none, the error is
// NotFound, reason "no_run".
func (c *Client) Rerun(ctx context.Context, repo Repo, workflowFile string) (Run, error) {
	if err := checkWorkflow(workflowFile); err != nil {
		return Run{}, err
	}
	r, err := c.Repository(ctx, repo)
	if err != nil {
		return Run{}, err
	}
	all, err := c.runs(ctx, repo, workflowFile, &api.ListWorkflowRunsOptions{
		Branch: r.Default, Event: "push",
		// A day of room for clocks that differ; GitHub itself decides.
		Created: ">=" + c.now().Add(-limits.GitHubRerunAge-24*60*60*1e9).UTC().Format("2006-01-02"),
	})
	if err != nil {
		return Run{}, err
	}
	for _, one := range all {
		if !one.again(r.Default, c) {
			continue
		}
		err := c.settle(ctx, func() error {
			_, err := c.gh.Actions.RerunWorkflowByID(ctx, repo.Owner, repo.Name, one.ID)
			return c.explain(err, "run "+workflowFile+" again")
		}, func() (bool, error) {
			now, _, err := c.gh.Actions.GetWorkflowRunByID(ctx, repo.Owner, repo.Name, one.ID)
			if err != nil {
				return false, c.explain(err, "see whether "+workflowFile+" runs again")
			}
			return now.GetRunAttempt() > one.Attempt, nil
		})
		return one, err
	}
	return Run{}, fault.New(fault.NotFound, "no_run", "%s has no run that can be made again: none that came of a push to %s in the last thirty days, has ended, and was made fewer than %d times", workflowFile, r.Default, limits.GitHubReruns).
		Hint("push a commit to %s", r.Default)
}

// again tells whether GitHub would make the run again, and whether it is one
// whose word counts: asked for by branch and event, the answer is still looked at.
func (r Run) again(branch string, c *Client) bool {
	return r.Event == "push" && r.Branch == branch && r.Status == "completed" && r.Attempt < limits.GitHubReruns &&
		c.now().Sub(r.Created) < limits.GitHubRerunAge
}
