package packed

import (
	"bytes"
	"hash/maphash"
)

// Patch returns what makes the new file of the old one; see [Apply]. The files
// are made of lines, most of which are the same: those are copied, and of the
// others whatever they have in common with the line that stood there.
//
// The encoder of the library is not asked to find that by itself: in a file of
// ten megabytes it forgets the beginning long before it comes to the end.
func Patch(old, new []byte) ([]byte, error) {
	var f frames
	lines := indexLines(old)
	next := 0 // in old, behind what was copied last
	for len(new) > 0 {
		line := firstLine(new)
		new = new[len(line):]
		if !bytes.HasPrefix(old[next:], line) {
			at, ok := lines.find(old, line)
			if !ok {
				f.similar(old, next, line)
				continue
			}
			next = at
		}
		f.copy(next, len(line))
		next += len(line)
	}
	return f.encode(old)
}

// firstLine is the first line of some, with its end.
func firstLine(b []byte) []byte {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i+1]
	}
	return b
}

// lineIndex finds lines by a hash; who asks compares them.
type lineIndex struct {
	seed maphash.Seed
	at   map[uint64]int
}

func indexLines(old []byte) lineIndex {
	x := lineIndex{maphash.MakeSeed(), map[uint64]int{}}
	for at := 0; at < len(old); {
		line := firstLine(old[at:])
		x.at[maphash.Bytes(x.seed, line)] = at
		at += len(line)
	}
	return x
}

func (x lineIndex) find(old, line []byte) (int, bool) {
	at, ok := x.at[maphash.Bytes(x.seed, line)]
	return at, ok && bytes.HasPrefix(old[at:], line)
}

// gram is how many equal bytes are looked for in a line that changed; fewer
// cost more to copy than to say.
const gram = 24

// similar adds a line that the old file does not have: pieces of the line that
// stands there now, and text between them.
func (f *frames) similar(old []byte, at int, line []byte) {
	model := firstLine(old[at:])
	known := map[string]int{}
	for i := 0; i+gram <= len(model); i++ {
		known[string(model[i:i+gram])] = i
	}
	said := 0 // of line, up to here
	for i := 0; i+gram <= len(line); {
		from, ok := known[string(line[i:i+gram])]
		if !ok {
			i++
			continue
		}
		n := gram
		for i+n < len(line) && from+n < len(model) && line[i+n] == model[from+n] {
			n++
		}
		for i > said && from > 0 && line[i-1] == model[from-1] {
			i, from, n = i-1, from-1, n+1
		}
		f.say(line[said:i])
		f.copy(at+from, n)
		i += n
		said = i
	}
	f.say(line[said:])
}

// frames are the pieces of a new file in their order.
type frames struct{ pieces []piece }

// piece is text, or n bytes of the old file.
type piece struct {
	text    []byte
	from, n int
}

func (f *frames) say(text []byte) {
	if len(text) == 0 {
		return
	}
	if i := len(f.pieces) - 1; i >= 0 && f.pieces[i].text != nil {
		f.pieces[i].text = append(f.pieces[i].text, text...)
		return
	}
	f.pieces = append(f.pieces, piece{text: bytes.Clone(text)})
}

func (f *frames) copy(from, n int) {
	if i := len(f.pieces) - 1; i >= 0 && f.pieces[i].text == nil && f.pieces[i].from+f.pieces[i].n == from {
		f.pieces[i].n += n
		return
	}
	f.pieces = append(f.pieces, piece{from: from, n: n})
}
