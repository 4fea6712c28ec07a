//go:build !linux

package usernet

import (
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// Serve refuses: no other system has a device to serve yet.
func (n *Net) Serve(sandbox.Link) (func(), error) {
	return nil, fault.New(fault.Denied, "no_uplink", "the network cannot be filtered on this system")
}
