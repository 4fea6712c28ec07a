package inflate

import (
	"encoding/binary"
	"errors"
	"io"
)

// ErrCorrupt says that what came is not packed by deflate. What ends too early is
// [io.ErrUnexpectedEOF].
var ErrCorrupt = errors.New("deflate: the data is damaged")

// ErrLong says that more comes out than was expected.
var ErrLong = errors.New("deflate: more comes out than was expected")

const (
	window   = 32 << 10 // how far back a copy may reach
	maxMatch = 258
	slack    = 8 // bytes beyond a copy that may be written
	outRoom  = window + 256<<10
	inRoom   = 128 << 10
	kept     = 8 // bytes before the place of reading that may be taken back

	emptyReads = 100 // in a row, before a source is given up

	literalWidth  = 11
	distanceWidth = 9
	orderWidth    = 7
	// symbolBits is what a length with its distance takes at most, with extra bits.
	symbolBits = 48
)

// Decoder unpacks streams, one after the other. It is for one goroutine.
type Decoder struct {
	source io.Reader
	in     []byte
	at     int  // of the next byte in in
	ended  bool // the source has nothing more

	bits uint64 // the next bits, and above have perhaps more of the same
	have int    // of them that count; below zero when the source did not have so many

	out   []byte
	from  int // what comes before was written
	to    int // the next byte
	left  int64
	total int64
	into  io.Writer

	literal, distance, order table
	lengths                  [literals + 2 + distances + 2]uint8
}

// New makes a Decoder.
func New() *Decoder {
	d := &Decoder{in: make([]byte, 0, inRoom), out: make([]byte, outRoom)}
	d.literal = table{literalWidth, make([]entry, 0, 1<<literalWidth+literals<<(maxCode-literalWidth))}
	d.distance = table{distanceWidth, make([]entry, 0, 1<<distanceWidth+distances<<(maxCode-distanceWidth))}
	d.order = table{orderWidth, make([]entry, 0, 1<<orderWidth)}
	return d
}

// Decode unpacks one stream and writes at most size bytes, of which it returns
// how many. What follows on the stream's end is not looked at.
func (d *Decoder) Decode(to io.Writer, from io.Reader, size int64) (int64, error) {
	d.source, d.in, d.at, d.ended = from, d.in[:0], 0, false
	d.bits, d.have = 0, 0
	d.into, d.from, d.to, d.left, d.total = to, 0, 0, size, 0
	err := d.stream()
	if err == nil {
		err = d.flush()
	}
	d.source, d.into = nil, nil
	return d.total, err
}

func (d *Decoder) stream() error {
	for {
		head, err := d.take(3)
		if err != nil {
			return err
		}
		switch head >> 1 {
		case 0:
			err = d.stored()
		case 1:
			if d.fixed() {
				err = d.symbols()
			}
		case 2:
			if err = d.dynamic(); err == nil {
				err = d.symbols()
			}
		default:
			err = ErrCorrupt
		}
		if err != nil || head&1 == 1 {
			return err
		}
	}
}

// refill brings at least symbolBits bits, or all that the source has.
func (d *Decoder) refill() error {
	for d.have < symbolBits {
		if d.at == len(d.in) {
			if err := d.more(); err != nil {
				return err
			}
			if d.at == len(d.in) {
				return nil
			}
		}
		d.bits = d.bits&(1<<d.have-1) | uint64(d.in[d.at])<<d.have
		d.at++
		d.have += 8
	}
	return nil
}

// more reads from the source; nothing comes when that has ended.
func (d *Decoder) more() error {
	if d.ended {
		return nil
	}
	keep := min(kept, d.at)
	n := copy(d.in[:cap(d.in)], d.in[d.at-keep:])
	d.in, d.at = d.in[:n], keep
	for range emptyReads {
		n, err := d.source.Read(d.in[len(d.in):cap(d.in)])
		d.in = d.in[:len(d.in)+n]
		if d.ended = err != nil; d.ended && !errors.Is(err, io.EOF) {
			return err
		}
		if n > 0 || d.ended {
			return nil
		}
	}
	return io.ErrNoProgress
}

// take takes up to 16 bits.
func (d *Decoder) take(n uint) (uint32, error) {
	if d.have < int(n) {
		if err := d.refill(); err != nil {
			return 0, err
		}
		if d.have < int(n) {
			return 0, io.ErrUnexpectedEOF
		}
	}
	v := uint32(d.bits & (1<<n - 1))
	d.bits >>= n
	d.have -= int(n)
	return v, nil
}

