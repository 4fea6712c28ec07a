package github

import (
	"context"
	"errors"
	"net/http"
	"strings"

	api "github.com/google/go-github/v62/github"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// explain makes a fault of what go-github or the wire returned. doing says what
// was tried, by values that are ours or quoted. The token is in no message: not
// even where the server sends it back.
//
// 404 and 410 are NotFound, reason "absent"; 401 and 403 are Denied, reason "token"; 409 and 422
// are Findings, reason "refused": GitHub understood and says no. Other answers
// are Unavailable.
func (c *Client) explain(err error, doing string) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		out := fault.New(f.Kind, f.Reason, "%s: %s", doing, c.clean(f.Message))
		out.Hints, out.Err = f.Hints, f.Err
		return out
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err // the caller's own
	}
	var said *api.ErrorResponse
	if two, ok := errors.AsType[*api.TwoFactorAuthError](err); ok {
		said = (*api.ErrorResponse)(two)
	} else if !errors.As(err, &said) {
		return fault.New(fault.Unavailable, "answer", "%s: GitHub's answer cannot be read: %s", doing, spec.Quote(c.clean(err.Error())))
	}
	status := 0
	if said.Response != nil {
		status = said.Response.StatusCode
	}
	text := c.said(said)
	switch status {
	case http.StatusNotFound, http.StatusGone, http.StatusUnavailableForLegalReasons:
		return fault.New(fault.NotFound, "absent", "%s: GitHub has no such thing, or does not show it to this token", doing)
	case http.StatusUnauthorized:
		return fault.New(fault.Denied, "token", "%s: GitHub does not accept the token: %s", doing, text)
	case http.StatusForbidden:
		out := fault.New(fault.Denied, "token", "%s: GitHub does not let this token do it: %s", doing, text)
		if need := said.Response.Header.Get("X-Accepted-GitHub-Permissions"); need != "" {
			_ = out.Hint("the token needs the permission %s", spec.Quote(c.clean(need)))
		}
		return out
	case http.StatusConflict, http.StatusUnprocessableEntity, http.StatusMethodNotAllowed, http.StatusBadRequest:
		return fault.New(fault.Findings, "refused", "%s: GitHub refuses: %s", doing, text)
	}
	return fault.New(fault.Unavailable, "github", "%s: GitHub answered %d: %s", doing, status, text)
}

// said is what GitHub says in an error of its own, quoted; "" of another.
func (c *Client) said(err error) string {
	if said, ok := errors.AsType[*api.ErrorResponse](err); ok {
		return spec.Quote(c.clean(whole(said)))
	}
	return ""
}

// whole is what GitHub says, with the first of the single problems.
func whole(said *api.ErrorResponse) string {
	parts := []string{said.Message}
	for _, e := range said.Errors[:min(len(said.Errors), 3)] {
		parts = append(parts, strings.Join(strings.Fields(e.Resource+" "+e.Field+" "+e.Code+" "+e.Message), " "))
	}
	return strings.Join(parts, "; ")
}

// clean takes the token out of a text.
func (c *Client) clean(text string) string {
	if c.wire.token == "" {
		return text
	}
	return strings.ReplaceAll(text, c.wire.token, "[token]")
}

// statusOf is the status of GitHub's answer, 0 where there was none.
func statusOf(err error) int {
	if said, ok := errors.AsType[*api.ErrorResponse](err); ok && said.Response != nil {
		return said.Response.StatusCode
	}
	return 0
}
