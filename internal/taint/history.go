package taint

import "encoding/json"

// History is what one conversation has read. It is safe for concurrent use.
type History struct{}

// NewHistory returns a history of nothing.
func NewHistory() *History { return &History{} }

// Untrusted adds an output that nobody vouches for: every text in it, at any
// depth, and names in objects that are no identifiers. What is no JSON is
// taken as one text. Its Path is found, src.Path is ignored.
func (h *History) Untrusted(src Source, output json.RawMessage) {}

// UntrustedText adds a text that nobody vouches for, such as what another server
// answered.
func (h *History) UntrustedText(src Source, text string) {}

// Trusted adds an output that the person's configuration vouches for, and whose
// run was given nothing tainted: what is in it too is held no more.
func (h *History) Trusted(output json.RawMessage) {}

// TrustedText adds a text of the person's own, such as what was typed.
func (h *History) TrustedText(text string) {}

// Latest is what was read last and nobody vouches for; false is nothing.
func (h *History) Latest() (Source, bool) { return Source{}, false }

// Check tells which values of a call were seen before.
func (h *History) Check(c Call) Verdict { return Verdict{} }
