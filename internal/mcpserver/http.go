package mcpserver

import (
	"context"

	"github.com/patch-cat/patch-git/internal/fault"
)

// serveHTTP answers whoever holds the token, on a loopback address.
func (s *server) serveHTTP(_ context.Context, listen string) error {
	return fault.New(fault.Unavailable, "http", "no HTTP on %s yet", listen)
}
