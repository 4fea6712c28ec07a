package toolbox

import (
	"bytes"
	"strconv"

	"github.com/patch-cat/patch-git/spec"
)

// plainIndex reads index.json as writeIndex leaves it, and nil of any other text,
// which is for the decoder of JSON: that takes ten times as long, and a host that
// starts a server with thousands of tools waits for it.
func plainIndex(data []byte) *index {
	p := plain{data}
	if !p.skip("{\n  \"schema\": 1,\n  \"tools\": {\n") {
		return nil
	}
	ix := &index{Schema: indexSchema, Tools: make(map[spec.Name]IndexEntry, len(data)/aboutEntry)}
	var last spec.Version // most tools have the version of the one before
	for {
		var name, version string
		var e IndexEntry
		var err error
		if !p.skip("    \"") || !p.text(&name) || !p.skip(": {\n      \"version\": \"") || !p.text(&version) || !p.skip(",\n      \"file\": \"") || !p.text(&e.File) {
			return nil
		}
		if p.skip(",\n      \"last_used\": \"") && !p.text(&e.LastUsed) || p.skip(",\n      \"weight\": ") && !p.number(&e.Weight) || !p.skip("\n    }") {
			return nil
		}
		if string(last) != version {
			if last, err = spec.ParseVersion(version); err != nil {
				return nil
			}
		}
		n, err := spec.ParseName(name)
		if _, twice := ix.Tools[n]; err != nil || twice {
			return nil
		}
		e.Version = last
		ix.Tools[n] = e
		if p.skip(",\n") {
			continue
		}
		if p.skip("\n  }\n}\n") && len(p.rest) == 0 {
			return ix
		}
		return nil
	}
}

// aboutEntry is how many bytes a tool has in index.json, about.
const aboutEntry = 110

type plain struct{ rest []byte }

// skip goes behind what has to stand here.
func (p *plain) skip(what string) bool {
	if len(p.rest) < len(what) || string(p.rest[:len(what)]) != what {
		return false
	}
	p.rest = p.rest[len(what):]
	return true
}

// number takes a number that is more than zero, as JSON writes it.
func (p *plain) number(to *int64) bool {
	n := 0
	for n < len(p.rest) && '0' <= p.rest[n] && p.rest[n] <= '9' {
		n++
	}
	if n == 0 || p.rest[0] == '0' {
		return false
	}
	var err error
	*to, err = strconv.ParseInt(string(p.rest[:n]), 10, 64)
	p.rest = p.rest[n:]
	return err == nil
}

// text takes the string of which the first quote was skipped. One with anything in
// it that JSON writes in two ways is not plain.
func (p *plain) text(to *string) bool {
	end := bytes.IndexByte(p.rest, '"')
	if end < 0 {
		return false
	}
	for _, c := range p.rest[:end] {
		if c < 0x20 || c > 0x7e || c == '\\' {
			return false
		}
	}
	*to = string(p.rest[:end])
	p.rest = p.rest[end+1:]
	return true
}
