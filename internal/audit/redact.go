package audit

import (
	"bytes"
	"encoding/json"
	"slices"
)

// struck stands where a secret was.
const struck = "[redacted]"

// minSecret keeps a careless one-letter "secret" from striking everything.
// growth is how much longer a text can get by striking: ten bytes for four.
const (
	minSecret = 4
	growth    = 3
)

// redactor strikes the values of secrets. It knows a value as it is and as
// JSON spells it, not what a tool makes of it, such as its base64: a tool that
// was given a secret can always leak it, this only keeps honest echoes out of
// the files [C-7].
type redactor struct{ values [][]byte }

func newRedactor(secrets []string) redactor {
	var r redactor
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		r.values = append(r.values, []byte(s), quote(s, true), quote(s, false))
	}
	// The longest first, so that a secret which contains another goes whole.
	slices.SortStableFunc(r.values, func(a, b []byte) int { return len(b) - len(a) })
	return r
}

// quote spells s as the inside of a JSON string, with <, > and & as they are
// or escaped, because writers of JSON differ in that.
func quote(s string, html bool) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if err := enc.Encode(s); err != nil {
		return []byte(s)
	}
	return b.Bytes()[1 : b.Len()-2] // without quotes and line feed
}

func (r redactor) bytes(b []byte) []byte {
	for _, v := range r.values {
		if bytes.Contains(b, v) {
			b = bytes.ReplaceAll(b, v, []byte(struck))
		}
	}
	return b
}

// json strikes secrets from a JSON text and tells whether there were any. Each
// string is decoded first, since one value has many spellings. A secret outside
// of strings, such as a number, takes the whole text with it.
func (r redactor) json(text json.RawMessage) (json.RawMessage, bool) {
	if len(r.values) == 0 || !json.Valid(text) { // an invalid one is refused later
		return text, false
	}
	clean := make([]byte, 0, len(text))
	var found bool
	for i := 0; i < len(text); {
		if text[i] != '"' {
			clean = append(clean, text[i])
			i++
			continue
		}
		end := i + 1
		for ; text[end] != '"'; end++ { // it ends, because the text is valid
			if text[end] == '\\' {
				end++
			}
		}
		literal := text[i : end+1]
		i = end + 1
		var s string
		if err := json.Unmarshal(literal, &s); err != nil {
			s = struck // cannot be; and if, nothing leaks
		}
		if out := string(r.bytes([]byte(s))); out != s {
			literal, found = append(append([]byte{'"'}, quote(out, false)...), '"'), true
		}
		clean = append(clean, literal...)
	}
	if !bytes.Equal(r.bytes(clean), clean) {
		return json.RawMessage(`"` + struck + `"`), true
	}
	return clean, found
}

// record strikes secrets from every part of a record that a tool or a person
// fills with text of their own.
func (r redactor) record(rec *Record) {
	var in, out bool
	rec.Inputs, in = r.json(rec.Inputs)
	rec.Output, out = r.json(rec.Output)
	rec.Redacted = rec.Redacted || in || out
	if rec.Error != nil {
		e := *rec.Error
		e.Message = string(r.bytes([]byte(e.Message)))
		rec.Error = &e
	}
}
