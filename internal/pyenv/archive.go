package pyenv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// The standard library's zip reader accepts what a wheel never needs: bytes
// before and after the archive, comments, several end records, 64-bit fields,
// entries that share their data, local headers that contradict the directory.
// Each is a way to show one content to a reviewer and another to a client, or
// to unpack a few kilobytes into terabytes. So the frame is read here, with
// one reading of every byte, and everything else is refused (APPNOTE 6.3.10
// has the layouts).
const (
	endSize     = 22
	endMagic    = 0x06054b50
	centralSize = 46
	centralSign = 0x02014b50
	localSize   = 30
	localMagic  = 0x04034b50

	flagEncrypted  = 1 << 0
	flagDescriptor = 1 << 3 // sizes and CRC follow the data
	flagStrong     = 1 << 6
	flagUTF8       = 1 << 11
	flagMasked     = 1 << 13

	methodStore   = 0
	methodDeflate = 8
)

// entry is one member of an archive, as its central directory describes it.
type entry struct {
	name   string
	dir    bool
	method uint16
	crc    uint32
	packed int64  // bytes in the archive
	size   int64  // bytes unpacked
	data   int64  // where the packed bytes begin
	header int64  // where the local header begins
	target string // where it goes, below the environment; set while unpacking
}

// readArchive reads the frame of a wheel and returns its members in the order
// of the directory. When it returns nil, no two members share a byte, every
// declared size is within the limits, and their sum within the cap and ratio;
// whether the data keeps the promise is checked while unpacking.
func readArchive(r io.ReaderAt, size int64) ([]entry, error) {
	if size > limits.WheelBytes {
		return nil, fmt.Errorf("archive has %d bytes, allowed are %d", size, limits.WheelBytes)
	}
	dir, at, count, err := readDirectory(r, size)
	if err != nil {
		return nil, err
	}
	entries := make([]entry, 0, count)
	var total int64
	for range count {
		e, rest, err := parseCentral(dir)
		if err != nil {
			return nil, err
		}
		if dir = rest; e.header > at || e.packed > at {
			return nil, fmt.Errorf("member %s lies outside of the archive", spec.Quote(e.name))
		}
		if err := readLocal(r, &e); err != nil {
			return nil, err
		}
		if total += e.size; total > limits.WheelContent {
			return nil, fmt.Errorf("archive unpacks to more than %d bytes", limits.WheelContent)
		}
		entries = append(entries, e)
	}
	switch {
	case len(dir) != 0:
		return nil, errors.New("archive's directory holds more than its members")
	case total-limits.MiB > limits.WheelRatio*size:
		return nil, fmt.Errorf("archive of %d bytes unpacks to %d, more than %d times as many", size, total, limits.WheelRatio)
	}
	return entries, checkOverlap(entries, at)
}

// readDirectory finds the end record, which must be the last bytes, and reads
// the central directory, which must come right before it.
func readDirectory(r io.ReaderAt, size int64) (dir []byte, at int64, count int, err error) {
	end := make([]byte, endSize)
	if size < endSize {
		return nil, 0, 0, errors.New("file is too short to be an archive")
	}
	if _, err := r.ReadAt(end, size-endSize); err != nil {
		return nil, 0, 0, fmt.Errorf("read the end of the archive: %w", err)
	}
	le := binary.LittleEndian
	here, total := le.Uint16(end[8:]), le.Uint16(end[10:])
	length, offset := int64(le.Uint32(end[12:])), int64(le.Uint32(end[16:]))
	switch {
	case le.Uint32(end) != endMagic || le.Uint16(end[20:]) != 0:
		return nil, 0, 0, errors.New("archive does not end with its end record")
	case le.Uint32(end[4:]) != 0 || here != total:
		return nil, 0, 0, errors.New("archive has several parts")
	case int(total) > limits.WheelFiles:
		return nil, 0, 0, fmt.Errorf("archive has %d members, allowed are %d", total, limits.WheelFiles)
	case offset+length != size-endSize:
		return nil, 0, 0, errors.New("archive has bytes between its directory and its end")
	case length < int64(total)*centralSize:
		return nil, 0, 0, errors.New("archive's directory is too short for its members")
	}
	// The limit on members bounds the directory too: 64 KiB is what one
	// member could declare, 1 KiB is more than any honest one needs.
	if length > int64(total)*limits.KiB {
		return nil, 0, 0, errors.New("archive's directory is too long for its members")
	}
	dir = make([]byte, length)
	if _, err := r.ReadAt(dir, offset); err != nil {
		return nil, 0, 0, fmt.Errorf("read the archive's directory: %w", err)
	}
	return dir, offset, int(total), nil
}

