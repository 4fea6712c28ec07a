// Package github makes the few calls to GitHub that contributing and reviewing
// need: pull requests read as data, comments, checks, commits without a clone.
//
// Nothing that finds, installs, verifies or runs a tool imports it. What GitHub
// answers about a pull request was written by a stranger: it is bounded before
// it is read, and blobs are compared with the digests that name them. A list
// that GitHub cut is refused and never taken for the whole.
//
// Errors are faults: NotFound (GitHub has no such thing, or does not show it),
// Denied with the reason "token" (401, 403), Unavailable (5xx, network, and
// "rate_limit" where GitHub asks to wait longer than we do), Findings with
// "head_moved" (the pull request is not what was judged), "truncated",
// "too_large", "not_mergeable" and "refused". No error holds the token.
//
// What can be asked again without harm is asked again; [wire] tells what that
// is, and settle what happens with the rest.
package github
