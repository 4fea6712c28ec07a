package index

import (
	"bytes"
	"encoding/binary"

	"github.com/RoaringBitmap/roaring/v2"
)

// The numbers of the format of Roaring bitmaps, without runs.
const (
	bitmapCookie = 12346
	bitmapArray  = 4096 // most numbers of a container that is a list of them
	bitmapWords  = 1 << 16 / 64
)

// appendBitmap writes the documents of a list as a Roaring bitmap. The library's
// own way is by a set in memory, one number after the other; it is left to those
// few lists that fill a container, which is then a run. TestBitmap compares them.
func appendBitmap(out []byte, list []posting) []byte {
	containers := 0
	for i, p := range list {
		if i == 0 || p.doc>>16 != list[i-1].doc>>16 {
			containers++
		}
		if i >= 1<<16-1 && list[i-(1<<16-1)].doc>>16 == p.doc>>16 {
			return appendRuns(out, list)
		}
	}
	out = binary.LittleEndian.AppendUint32(out, bitmapCookie)
	out = binary.LittleEndian.AppendUint32(out, uint32(containers))
	head := len(out) // 4 bytes for each container: its upper half and how many it has, less one
	out = append(out, make([]byte, 8*containers)...)
	start := head - 8
	for i, n := 0, 0; i < len(list); i += n {
		for n = 0; i+n < len(list) && list[i+n].doc>>16 == list[i].doc>>16; {
			n++
		}
		binary.LittleEndian.PutUint16(out[head:], uint16(list[i].doc>>16))
		binary.LittleEndian.PutUint16(out[head+2:], uint16(n-1))
		head += 4
		// After all of these, 4 bytes for each: where it begins.
		binary.LittleEndian.PutUint32(out[head+4*(containers-1):], uint32(len(out)-start))
		if n <= bitmapArray {
			for _, p := range list[i : i+n] {
				out = binary.LittleEndian.AppendUint16(out, uint16(p.doc))
			}
			continue
		}
		var words [bitmapWords]uint64
		for _, p := range list[i : i+n] {
			words[p.doc>>6%bitmapWords] |= 1 << (p.doc % 64)
		}
		for _, w := range words {
			out = binary.LittleEndian.AppendUint64(out, w)
		}
	}
	return out
}

func appendRuns(out []byte, list []posting) []byte {
	bits := roaring.New()
	for _, p := range list {
		bits.Add(uint32(p.doc))
	}
	b := bytes.NewBuffer(out)
	if _, err := bits.WriteTo(b); err != nil {
		panic(err) // memory takes everything
	}
	return b.Bytes()
}
