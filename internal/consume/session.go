package consume

import (
	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/taint"
)

// Session is one conversation with an AI host: what it has read, by which id it is
// known in records and approvals, and who claims to be asking. A run without one
// is of a person at a command line, whose arguments are that person's own.
type Session struct {
	ID     string // random, of our making
	Client string // name of the MCP client, as it claims
	Taint  *taint.History
}

// Held is a call that waits for a person. It is the error of [Client.Run], of
// kind fault.Denied, and nothing of the tool was started.
type Held struct {
	Action  approval.ID
	Reasons []approval.Reason
	fault   error
}

func (h *Held) Error() string { return h.fault.Error() }

// Unwrap gives the kind, the reason and the hints.
func (h *Held) Unwrap() error { return h.fault }
