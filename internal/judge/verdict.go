package judge

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
)

// Verdict is what a model thinks of a unit.
type Verdict string

// Verdicts, from best to worst. The zero value is none.
const (
	Clean      Verdict = "clean"
	Suspicious Verdict = "suspicious"
	Malicious  Verdict = "malicious"
)

// Code is what a model found in a line.
type Code string

// The codes. There are no others.
const (
	Override  Code = "INJ_OVERRIDE"
	Conceal   Code = "INJ_CONCEAL"
	Exfil     Code = "INJ_EXFIL"
	Shadow    Code = "INJ_SHADOW"
	Precall   Code = "INJ_PRECALL"
	OutScope  Code = "INJ_OUTOFSCOPE"
	Purpose   Code = "MISMATCH_PURPOSE"
	Beyond    Code = "MISMATCH_CAP"
	Addresses Code = "ADDRESSES_REVIEWER"
	Other     Code = "OTHER"
)

var codes = []Code{Override, Conceal, Exfil, Shadow, Precall, OutScope, Purpose, Beyond, Addresses, Other}

// Words says a code as what a line does.
func (c Code) Words() string {
	switch c {
	case Override:
		return "tells an agent to put its own instructions aside"
	case Conceal:
		return "tells an agent to keep something from its user"
	case Exfil:
		return "asks for secrets, files or the conversation, or sends them away"
	case Shadow:
		return "speaks of other tools, or wants to be preferred to them"
	case Precall:
		return "tells an agent to do something before or beside the call"
	case OutScope:
		return "tells an agent to do what the tool is not for"
	case Purpose:
		return "does what the description does not say"
	case Beyond:
		return "does more than the manifest declares"
	case Addresses:
		return "speaks to who reviews the tool"
	case Other:
		return "is not what a tool of this kind needs"
	}
	return ""
}

// answer is what a model says of one unit.
type answer struct {
	verdict  Verdict
	findings []Finding
}

// Finding is a code at a line of a unit.
type Finding struct {
	Unit int  `json:"unit"` // its place among the units
	Line int  `json:"line"` // its number, see [Line]
	Code Code `json:"code"`
	// Verdict is that over the unit, by both questions: [Malicious] only where
	// both objected and one of them to that degree.
	Verdict Verdict `json:"verdict"`
}

// Lengths of a quote, in characters. A line that is shorter is quoted whole.
const (
	quoteLeast = 4
	quoteMost  = 300
)

// parse reads what a model wrote about a shown unit, and takes it in one form
// alone: one JSON object with each member of the schema once, in its own
// spelling, that repeats the number of the block, the count of its lines and the
// last word of them, whose quotes stand in the lines that it names, and which
// finds something exactly where it is not clean. Whatever else it is, is no
// answer, an error of [failed].
func parse(data []byte, s *shown) (answer, error) {
	bad := func(what string) (answer, error) {
		return answer{}, failed(Malformed, "the model's answer %s", what)
	}
	fields, what := object(data, limits.JudgeVerdict, "nonce", "verdict", "lines_read", "last_word", "findings")
	if what != "" {
		return bad(what)
	}
	var nonce, verdict, last string
	var read int
	var found []json.RawMessage
	for _, member := range []struct {
		raw  json.RawMessage
		into any
	}{{fields["nonce"], &nonce}, {fields["verdict"], &verdict}, {fields["lines_read"], &read}, {fields["last_word"], &last}, {fields["findings"], &found}} {
		if !typed(member.raw, member.into) {
			return bad("has a member of another type")
		}
	}
	a := answer{verdict: Verdict(verdict)}
	switch {
	case nonce != s.nonce:
		return bad("is not about this block")
	case !slices.Contains([]Verdict{Clean, Suspicious, Malicious}, a.verdict):
		return bad("has no verdict")
	case read != len(s.unit.Lines):
		return bad("does not count the lines right")
	case !s.knows(last):
		return bad("does not know the last word")
	case len(found) > limits.JudgeFindings:
		return bad("finds too much")
	case (a.verdict == Clean) != (len(found) == 0):
		return bad("finds something and says that it is clean, or the other way round")
	}
	for _, raw := range found {
		f, what := finding(raw, s)
		if what != "" {
			return bad(what)
		}
		if !slices.Contains(a.findings, f) {
			a.findings = append(a.findings, f)
		}
	}
	return a, nil
}

// finding reads one finding; what says what is wrong with it.
func finding(raw json.RawMessage, s *shown) (f Finding, what string) {
	fields, what := object(raw, limits.JudgeVerdict, "code", "line", "quote")
	if what != "" {
		return f, what
	}
	var code, quote string
	if !typed(fields["code"], &code) || !typed(fields["line"], &f.Line) || !typed(fields["quote"], &quote) {
		return f, "has a finding with a member of another type"
	}
	f.Code = Code(code)
	if !slices.Contains(codes, f.Code) {
		return f, "has a finding of no known code"
	}
	text, ok := s.unit.quoted(f.Line)
	if !ok {
		return f, "has a finding at a line that is not there"
	}
	quote = s.plain(quote)
	whole := strings.TrimSpace(quote) != "" && strings.TrimSpace(quote) == strings.TrimSpace(text)
	switch n := utf8.RuneCountInString(quote); {
	case n > quoteMost, n < quoteLeast && !whole, strings.TrimSpace(quote) == "":
		return f, "has a quote that is too short or too long"
	case !strings.Contains(text, quote):
		return f, "has a quote that does not stand in its line"
	}
	return f, ""
}

// object reads a JSON object that has each of the names once and nothing else.
// what says what is wrong with it.
func object(data []byte, most int, names ...string) (fields map[string]json.RawMessage, what string) {
	switch {
	case len(data) > most:
		return nil, "is too long"
	case !utf8.Valid(data) || !json.Valid(data):
		return nil, "is no JSON"
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, "is no object"
	}
	fields = map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return nil, "is no object"
		}
		if !slices.Contains(names, name) {
			return nil, "has a member that nobody asked for"
		}
		if _, twice := fields[name]; twice {
			return nil, "has a member twice"
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, "is no JSON"
		}
		fields[name] = value
	}
	if _, err := d.Token(); err != nil { // the end of the object
		return nil, "is no JSON"
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, "goes on after its end"
	}
	if len(fields) != len(names) {
		return nil, "lacks a member"
	}
	return fields, ""
}

// typed reads one value of the very type: null is none, and 2.0 is no count.
func typed(raw json.RawMessage, into any) bool {
	if len(raw) == 0 || string(raw) == "null" {
		return false
	}
	return json.Unmarshal(raw, into) == nil
}
