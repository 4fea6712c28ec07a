package consume

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/taint"
	"github.com/patch-cat/patch-git/spec"
)

// mostReasons is how many values of one call a person is asked about by name.
const mostReasons = 20

// follow holds the arguments against what the conversation has read. A person at a
// command line types for oneself.
func (k *call) follow(context.Context) (string, error) {
	k.rec.Taint = &audit.Taint{Output: string(k.trust)}
	s := k.o.Session
	if s == nil {
		return "", nil
	}
	// A note that cannot be believed may be the one that would hold this call.
	if err := s.read(k.c); err != nil {
		return "", err
	}
	tool := k.s.Tool
	k.verdict = s.Taint.Check(taint.Call{
		Arguments: k.foreign(), TaintedOK: taintedOK(tool), Chosen: k.chosen, Irreversible: irreversible(tool), Reaches: reaches(tool),
		Approved: k.remembered(),
	})
	for _, list := range [][]taint.Match{k.verdict.Matches, k.verdict.Carried} {
		for _, m := range list {
			k.rec.Taint.Inputs = append(k.rec.Taint.Inputs, audit.TaintedInput{Input: m.Input, Path: m.Path, How: m.How, Source: runOf(m.Source)})
			if id := runOf(m.Source); id != "" && !slices.Contains(k.rec.Parents, id) {
				k.rec.Parents = append(k.rec.Parents, id)
			}
		}
	}
	if len(k.rec.Taint.Inputs) > 0 {
		k.trust = Derived
		k.rec.Taint.Output = string(Derived)
	}
	if !k.verdict.Held() {
		return "", nil
	}
	k.reasons = append(k.reasons, tainted(k.verdict)...)
	if len(k.verdict.Matches) > 0 {
		return approval.KindTainted, nil
	}
	return approval.KindIrreversible, nil
}

// foreign are the arguments without what the manifest itself says: a default is the
// word of who wrote the tool, wherever else it was read.
func (k *call) foreign() json.RawMessage {
	given := values(k.args)
	n := len(given)
	for _, in := range k.s.Tool.Inputs {
		if in.Default != nil && bytes.Equal(given[in.Name], in.Default) {
			delete(given, in.Name)
		}
	}
	if len(given) == n {
		return k.args
	}
	data, err := json.Marshal(given)
	if err != nil {
		return k.args
	}
	return data
}

// remembered asks whether a person approved a value for an input of this very release.
func (k *call) remembered() func(input, value string) bool {
	store := sync.OnceValues(k.c.Approvals)
	return func(input, value string) bool {
		s, err := store()
		if err != nil {
			return false
		}
		r, ok := s.Recall(k.s.Ref, k.s.source(), approval.Action{Operation: k.s.Operation}.Remembers(input), value)
		if ok {
			k.rec.Approval = &audit.Approval{ID: string(r.From), Via: string(approval.ViaRemembered), At: r.Since}
		}
		return ok
	}
}

// tainted says what was found, for a person.
func tainted(v taint.Verdict) []approval.Reason {
	var out []approval.Reason
	for i, m := range v.Matches {
		if i == mostReasons {
			out = append(out, approval.Reason{
				Kind: approval.KindTainted, Input: m.Input,
				Text: fmt.Sprintf("and %d more values were read in answers that nobody vouches for", len(v.Matches)-i),
			})
			break
		}
		out = append(out, approval.Reason{
			Kind: approval.KindTainted, Input: m.Input, Path: m.Path, Value: m.Value, Source: m.Source.Run,
			Text: fmt.Sprintf("the input %s is %s, which was read in %s", approval.InputName(m.Input), spec.Quote(m.Value), from(m.Source)),
		})
	}
	if v.Session != nil {
		out = append(out, approval.Reason{
			Kind: approval.KindIrreversible, Source: v.Session.Run,
			Text: "what it does cannot be taken back, and this conversation has read " + from(*v.Session),
		})
	}
	return out
}

// from names a source in words.
func from(s taint.Source) string {
	switch {
	case s.Tool == "":
		return "what the AI host reported as " + s.Run
	case s.Run == "":
		return "an answer of " + spec.Quote(s.Tool)
	case runOf(s) == "":
		return fmt.Sprintf("an answer of %s, which the AI host reported as %s", spec.Quote(s.Tool), s.Run)
	}
	return fmt.Sprintf("the answer of %s, run %s", spec.Quote(s.Tool), s.Run)
}

// runOf is the run of a source, "" where it is a note.
func runOf(s taint.Source) audit.RunID {
	id, err := audit.ParseRunID(s.Run)
	if err != nil {
		return ""
	}
	return id
}

// chosen tells whether who calls chose the name of an input: the schema of an operation
// may let them give more than it names.
func (k *call) chosen(name string) bool {
	return !slices.ContainsFunc(k.s.Tool.Inputs, func(in spec.Input) bool { return in.Name == name })
}

func taintedOK(t *spec.Tool) func(string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(t.Inputs, func(in spec.Input) bool { return in.Name == name && in.TaintedOK })
	}
}
