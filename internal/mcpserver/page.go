package mcpserver

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/fault"
)

// page is one answer to tools/list. The SDK gets all of it but the tools of the
// toolbox, which are written behind its own: it would go through their schemas twice
// more, which costs ten times what writing them does.
type page struct {
	*mcp.ListToolsResult
	rest  []*entry
	later *later // nil: the whole is wanted at once
}

// MarshalJSON implements json.Marshaler.
func (p *page) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(p.ListToolsResult)
	if err != nil || len(p.rest) == 0 {
		return head, err
	}
	body, ok := bytes.CutSuffix(head, []byte("]}"))
	if !ok {
		return nil, fault.New(fault.Unavailable, "page", "a list of tools does not end with its tools")
	}
	if len(p.Tools) > 0 {
		body = append(body, ',')
	}
	if p.later != nil {
		body = p.later.note(body, p.rest)
	} else {
		var t teller
		body = t.all(body, p.rest, nil)
	}
	return append(body, "]}"...), nil
}

// later has the parts of answers that are written when the SDK has written what
// stands around them.
type later struct {
	mu    sync.Mutex
	last  uint64
	parts map[uint64][]*entry
}

// The mark of such a part. Only an answer to tools/list is looked into for one,
// which has no other strings in the place of a tool.
const (
	markBegin = `"part:`
	markEnd   = `"]}}`
)

func (l *later) note(b []byte, part []*entry) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.parts == nil {
		l.parts = map[uint64][]*entry{}
	}
	l.last++
	l.parts[l.last] = part
	return append(strconv.AppendUint(append(b, markBegin...), l.last, 10), '"')
}

// cut parts an answer at its mark. An answer without one is all before.
func (l *later) cut(line []byte) (before []byte, part []*entry, after []byte) {
	rest, ok := bytes.CutSuffix(line, []byte(markEnd))
	at := bytes.LastIndex(rest, []byte(markBegin))
	if !ok || at < 0 {
		return line, nil, nil
	}
	n, err := strconv.ParseUint(string(rest[at+len(markBegin):]), 10, 64)
	l.mu.Lock()
	defer l.mu.Unlock()
	if part = l.parts[n]; err != nil || part == nil {
		return line, nil, nil
	}
	delete(l.parts, n)
	return rest[:at], part, []byte(markEnd[1:])
}

// teller writes tools as tools/list has them.
type teller struct{ hints map[effect][]byte }

// chunk is how much is handed on at a time: a host reads the first tools of a page
// while the others are written, and nothing has to hold a whole page.
const chunk = 64 << 10

// all appends the tools with commas between them. full, if there is one, gets what
// was appended whenever that is a chunk, and gives back where to go on.
func (t *teller) all(b []byte, list []*entry, full func([]byte) []byte) []byte {
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = t.append(b, e)
		if full != nil && len(b) >= chunk {
			b = full(b)
		}
	}
	return b
}

// append writes one tool. Its schemas are compact JSON; see newEntry.
func (t *teller) append(b []byte, e *entry) []byte {
	b = appendText(append(b, `{"name":`...), e.name)
	b = appendText(append(b, `,"description":`...), e.description)
	b = append(append(b, `,"inputSchema":`...), e.in...)
	if e.out != nil {
		b = append(append(b, `,"outputSchema":`...), e.out...)
	}
	b = append(append(b, `,"annotations":`...), t.hint(e.kind)...)
	b = appendText(append(b, `,"_meta":{"`+metaRelease+`":`...), string(e.registry)+"/"+e.ref.At())
	return append(b, "}}"...)
}

// hint is what [effect.annotations] says, as JSON: of thousands of tools there are a
// few kinds.
func (t *teller) hint(k effect) []byte {
	if t.hints[k] == nil {
		text, err := json.Marshal(k.annotations())
		if err != nil {
			panic(err) // four booleans
		}
		if t.hints == nil {
			t.hints = map[effect][]byte{}
		}
		t.hints[k] = text
	}
	return t.hints[k]
}

// appendText writes a string as JSON. What is usual in a tool's text is copied; with
// anything else in it, it is for the encoder.
func appendText(b []byte, s string) []byte {
	begin, from := len(b), 0
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n':
			b = append(append(b, s[from:i]...), '\\', 'n')
			from = i + 1
		case c < 0x20 || c > 0x7e || c == '"' || c == '\\':
			text, err := json.Marshal(s)
			if err != nil {
				panic(err) // a string
			}
			return append(b[:begin], text...)
		}
	}
	return append(append(b, s[from:]...), '"')
}
