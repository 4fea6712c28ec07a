package mcpserver

import (
	"log/slog"

	"github.com/patch-cat/patch-git/internal/host"
)

// logTo makes the log of a server: lines on stderr, which hosts keep in files.
func logTo(h *host.Host) *slog.Logger {
	return slog.New(slog.NewTextHandler(h.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
