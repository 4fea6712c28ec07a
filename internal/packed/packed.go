package packed

import (
	"errors"

	"github.com/klauspost/compress/zstd"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Pack returns the data as one frame.
func Pack(data []byte) ([]byte, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fault.New(fault.Internal, "pack", "pack: %w", err)
	}
	return e.EncodeAll(data, nil), e.Close()
}

// Unpack returns what was packed, which has at most max bytes. The error is of
// kind NotVerified: "too_large" where it has more, "packed" where it is damaged.
func Unpack(data []byte, max int64) ([]byte, error) { return unpack(data, max) }

// Apply makes the new file of the old one and a patch, with the faults of
// [Unpack].
func Apply(old, patch []byte, max int64) ([]byte, error) {
	return unpack(patch, max, zstd.WithDecoderDictRaw(0, old))
}

// smallest is the window of the smallest frame.
const smallest = 1 << 10

func unpack(data []byte, max int64, more ...zstd.DOption) ([]byte, error) {
	if max <= 0 {
		return nil, fault.New(fault.Internal, "unpack", "unpack: nothing is allowed")
	}
	room := uint64(min(max+smallest, 1<<40)) // less is no room for the shortest frame
	d, err := zstd.NewReader(nil, append(more, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(room))...)
	if err != nil {
		return nil, fault.New(fault.Internal, "unpack", "unpack: %w", err)
	}
	defer d.Close()
	out, err := d.DecodeAll(data, nil)
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return nil, fault.New(fault.NotVerified, "too_large", "it unpacks to more than %d bytes", max)
	case err != nil:
		return nil, fault.New(fault.NotVerified, "packed", "it is not packed as it should be: %w", err)
	case int64(len(out)) > max:
		return nil, fault.New(fault.NotVerified, "too_large", "it unpacks to more than %d bytes", max)
	}
	return out, nil
}
