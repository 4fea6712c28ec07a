package registry

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// Bounds of what a remote may make us store and unpack. A pack is compressed
// twice over: by zlib and by deltas that copy from other objects, and a few
// kilobytes of either can stand for gigabytes.
const (
	maxPackBytes   = 1 << 30
	maxPackObjects = 2_000_000
	maxPackObject  = limits.Catalogue // the largest file that a tree may have
	maxPackTotal   = 8 << 30          // of all objects, unpacked
)

// checkPack reads a pack once, unpacking nothing to keep, and refuses one that
// breaks the bounds before go-git resolves its deltas in memory.
func checkPack(r io.Reader) error {
	s := packfile.NewScanner(r)
	_, count, err := s.Header()
	if err != nil {
		return packFault("%w", err)
	}
	if count > maxPackObjects {
		return packFault("it has %d objects, allowed are %d", count, maxPackObjects)
	}
	var total int64
	for range count {
		h, err := s.NextObjectHeader()
		if err != nil {
			return packFault("%w", err)
		}
		if h.Length > maxPackObject {
			return packFault("an object has %d bytes, allowed are %d", h.Length, maxPackObject)
		}
		size := h.Length
		if h.Type == plumbing.OFSDeltaObject || h.Type == plumbing.REFDeltaObject {
			var head deltaHead
			if _, _, err := s.NextObject(&head); err != nil {
				return packFault("%w", err)
			}
			if size, err = head.target(); err != nil {
				return packFault("%w", err)
			}
		} else if _, _, err := s.NextObject(io.Discard); err != nil {
			return packFault("%w", err)
		}
		if total += size; size > maxPackObject || total > maxPackTotal {
			return packFault("its objects have more bytes than allowed")
		}
	}
	return nil
}

func packFault(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return fault.New(fault.Unavailable, "git_pack", "the pack that the remote sent is refused: %s", plain(err.Error()))
}

// deltaHead keeps the first bytes of a delta, which state two sizes: of what
// it is applied to and of what comes out.
type deltaHead struct{ buf []byte }

func (d *deltaHead) Write(p []byte) (int, error) {
	if room := 20 - len(d.buf); room > 0 {
		d.buf = append(d.buf, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

// target is the second size: base-128 numbers, lowest first.
func (d *deltaHead) target() (int64, error) {
	var n int64
	for which, shift, i := 0, 0, 0; i < len(d.buf); i++ {
		if shift > 56 {
			break
		}
		n |= int64(d.buf[i]&0x7f) << shift
		shift += 7
		if d.buf[i]&0x80 != 0 {
			continue
		}
		if which == 1 {
			return n, nil
		}
		which, shift, n = 1, 0, 0
	}
	return 0, errors.New("a delta does not state its size")
}
