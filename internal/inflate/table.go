package inflate

import "math/bits"

// entry is what a table says about the next bits:
//
//	bits 0..4    how many of them the code takes
//	bits 5..7    kind
//	bits 8..12   how many extra bits follow; of a link, how many choose below it
//	bits 16..31  the literal, the base of a length or distance, the place below
type entry uint32

// The kinds. Zero is no code.
const (
	kindNone entry = iota << 5
	kindLiteral
	kindBase
	kindEnd
	kindLink
	kindMask entry = 7 << 5
)

func (e entry) taken() uint   { return uint(e & 31) }
func (e entry) kind() entry   { return e & kindMask }
func (e entry) extra() uint   { return uint(e>>8) & 31 }
func (e entry) value() uint32 { return uint32(e >> 16) }

func base(value, extra int) entry { return entry(value)<<16 | entry(extra)<<8 | kindBase }

const (
	maxCode   = 15  // bits of the longest code
	literals  = 286 // symbols of literals and lengths that mean something
	distances = 30
	endSymbol = 256
)

// The meanings of symbols, RFC 1951, section 3.2.5.
var (
	literalMeaning  [literals + 2]entry
	distanceMeaning [distances + 2]entry
	orderMeaning    [19]entry
)

func init() {
	for i := range 256 {
		literalMeaning[i] = entry(i)<<16 | kindLiteral
	}
	literalMeaning[endSymbol] = kindEnd
	for i, at := 0, 3; i < 28; i++ {
		extra := max(0, i/4-1)
		literalMeaning[257+i] = base(at, extra)
		at += 1 << extra
	}
	literalMeaning[285] = base(258, 0)
	for i, at := 0, 1; i < distances; i++ {
		extra := max(0, i/2-1)
		distanceMeaning[i] = base(at, extra)
		at += 1 << extra
	}
	for i := range orderMeaning {
		orderMeaning[i] = entry(i)<<16 | kindLiteral
	}
}

// table is a prefix code: its first 1<<width entries answer short codes, the
// rest those that are longer.
type table struct {
	width   uint
	entries []entry
}

// build makes the table of a code of which only the lengths are known. As in
// compress/flate a code must use up all bit patterns, but for one of a single
// symbol of one bit, and an empty one, which decodes nothing.
func (t *table) build(lengths []uint8, meaning []entry) bool {
	var count, next [maxCode + 1]int
	most := 0
	for _, n := range lengths {
		if n > 0 {
			count[n]++
			most = max(most, int(n))
		}
	}
	code := 0
	for n := 1; n <= most; n++ {
		code <<= 1
		next[n] = code
		code += count[n]
	}
	if most > 0 && code != 1<<most && (code != 1 || most != 1) {
		return false
	}
	t.entries = t.entries[:1<<t.width]
	clear(t.entries)
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		reversed := uint(bits.Reverse16(uint16(next[n])) >> (16 - n))
		next[n]++
		if uint(n) <= t.width {
			e := meaning[symbol]
			if e != 0 {
				e |= entry(n)
			}
			for i := reversed; i < 1<<t.width; i += 1 << n {
				t.entries[i] = e
			}
			continue
		}
		t.below(reversed, uint(n), uint(most), meaning[symbol])
	}
	return true
}

// below puts a long code behind a link. All that share their first bits share a
// part of the table that is as wide as the longest code asks for.
func (t *table) below(reversed, n, most uint, e entry) {
	first, wide := reversed&(1<<t.width-1), most-t.width
	link := t.entries[first]
	if link == 0 {
		at := len(t.entries)
		t.entries = t.entries[:at+1<<wide]
		clear(t.entries[at:])
		link = entry(at)<<16 | entry(wide)<<8 | kindLink | entry(t.width)
		t.entries[first] = link
	}
	if e != 0 {
		e |= entry(n - t.width)
	}
	at := uint(link.value())
	for i := reversed >> t.width; i < 1<<wide; i += 1 << (n - t.width) {
		t.entries[at+i] = e
	}
}
