package github

import (
	"context"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// FindToken looks for the token of whoever runs the program: GITHUB_TOKEN,
// GH_TOKEN, then what `gh auth token` prints. from says which it was. run runs
// a program and returns its standard output; nil does not ask gh.
//
// Where there is none the error is Denied, reason "token". A variable that is
// set to something that is no token is an error and not passed over: the person
// meant that one.
func FindToken(ctx context.Context, getenv func(string) string, run func(ctx context.Context, argv []string) ([]byte, error)) (token, from string, err error) {
	for _, name := range []string{"GITHUB_TOKEN", "GH_TOKEN"} {
		if token := strings.TrimSpace(getenv(name)); token != "" {
			if err := checkToken(token); err != nil {
				return "", "", fault.New(fault.Usage, "token", "%s: %w", name, err)
			}
			return token, name, nil
		}
	}
	if run != nil {
		out, err := run(ctx, []string{"gh", "auth", "token", "--hostname", "github.com"})
		if cause := ctx.Err(); cause != nil {
			return "", "", cause
		}
		// gh that is not there, or that nobody logged in to, is no error of ours.
		if err == nil {
			token := strings.TrimSpace(string(out))
			if err := checkToken(token); err != nil {
				return "", "", fault.New(fault.Unavailable, "token", "gh auth token: %w", err)
			}
			return token, "gh auth token", nil
		}
	}
	return "", "", fault.New(fault.Denied, "token", "no token for GitHub: GITHUB_TOKEN and GH_TOKEN are not set, and gh is not logged in").
		Hint("gh auth login")
}

// checkToken refuses what cannot stand in a header. The message never repeats
// the token, even a wrong one: it may be another secret, pasted by mistake.
func checkToken(token string) error {
	if token == "" || len(token) > limits.GitHubToken {
		return fault.New(fault.Usage, "token", "a token has between 1 and %d characters", limits.GitHubToken)
	}
	for _, c := range []byte(token) {
		if c <= ' ' || c > '~' {
			return fault.New(fault.Usage, "token", "the token holds a character that no token of GitHub has")
		}
	}
	return nil
}
