package github

import (
	"fmt"

	api "github.com/google/go-github/v62/github"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// pages reads a list to its end, perPage entries at a time. One that does not
// end is Unavailable, reason "too_many": a part of a list is never taken for it.
func pages[T any](perPage int, get func(api.ListOptions) ([]T, *api.Response, error)) ([]T, error) {
	var all []T
	at := api.ListOptions{Page: 1, PerPage: perPage}
	for range limits.GitHubPages {
		some, resp, err := get(at)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if resp.NextPage == 0 {
			return all, nil
		}
		// Only the number is taken from the link, and it has to lead on.
		if resp.NextPage != at.Page+1 {
			return nil, fault.New(fault.Unavailable, "answer", "page %d of the list is followed by page %d", at.Page, resp.NextPage)
		}
		at.Page = resp.NextPage
	}
	return nil, fault.New(fault.Unavailable, "too_many", "the list has more than %s", fmt.Sprint(limits.GitHubPages, " pages"))
}

// How many entries of a list are asked for at once: less where one of them may
// hold the 64 KiB text of a stranger.
const (
	shortEntries = 100
	longEntries  = 50
)
