// Package github makes the few calls to GitHub that contributing and reviewing
// need: pull requests read as data, comments, checks, commits without a clone.
//
// Nothing that finds, installs, verifies or runs a tool imports it. What GitHub
// answers about a pull request was written by a stranger: it is bounded before
// it is read, and blobs are compared with the digests that name them.
package github
