package contribute

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// event is one entry of a record: what the interpreter was asked for.
type event struct {
	Number, PID    int
	Name           string   // of the audit event (PEP 578), or one of the recorder's own
	Direct, Source string   // the file whose code asked, and the first that is not Python's own
	Line           int      // in Source
	Dir            string   // the working directory, where the first argument is a relative path
	Args           []string // texts as they are, all else as JSON
}

// record is what the recorder told about one program, and what else it printed.
type record struct {
	events  []event
	scratch string   // the tool's own folder
	paths   []string // where the interpreter looks for modules
	ended   bool     // the recorder saw the program to its end
	stdout  []byte   // without the entries
	damage  error    // why nobody can tell whether the record is whole
}

// entryHead is before an entry: a zero byte and the code over what follows up to
// the end of the line.
const entryHead = 1 + 2*sha256.Size

// readRecord takes the entries out of what a program wrote. Whatever has no right
// code is the tool's own output, whatever it looks like: a tool can only add to
// what it prints. Entries of the first process must be without a gap.
func readRecord(stdout, key []byte) record {
	var r record
	seen := map[int]map[int]bool{} // process → numbers
	first, last := 0, map[int]int{}
	for rest := stdout; ; {
		at := bytes.IndexByte(rest, 0)
		if at < 0 {
			r.stdout = append(r.stdout, rest...)
			break
		}
		r.stdout = append(r.stdout, rest[:at]...)
		rest = rest[at:]
		body, ok := entryOf(rest, key)
		if !ok {
			r.stdout = append(r.stdout, rest[0])
			rest = rest[1:]
			continue
		}
		rest = rest[entryHead+len(body)+1:]
		e, err := readEvent(body)
		if err != nil {
			r.damaged("an entry is not readable: %w", err) // with the right code: a fault of ours
			continue
		}
		if first == 0 {
			first = e.PID
		}
		if seen[e.PID] == nil {
			seen[e.PID] = map[int]bool{}
		}
		if seen[e.PID][e.Number] {
			r.damaged("entry %d is there twice", e.Number)
			continue
		}
		seen[e.PID][e.Number], last[e.PID] = true, max(last[e.PID], e.Number)
		r.take(e, e.PID == first)
	}
	switch {
	case first == 0:
		r.damaged("it is empty")
	case r.scratch == "":
		r.damaged("it has no beginning")
	case len(seen[first]) != last[first]:
		r.damaged("%d of %d entries are missing", last[first]-len(seen[first]), last[first])
	}
	return r
}

// take adds an entry to the record. Only the recorder itself, with nobody's code
// around it, says where the record begins and ends.
func (r *record) take(e event, first bool) {
	switch {
	case e.Name == "patch.begin" && first && e.Number == 1 && len(e.Args) == 3:
		r.scratch = e.Args[0]
		if err := json.Unmarshal([]byte(e.Args[2]), &r.paths); err != nil {
			r.damaged("its beginning is not readable: %w", err)
		}
	case e.Name == "patch.end" && first && e.Source == "" && e.Direct == "":
		r.ended = true
	default:
		r.events = append(r.events, e)
	}
}

func (r *record) damaged(format string, args ...any) {
	if r.damage == nil {
		r.damage = fmt.Errorf(format, args...)
	}
}

// entryOf returns what an entry at the beginning of b says; ok is false where
// there is none or where its code is wrong.
func entryOf(b, key []byte) (body []byte, ok bool) {
	end := bytes.IndexByte(b, '\n')
	if end < entryHead {
		return nil, false
	}
	var code [sha256.Size]byte
	if _, err := hex.Decode(code[:], b[1:entryHead]); err != nil {
		return nil, false
	}
	body = b[entryHead:end]
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	return body, hmac.Equal(mac.Sum(nil), code[:])
}

// readEvent reads [number, process, name, direct, source, line, dir, [argument…]].
func readEvent(body []byte) (event, error) {
	var e event
	var args []json.RawMessage
	parts := []any{&e.Number, &e.PID, &e.Name, &e.Direct, &e.Source, &e.Line, &e.Dir, &args}
	want := len(parts)
	if err := json.Unmarshal(body, &parts); err != nil {
		return e, err
	}
	if len(parts) != want {
		return e, errors.New("it has " + strconv.Itoa(len(parts)) + " members")
	}
	for _, a := range args {
		text := string(a)
		var s string
		if json.Unmarshal(a, &s) == nil && a[0] == '"' {
			text = s
		}
		e.Args = append(e.Args, text)
	}
	return e, nil
}

// arg returns an argument, "" where there is none.
func (e event) arg(i int) string {
	if i < len(e.Args) {
		return e.Args[i]
	}
	return ""
}
