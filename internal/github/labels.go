package github

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	api "github.com/google/go-github/v62/github"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Labels gives a pull request, of all labels that begin with prefix, exactly
// want; others are not touched. Labels that the repository lacks are made.
func (c *Client) Labels(ctx context.Context, repo Repo, number int, prefix string, want []string) error {
	doing, err := naming("label", repo, number)
	if err != nil {
		return err
	}
	if prefix == "" {
		return fault.New(fault.Internal, "label", "no prefix would take everybody's labels away")
	}
	for _, l := range want {
		if err := checkLabel(l); err != nil {
			return err
		}
		if !strings.HasPrefix(l, prefix) {
			return fault.New(fault.Internal, "label", "the label %s does not begin with %s", spec.Quote(l), spec.Quote(prefix))
		}
	}
	have, err := pages(shortEntries, func(at api.ListOptions) ([]*api.Label, *api.Response, error) {
		return c.gh.Issues.ListLabelsByIssue(ctx, repo.Owner, repo.Name, number, &at)
	})
	if err != nil {
		return c.explain(err, doing)
	}
	// What is too much goes first: a pull request never has both of two labels
	// that exclude each other.
	missing := slices.Clone(want)
	for _, l := range have {
		name := l.GetName()
		if i := slices.Index(missing, name); i >= 0 {
			missing = slices.Delete(missing, i, i+1)
			continue
		}
		if strings.HasPrefix(name, prefix) && !slices.Contains(want, name) {
			_, err := c.gh.Issues.RemoveLabelForIssue(again(ctx), repo.Owner, repo.Name, number, url.PathEscape(name))
			if err != nil && statusOf(err) != http.StatusNotFound { // gone meanwhile
				return c.explain(err, doing)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	for _, name := range missing {
		if err := c.makeLabel(ctx, repo, name); err != nil {
			return c.explain(err, doing)
		}
	}
	_, _, err = c.gh.Issues.AddLabelsToIssue(again(ctx), repo.Owner, repo.Name, number, missing)
	return c.explain(err, doing)
}

// labelColor is of labels that are made here.
const labelColor = "5319e7"

// makeLabel makes a label that the repository lacks.
func (c *Client) makeLabel(ctx context.Context, repo Repo, name string) error {
	_, _, err := c.gh.Issues.GetLabel(ctx, repo.Owner, repo.Name, url.PathEscape(name))
	if statusOf(err) != http.StatusNotFound {
		return err
	}
	_, _, err = c.gh.Issues.CreateLabel(again(ctx), repo.Owner, repo.Name, &api.Label{Name: &name, Color: new(labelColor)})
	if statusOf(err) == http.StatusUnprocessableEntity {
		return nil // somebody else made it; if not, adding it tells
	}
	return err
}

// checkLabel refuses a name that GitHub takes for no label. A comma would make
// two of it in a search.
func checkLabel(name string) error {
	if name == "" || utf8.RuneCountInString(name) > limits.GitHubLabel || strings.ContainsAny(name, ",/\r\n") || strings.TrimSpace(name) != name {
		return fault.New(fault.Internal, "label", "%s is no label", spec.Quote(name))
	}
	return nil
}
