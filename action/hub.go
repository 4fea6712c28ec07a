package action

import (
	"context"
	"time"

	"github.com/patch-cat/patch-git/internal/github"
)

// hub is what the verbs ask of GitHub. internal/github explains each call.
type hub interface {
	Permission(ctx context.Context, repo github.Repo, login string) (string, error)
	User(ctx context.Context, login string) (github.User, error)
	Pull(ctx context.Context, repo github.Repo, number int) (github.Pull, error)
	Pulls(ctx context.Context, repo github.Repo) ([]github.Pull, error)
	PullsOfCommit(ctx context.Context, repo github.Repo, sha string) ([]github.Pull, error)
	Changes(ctx context.Context, repo github.Repo, number int, headSHA string) ([]github.Change, error)
	Blob(ctx context.Context, repo github.Repo, sha string, max int64) ([]byte, error)
	Reviews(ctx context.Context, repo github.Repo, number int) ([]github.Approval, error)
	Checks(ctx context.Context, repo github.Repo, sha, name string) ([]github.Check, error)
	Runs(ctx context.Context, repo github.Repo, workflowFile, headSHA string) ([]github.Run, error)
	Merged(ctx context.Context, repo github.Repo, base string, by github.User, since time.Time) (int, error)

	CreateCheck(ctx context.Context, repo github.Repo, run github.CheckRun) (int64, error)
	Sticky(ctx context.Context, repo github.Repo, number int, marker, body string) (string, error)
	Labels(ctx context.Context, repo github.Repo, number int, prefix string, want []string) error
	Merge(ctx context.Context, repo github.Repo, number int, headSHA, title string) (string, error)
	Close(ctx context.Context, repo github.Repo, number int) error
	Issue(ctx context.Context, repo github.Repo, marker, title, body string, labels []string) (string, error)
	Rerun(ctx context.Context, repo github.Repo, workflowFile string) (github.Run, error)
}

// writes tells whether somebody with the permission may answer for the registry.
func writes(permission string) bool {
	return permission == "admin" || permission == "maintain" || permission == "write"
}
