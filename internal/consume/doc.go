// Package consume is the reader's side of patch-git: find a tool, resolve it,
// fetch it, verify it, install it, run it and keep a record of the run.
//
// It decides and returns data; it prints nothing and asks nobody. Where a
// person has to agree, the caller is told by a *fault.Error of kind Denied and
// calls again with the agreement in the options.
package consume
