package mcpserver

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveStdio answers the host that started this process until it closes our
// standard input.
func (s *server) serveStdio(ctx context.Context) error {
	return s.mcp.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(s.client.Host.Stdin), Writer: nopWriteCloser{s.client.Host.Stdout}})
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
