package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/taint"
)

// policy is one way of using package taint.
type policy struct {
	name         string
	contents     bool // tainted_ok of the traces is honoured; else no input is
	irreversible bool // the rule for irreversible tools
	prompt       bool // the host reports what the person typed
	nobody       bool // no output is vouched for
	encode       func(string) string
}

// held is a call that a policy held.
type held struct {
	call    int
	verdict taint.Verdict
}

// play lets a history see a trace and tells which of its calls with an effect are
// held. A call that is held is made all the same: the worst case, of a person who
// says yes to everything.
func (s *traces) play(t trace, p policy) []held {
	h := taint.NewHistory()
	if p.prompt {
		h.TrustedText(t.Prompt)
	}
	var out []held
	encode := reencoding(t, p.encode, s)
	for i, c := range t.Calls {
		f := s.tools[c.Tool]
		made := taint.Call{
			Arguments: c.Args, Irreversible: p.irreversible && f.Irreversible, Reaches: true,
			TaintedOK: func(in string) bool { return !f.Sink || p.contents && slices.Contains(f.TaintedOK, in) },
		}
		v := h.Check(made)
		if f.Sink && v.Held() {
			out = append(out, held{i, v})
		}
		src := taint.Source{Run: "call " + strconv.Itoa(i), Tool: c.Tool}
		output := encode(c.Output)
		if f.Trusted && !p.nobody && len(v.Matches)+len(v.Carried) == 0 && !injected(t, c.Output) {
			h.Trusted(output)
		} else {
			h.Untrusted(src, output)
		}
	}
	return out
}

// injected tells whether an output shows an order: the traces put orders also
// where tools are trusted, and nobody would trust those.
func injected(t trace, output json.RawMessage) bool {
	for _, text := range t.Injected {
		if bytes.Contains(output, []byte(inner(text))) {
			return true
		}
	}
	return false
}

// inner is a text as JSON spells it, without the quotes.
func inner(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		return text
	}
	return strings.Trim(strings.TrimSpace(b.String()), `"`)
}

// reencoding rewrites outputs so that the values which the attack uses stand in
// its order in an encoding, which the agent undoes.
func reencoding(t trace, encode func(string) string, s *traces) func(json.RawMessage) json.RawMessage {
	if encode == nil {
		return func(o json.RawMessage) json.RawMessage { return o }
	}
	var values []string
	for _, c := range t.Calls {
		if c.By == "attack" && s.tools[c.Tool].Sink {
			var v any
			if json.Unmarshal(c.Args, &v) == nil {
				values = append(values, texts(v)...)
			}
		}
	}
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, text := range t.Injected {
		var swap []string
		for _, v := range values {
			if len(v) >= 4 {
				swap = append(swap, v, encode(v))
			}
		}
		pairs = append(pairs, inner(text), inner(strings.NewReplacer(swap...).Replace(text)))
	}
	r := strings.NewReplacer(pairs...)
	return func(o json.RawMessage) json.RawMessage { return json.RawMessage(r.Replace(string(o))) }
}

func texts(v any) []string {
	var out []string
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, e := range v {
			out = append(out, texts(e)...)
		}
	case map[string]any:
		for _, e := range v {
			out = append(out, texts(e)...)
		}
	}
	return out
}