// flush writes what came out and keeps what copies may reach back to.
func (d *Decoder) flush() error {
	made := d.out[d.from:d.to]
	long := int64(len(made)) > d.left
	if long {
		made = made[:d.left]
	}
	if len(made) > 0 {
		n, err := d.into.Write(made)
		d.left, d.total = d.left-int64(n), d.total+int64(n)
		if err != nil {
			return err
		}
	}
	if long {
		return ErrLong
	}
	if d.to > window {
		copy(d.out, d.out[d.to-window:d.to])
		d.to = window
	}
	d.from = d.to
	return nil
}

// stored copies a block that is not packed.
func (d *Decoder) stored() error {
	if _, err := d.take(uint(d.have) & 7); err != nil {
		return err
	}
	n, err := d.take(16)
	if err != nil {
		return err
	}
	not, err := d.take(16)
	if err != nil {
		return err
	}
	if n != not^0xffff {
		return ErrCorrupt
	}
	d.at -= d.have / 8 // whole bytes that were looked at too early
	d.bits, d.have = 0, 0
	for left := int(n); left > 0; {
		if d.at == len(d.in) {
			if err := d.more(); err != nil {
				return err
			}
			if d.at == len(d.in) {
				return io.ErrUnexpectedEOF
			}
		}
		if d.to == len(d.out) {
			if err := d.flush(); err != nil {
				return err
			}
		}
		m := copy(d.out[d.to:], d.in[d.at:min(len(d.in), d.at+left)])
		d.at, d.to, left = d.at+m, d.to+m, left-m
	}
	return nil
}

// symbols unpacks a block by its tables.
func (d *Decoder) symbols() error {
	if d.to >= len(d.out)-maxMatch-slack { // by a block that was not packed
		if err := d.flush(); err != nil {
			return err
		}
	}
	// What the loop changes is in local variables, and goes back before
	// anything that is not in the loop.
	literal, distance := d.literal.entries, d.distance.entries
	in, out := d.in, d.out
	at, to, buffer, have := d.at, d.to, d.bits, d.have
	_ = literal[1<<literalWidth-1]
	_ = distance[1<<distanceWidth-1]
	for {
		if have < symbolBits {
			if at+8 <= len(in) {
				buffer = buffer&(1<<uint(have&63)-1) | binary.LittleEndian.Uint64(in[at:])<<uint(have&63)
				at += (63 - have) >> 3
				have |= 56
			} else {
				d.at, d.bits, d.have = at, buffer, have
				if err := d.refill(); err != nil {
					return err
				}
				in, at, buffer, have = d.in, d.at, d.bits, d.have
			}
		}
		e := literal[buffer&(1<<literalWidth-1)]
		if e.kind() == kindLink {
			buffer >>= literalWidth
			have -= literalWidth
			e = literal[uint64(e.value())+buffer&(1<<e.extra()-1)]
		}
		buffer >>= e.taken()
		have -= int(e.taken())
		if e.kind() == kindLiteral {
			if have < 0 {
				d.to = to
				return io.ErrUnexpectedEOF
			}
			out[to] = byte(e.value())
			to++
			if to < len(out)-maxMatch-slack {
				continue
			}
			d.to = to
			if err := d.flush(); err != nil {
				return err
			}
			to = d.to
			continue
		}
		if e.kind() != kindBase {
			d.at, d.to, d.bits, d.have = at, to, buffer, have
			switch {
			case e.kind() == kindNone:
				return d.nothing()
			case have < 0:
				return io.ErrUnexpectedEOF
			}
			return nil
		}
		length := int(e.value()) + int(buffer&(1<<e.extra()-1))
		buffer >>= e.extra()
		have -= int(e.extra())
		e = distance[buffer&(1<<distanceWidth-1)]
		if e.kind() == kindLink {
			buffer >>= distanceWidth
			have -= distanceWidth
			e = distance[uint64(e.value())+buffer&(1<<e.extra()-1)]
		}
		buffer >>= e.taken()
		back := int(e.value()) + int(buffer&(1<<e.extra()-1))
		buffer >>= e.extra()
		have -= int(e.taken() + e.extra())
		switch {
		case have < 0:
			d.to = to
			return io.ErrUnexpectedEOF
		case e.kind() != kindBase || back > to:
			d.to = to
			return ErrCorrupt
		}
		if back >= 8 {
			for i := 0; i < length; i += 8 {
				binary.LittleEndian.PutUint64(out[to+i:], binary.LittleEndian.Uint64(out[to+i-back:]))
			}
		} else {
			for i := range length {
				out[to+i] = out[to+i-back]
			}
		}
		to += length
		if to >= len(out)-maxMatch-slack {
			d.to = to
			if err := d.flush(); err != nil {
				return err
			}
			to = d.to
		}
	}
}
