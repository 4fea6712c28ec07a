package audit

import (
	"bytes"
	"encoding/json"
	"slices"
	"sort"
	"strings"
)

// json strikes secrets from a JSON text and tells whether there were any. Each
// string is decoded first, since one value has many spellings; then the text is
// looked at as a whole, because the name of a member says what its value is. A
// secret that is no part of a string takes the whole text with it.
func (r *redactor) json(text json.RawMessage) (json.RawMessage, bool) {
	if !json.Valid(text) { // refused later
		return text, false
	}
	clean, marks := r.leaves(string(text))
	struck := len(marks) > 0
	var found []span
	for _, s := range r.spans(clean) {
		if !within(s, marks) {
			found = append(found, s)
		}
	}
	if len(found) > 0 {
		struck = true
		if clean = replace(clean, found); !json.Valid([]byte(clean)) {
			clean = `"` + r.mark("whole", string(text)) + `"`
		}
	}
	if !struck {
		return text, false
	}
	return json.RawMessage(clean), true
}

// struck is a JSON text and what is left of it without its secrets.
type struck struct {
	of, clean json.RawMessage
	any       bool // there were some
}

// look is json, with the text to compare another one with.
func (r *redactor) look(text json.RawMessage) struck {
	s := struck{of: text}
	s.clean, s.any = r.json(s.of)
	return s
}

// strike is look, with a text of its own.
func (r *redactor) strike(text json.RawMessage) struck { return r.look(bytes.Clone(text)) }

// leaves strikes secrets from each string of a valid JSON text, and tells where
// the marks are.
func (r *redactor) leaves(text string) (string, []span) {
	var clean strings.Builder
	var marks []span
	at := 0 // up to here text is in clean
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		start := i
		for i++; text[i] != '"'; i++ { // it ends, because the text is valid
			if text[i] == '\\' {
				i++
			}
		}
		literal := text[start : i+1]
		s := literal[1 : len(literal)-1]
		if strings.Contains(s, `\`) && json.Unmarshal([]byte(literal), &s) != nil {
			continue // cannot be, and the whole text is looked at too
		}
		here := r.spans(s)
		if len(here) == 0 {
			continue
		}
		clean.WriteString(text[at : start+1])
		done := 0
		for _, p := range here {
			clean.WriteString(quote(s[done:p.from], false))
			marks = append(marks, span{from: clean.Len(), to: clean.Len() + len(p.mark)})
			clean.WriteString(p.mark)
			done = p.to
		}
		clean.WriteString(quote(s[done:], false))
		at = i // the quotation mark at the end
	}
	clean.WriteString(text[at:])
	return clean.String(), marks
}

// within tells whether a span is in one of the others, which are in order.
func within(s span, others []span) bool {
	i := sort.Search(len(others), func(i int) bool { return others[i].to >= s.to })
	return i < len(others) && others[i].from <= s.from
}

// record strikes secrets from every part of a record that a tool, a host or a
// person fills with text of their own. in are its inputs, out is its output.
func (r *redactor) record(rec *Record, in, out struck) {
	rec.Inputs, rec.Output = in.clean, out.clean
	rec.Redacted, rec.InputsRedacted = rec.Redacted || in.any || out.any, rec.InputsRedacted || in.any
	if rec.Error != nil {
		e := *rec.Error
		e.Message, _ = r.text(e.Message)
		rec.Error = &e
	}
	// What an argument names, and the names in one, are copied to places of their own.
	rec.Sandbox.Grants = slices.Clone(rec.Sandbox.Grants)
	for i := range rec.Sandbox.Grants {
		rec.Sandbox.Grants[i].Path, _ = r.text(rec.Sandbox.Grants[i].Path)
	}
	rec.Sandbox.Hidden, rec.Sandbox.AllowNet = r.texts(rec.Sandbox.Hidden), r.texts(rec.Sandbox.AllowNet)
	if rec.Taint != nil && len(rec.Taint.Inputs) > 0 {
		t := *rec.Taint
		t.Inputs = slices.Clone(t.Inputs)
		for i := range t.Inputs {
			t.Inputs[i].Path, _ = r.text(t.Inputs[i].Path)
		}
		rec.Taint = &t
	}
	rec.Trigger.MCPClient, _ = r.text(rec.Trigger.MCPClient)
	rec.Trigger.MCPVersion, _ = r.text(rec.Trigger.MCPVersion)
	rec.Network = slices.Clone(rec.Network)
	for i := range rec.Network { // a tool can put anything into a name that it asks for
		rec.Network[i].Address, _ = r.text(rec.Network[i].Address)
	}
}

func (r *redactor) texts(list []string) []string {
	list = slices.Clone(list)
	for i := range list {
		list[i], _ = r.text(list[i])
	}
	return list
}
