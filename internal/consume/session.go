package consume

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"path/filepath"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/notes"
	"github.com/patch-cat/patch-git/internal/taint"
	"github.com/patch-cat/patch-git/spec"
)

// Session is one conversation with an AI host: what it has read, and by which id it
// is known in records and approvals. A run without one is of a person at a command
// line, whose arguments are that person's own. It is safe for concurrent use.
type Session struct {
	ID     string // random, of our making
	Client string // name of the MCP client, as it claims
	Taint  *taint.History

	mu    sync.Mutex
	notes *notes.Reader
}

// NewSession begins a conversation that has read nothing.
func NewSession(client string) *Session {
	return &Session{ID: rand.Text(), Client: client, Taint: taint.NewHistory()}
}

// read adds what hosts have reported since the last call.
func (s *Session) read(c *Client) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.notes == nil {
		s.notes = notes.Open(filepath.Join(c.Host.Paths.Root, "notes"), c.Host.Now).Reader()
	}
	return s.notes.Apply(s.Taint)
}

// Claims are what a request says of itself. Nothing is decided by them.
type Claims struct {
	Client, Version string // name and version of the MCP client; "" is that of the session
	TraceParent     string // W3C trace context
}

// Held is a call that waits for a person. It is the error of [Client.Run], of
// kind fault.Denied and reason "confirmation_required", and nothing of the tool was
// started. Nothing in it is secret, and nothing in it is a capability.
type Held struct {
	Action    approval.ID
	Tool      spec.Ref
	Operation string          // of a tool that has several
	Arguments json.RawMessage // canonical
	Reasons   []approval.Reason
	RunID     audit.RunID // of the record that says that the call was held; "" where this is another look at it
	Expires   time.Time
	fault     error
}

func (h *Held) Error() string { return h.fault.Error() }

// Unwrap gives the kind, the reason and the hints.
func (h *Held) Unwrap() error { return h.fault }

// Confirm is [Client.Confirm] by what waits for calls.
func (w *Warm) Confirm(ctx context.Context, id approval.ID, o RunOptions) (*Ran, error) {
	o.warm = w
	return w.client.Confirm(ctx, id, o)
}

// Replay is [Client.Replay] by what waits for calls.
func (w *Warm) Replay(ctx context.Context, id audit.RunID, o RunOptions) (*Replayed, error) {
	o.warm = w
	return w.client.Replay(ctx, id, o)
}