// parseCentral reads one directory header from the front of b.
func parseCentral(b []byte) (e entry, rest []byte, err error) {
	le := binary.LittleEndian
	if len(b) < centralSize || le.Uint32(b) != centralSign {
		return e, nil, errors.New("archive's directory is damaged")
	}
	names, extra, comment := int(le.Uint16(b[28:])), int(le.Uint16(b[30:])), int(le.Uint16(b[32:]))
	whole := centralSize + names + extra + comment
	if len(b) < whole {
		return e, nil, errors.New("archive's directory is cut short")
	}
	flags := le.Uint16(b[8:])
	e = entry{
		name:   string(b[centralSize : centralSize+names]),
		method: le.Uint16(b[10:]),
		crc:    le.Uint32(b[16:]),
		packed: int64(le.Uint32(b[20:])),
		size:   int64(le.Uint32(b[24:])),
		header: int64(le.Uint32(b[42:])),
	}
	e.dir = names > 0 && e.name[names-1] == '/'
	quoted := spec.Quote(e.name)
	const marker = 1<<32 - 1 // "look in the 64-bit field"
	switch {
	case flags&(flagEncrypted|flagStrong|flagMasked) != 0:
		return e, nil, fmt.Errorf("member %s is encrypted", quoted)
	case !utf8.ValidString(e.name) || flags&flagUTF8 == 0 && !ascii(e.name):
		return e, nil, fmt.Errorf("member %s has a name that is not UTF-8", quoted)
	case e.method != methodStore && e.method != methodDeflate:
		return e, nil, fmt.Errorf("member %s has compression method %d", quoted, e.method)
	case e.packed == marker || e.size == marker || e.header == marker || le.Uint16(b[34:]) != 0:
		return e, nil, fmt.Errorf("member %s has 64-bit sizes or lies in another part", quoted)
	case e.method == methodStore && e.packed != e.size:
		return e, nil, fmt.Errorf("member %s is stored with two sizes", quoted)
	case e.dir && e.size != 0:
		return e, nil, fmt.Errorf("directory %s has content", quoted)
	}
	if err := checkMode(b, e.dir); err != nil {
		return e, nil, fmt.Errorf("member %s: %w", quoted, err)
	}
	return e, b[whole:], nil
}

// checkMode looks at the file type that the archive was packed with. It is
// read whatever system the header names, because unpackers differ in whether
// they look at that byte.
func checkMode(central []byte, dir bool) error {
	const typeMask, typeRegular, typeDir = 0xf000, 0x8000, 0x4000
	switch mode := binary.LittleEndian.Uint32(central[38:]) >> 16 & typeMask; {
	case mode == 0, mode == typeRegular && !dir, mode == typeDir && dir:
		return nil
	}
	return errors.New("it is a link or another special file")
}

// readLocal reads the header in front of the data and compares it with the
// directory.
func readLocal(r io.ReaderAt, e *entry) error {
	quoted := spec.Quote(e.name)
	b := make([]byte, localSize+len(e.name))
	if _, err := r.ReadAt(b, e.header); err != nil {
		return fmt.Errorf("read the header of member %s: %w", quoted, err)
	}
	le := binary.LittleEndian
	names, extra := int(le.Uint16(b[26:])), int64(le.Uint16(b[28:]))
	if le.Uint32(b) != localMagic || names != len(e.name) || string(b[localSize:]) != e.name || le.Uint16(b[8:]) != e.method {
		return fmt.Errorf("member %s has a header that contradicts the directory", quoted)
	}
	// Writers that stream leave zeros, or the 64-bit marker, and put the
	// truth behind the data; the directory has it too.
	streamed := le.Uint16(b[6:])&flagDescriptor != 0
	if !streamed && (le.Uint32(b[14:]) != e.crc || int64(le.Uint32(b[18:])) != e.packed || int64(le.Uint32(b[22:])) != e.size) {
		return fmt.Errorf("member %s has a header with other sizes than the directory", quoted)
	}
	e.data = e.header + localSize + int64(names) + extra
	return nil
}

// checkOverlap refuses members that share bytes with each other or with the
// directory: the trick of bombs that need no nesting.
func checkOverlap(entries []entry, directory int64) error {
	order := slices.Clone(entries)
	slices.SortFunc(order, func(a, b entry) int { return int(a.header - b.header) })
	for i, e := range order {
		end := directory
		if i+1 < len(order) {
			end = order[i+1].header
		}
		if e.data+e.packed > end {
			return fmt.Errorf("member %s overlaps what follows it", spec.Quote(e.name))
		}
	}
	if len(order) > 0 && order[0].header != 0 {
		return errors.New("archive does not begin with its first member")
	}
	return nil
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
