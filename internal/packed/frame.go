package packed

import (
	"encoding/binary"
	"math/bits"
)

// worthPacking is how long a text is that gets a frame of the library's own.
const worthPacking = 192

// maxBlock is the most that one block stands for.
const maxBlock = 128 << 10

// encode writes the pieces as frames, one after the other: text as the library
// packs it, copies and the few words between them as [blocks].
func (f *frames) encode(old []byte) ([]byte, error) {
	var out []byte
	b := blocks{old: old}
	for _, p := range f.pieces {
		switch {
		case p.text == nil:
			b.copy(p.from, p.n)
		case len(p.text) < worthPacking:
			b.say(p.text)
		default:
			packed, err := Pack(p.text)
			if err != nil {
				return nil, err
			}
			out = append(b.frame(out), packed...)
		}
	}
	out = b.frame(out)
	if len(out) == 0 { // of an empty file
		return Pack(nil)
	}
	return out, nil
}

// blocks are those of one frame, see RFC 8878, section 3.1.1.2.
type blocks struct {
	old  []byte
	made []byte
	last int // where in made the last block begins
	size int // of what they stand for
}

// The types of a block.
const (
	rawBlock        = 0
	compressedBlock = 2
)

func (b *blocks) block(kind int, body []byte) {
	b.last = len(b.made)
	h := len(body)<<3 | kind<<1
	b.made = append(append(b.made, byte(h), byte(h>>8), byte(h>>16)), body...)
}

// say adds a few bytes as they are.
func (b *blocks) say(text []byte) {
	b.block(rawBlock, text)
	b.size += len(text)
}

// copy adds n bytes of the old file. A block is one match without literals: the
// dictionary ends where the frame begins, so what lies in it is as far away as
// its end and all that the frame says so far.
func (b *blocks) copy(from, n int) {
	far := len(b.old) - from + b.size
	for n > 0 {
		m := min(n, maxBlock)
		if n < minMatch {
			b.say(b.old[from : from+n])
			return
		}
		b.block(compressedBlock, match(far, m))
		b.size += m
		from, n = from+m, n-m
	}
}

// frame ends a frame, appends it to out and begins the next one.
func (b *blocks) frame(out []byte) []byte {
	if len(b.made) == 0 {
		return out
	}
	b.made[b.last] |= 1                       // the last block
	out = append(out, 0x28, 0xb5, 0x2f, 0xfd, // the magic number
		0xa0) // one segment; its size has four bytes
	out = binary.LittleEndian.AppendUint32(out, uint32(b.size))
	out = append(out, b.made...)
	*b = blocks{old: b.old}
	return out
}

// minMatch is the shortest match that the format has.
const minMatch = 3

// longMatch are the codes of matches from 35 bytes on: their shortest one and
// how many bits say how much longer it is (RFC 8878, table 17).
var longMatch = [...]struct{ least, bits int }{
	{35, 1},
	{37, 1},
	{39, 1},
	{41, 1},
	{43, 2},
	{47, 2},
	{51, 3},
	{59, 3},
	{67, 4},
	{83, 4},
	{99, 5},
	{131, 7},
	{259, 8},
	{515, 9},
	{1027, 10},
	{2051, 11},
	{4099, 12},
	{8195, 13},
	{16387, 14},
	{32771, 15},
	{65539, 16},
}

// match is the body of a block with one sequence: no literals, and n bytes from
// far behind. Each of its three codes is the only one of its table.
func match(far, n int) []byte {
	code, least, extra := n-minMatch, n, 0
	for i, l := range longMatch {
		if n >= l.least {
			code, least, extra = 32+i, l.least, l.bits
		}
	}
	offset := uint64(far) + 3 // 1 to 3 are for repeated ones
	offsetCode := bits.Len64(offset) - 1
	body := []byte{
		0,    // no literals, raw
		1,    // one sequence
		0x54, // one code in each table
		0, byte(offsetCode), byte(code),
	}
	// Read from its end: a one, which is also the first bit of the offset and
	// said by its code, then the other bits, then those of the length.
	stream := offset<<extra | uint64(n-least)
	for ; stream > 0; stream >>= 8 {
		body = append(body, byte(stream))
	}
	return body
}
