package mcpserver

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sanitize"
)

// logger writes what a person should know of a server to stderr, which hosts keep
// in a file or show: one line for one thing. What hosts and tools said may be part
// of it, so that nothing in it breaks a line or speaks to a terminal.
type logger struct {
	out  io.Writer
	mu   *sync.Mutex
	with string
}

func newLog(out io.Writer) *slog.Logger { return slog.New(&logger{out: out, mu: new(sync.Mutex)}) }

// Enabled implements slog.Handler. The SDK tells at lower levels of every
// connection and message.
func (l *logger) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle implements slog.Handler.
func (l *logger) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString("patch-git mcp: ")
	if r.Level >= slog.LevelError {
		b.WriteString("error: ")
	}
	b.WriteString(r.Message + l.with)
	r.Attrs(func(a slog.Attr) bool {
		b.WriteString(attr(a))
		return true
	})
	text := b.String()
	if len(text) > limits.LogLine {
		text = strings.ToValidUTF8(text[:limits.LogLine], "") + " …"
	}
	text = strings.NewReplacer("\n", `\n`, "\t", " ").Replace(sanitize.ForTerminal(text)) + "\n"
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := io.WriteString(l.out, text)
	return err
}

func attr(a slog.Attr) string { return " " + a.Key + "=" + a.Value.String() }

// WithAttrs implements slog.Handler.
func (l *logger) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *l
	for _, a := range attrs {
		out.with += attr(a)
	}
	return &out
}

// WithGroup implements slog.Handler; a line has no groups.
func (l *logger) WithGroup(string) slog.Handler { return l }
