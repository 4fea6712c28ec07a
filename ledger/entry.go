package ledger

import (
	"fmt"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// EntrySchema is the edition of [Entry].
const EntrySchema = "patch-git/entry/v1"

// Event is what an entry of the log records.
type Event string

// The events of a registry's life.
const (
	EventAccept Event = "accept"
	EventYank   Event = "yank"
	EventUnyank Event = "unyank"
	EventRevoke Event = "revoke"
)

// Entry is one leaf of the log.
type Entry struct {
	Schema  string       `json:"schema"`
	Event   Event        `json:"event"`
	Name    spec.Name    `json:"name"`
	Version spec.Version `json:"version"`
	Release spec.Digest  `json:"release"` // of release.json
	Time    string       `json:"time"`
	Reason  string       `json:"reason,omitempty"`
}

// ParseEntry reads one leaf.
func ParseEntry(data []byte) (*Entry, error) {
	e, err := decode[Entry]("log entry", data, limits.LogEntry)
	if err != nil {
		return nil, err
	}
	if err := checkSchema("log entry", e.Schema, EntrySchema); err != nil {
		return nil, err
	}
	switch e.Event {
	case EventAccept, EventYank, EventUnyank, EventRevoke:
	default:
		return nil, fmt.Errorf("log entry has the unknown event %s", spec.Quote(string(e.Event)))
	}
	if _, err := ParseTime(e.Time); err != nil {
		return nil, fmt.Errorf("log entry: %w", err)
	}
	return e, nil
}
