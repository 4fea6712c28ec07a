package taint

import "encoding/json"

// Source is one thing that was read and that nobody vouches for.
type Source struct {
	Run  string `json:"run_id"`         // of the run whose output it is, or the id of a note
	Tool string `json:"tool"`           // that answered it; "" where a host reported it
	Path string `json:"path,omitempty"` // of the leaf, as a JSON pointer into the output
}

// Match is one value of a call that was seen in a source.
type Match struct {
	Input  string `json:"input"`  // the input that it was given for
	Path   string `json:"path"`   // of the leaf, as a JSON pointer into the arguments
	Value  string `json:"value"`  // the leaf, cut to limits.TaintShown characters
	How    string `json:"how"`    // "exact", "squeezed", "part", "base64", "hex", …
	Source Source `json:"source"` // the latest that has it
}

// Verdict is what a check found. The zero value found nothing.
type Verdict struct {
	Matches []Match `json:"matches,omitempty"` // of inputs that are not tainted_ok, to be held
	Carried []Match `json:"carried,omitempty"` // of inputs that are tainted_ok, or approved: they pass, and make the output tainted
	Vouched []Match `json:"vouched,omitempty"` // seen in a source, and in something that the person trusts: they pass
	Session *Source `json:"session,omitempty"` // the latest source, where the rule for irreversible tools holds the call
}

// Held tells whether a person has to look at the call.
func (v Verdict) Held() bool { return len(v.Matches) > 0 || v.Session != nil }

// Sources are the runs that the values came from, each once.
func (v Verdict) Sources() []string {
	var out []string
	seen := map[string]bool{}
	for _, list := range [][]Match{v.Matches, v.Carried} {
		for _, m := range list {
			if !seen[m.Source.Run] {
				seen[m.Source.Run] = true
				out = append(out, m.Source.Run)
			}
		}
	}
	return out
}

// Call is what is held against a history.
type Call struct {
	Arguments json.RawMessage   // canonical, an object
	TaintedOK func(string) bool // by the name of an input
	// Chosen tells of the name of an input that who calls chose it, and not who wrote
	// the tool: it is held against the history as a value is. nil is never.
	Chosen func(string) bool
	// Constant tells whether the manifest itself states this value for this
	// input, as its default or as one of a few; nil is never.
	Constant func(input, value string) bool
	// Irreversible: what the tool does cannot be taken back. It is held once
	// anything untrusted was read.
	Irreversible bool
	// Reaches: the tool has network, files or secrets. It is held once a
	// history forgot what it read, because no value can be told from a
	// forgotten one.
	Reaches bool
	// Approved tells whether a person approved this value for this input
	// before; nil is never.
	Approved func(input, value string) bool
}
