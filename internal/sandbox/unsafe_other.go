//go:build !unix

package sandbox

import "github.com/patch-cat/patch-git/internal/fault"

// start refuses: without process groups not even the end of a run would be
// sure, and that is the one thing an unprotected run still promises.
func (none) start(Job, *group, bool) (*tree, func(), error) {
	return nil, nil, fault.New(fault.Denied, "sandbox_unavailable", "this system cannot end a program together with all that it starts")
}
