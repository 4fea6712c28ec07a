package sandbox

import (
	"bytes"
	"io"
)

// readChunk is what one read takes from a pipe, the size of its buffer.
const readChunk = 64 << 10

// readHead reads r to its end and keeps the first limit bytes. It calls full
// once, when there is more; the writer then has to be killed, for nothing
// reads further. heard, where it is not nil, is given what came when that ends
// with a line for the first time, unless it is long: then looking at it twice
// would cost more than the time it is meant to save.
func readHead(r io.Reader, limit int64, full func(), heard func([]byte)) []byte {
	var kept []byte
	buf := make([]byte, readChunk)
	for {
		n, err := r.Read(buf)
		if room := limit - int64(len(kept)); int64(n) > room {
			full()
			return append(kept, buf[:room]...)
		}
		kept = append(kept, buf[:n]...)
		if err != nil {
			return kept
		}
		if heard != nil && n > 0 && len(kept) <= readChunk && bytes.HasSuffix(kept, []byte("\n")) {
			heard(kept)
			heard = nil
		}
	}
}

// readTail reads r to its end and keeps the last limit bytes, since a
// traceback ends with what matters. cut tells that there were more.
func readTail(r io.Reader, limit int64) (kept []byte, cut bool) {
	buf := make([]byte, readChunk)
	for {
		n, err := r.Read(buf)
		kept = append(kept, buf[:n]...)
		// Twice the limit may pile up before the front is dropped: one copy
		// per limit bytes, not one per read.
		if over := int64(len(kept)) - limit; over > limit || (err != nil && over > 0) {
			kept = append(kept[:0], kept[over:]...)
			cut = true
		}
		if err != nil {
			return kept, cut
		}
	}
}
