package mcpserver

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/consume"
)

// Serve answers one AI host over stdio until its input ends, or many over HTTP on
// the loopback address listen until ctx ends. version is that of the program.
func Serve(ctx context.Context, c *consume.Client, listen, version string) error {
	s := mcp.NewServer(&mcp.Implementation{Name: "patch", Version: version}, nil)
	return s.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(c.Host.Stdin), Writer: nopWriteCloser{c.Host.Stdout}})
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
