package registry

import "context"

// Source reads the files of one published tree. Paths are those of package
// ledger, relative to the tree's v1/ folder. What it returns is not verified.
type Source interface {
	// Read returns the whole file, which has at most max bytes. The error is
	// fs.ErrNotExist where the source is sure that there is no such file, a
	// fault of kind Unavailable where it could not tell, and one of kind
	// NotVerified where what is there cannot be a file of a tree: it has more
	// bytes ("too_large"), is no regular file ("not_regular"), or the path
	// itself is none ("unsafe_path"). Many goroutines may read at once.
	Read(ctx context.Context, path string, max int64) ([]byte, error)

	// Refresh returns a source that answers the same questions past every
	// cache on the way. A source without caches returns itself.
	Refresh() Source

	// Location is the address, fit to be shown: without passwords.
	Location() string
}

// Store is a Source that can be written. A publication writes through it.
type Store interface {
	Source

	// Write replaces a file in one step: a reader sees the old or the new
	// bytes, never a mix, also after a crash. What lasts is true of files for
	// which durable is set; others can be rebuilt and may be lost by a power cut.
	Write(ctx context.Context, path string, data []byte, durable bool) error

	// Remove deletes a file; one that is not there is no error.
	Remove(ctx context.Context, path string) error

	// List returns the paths of all files below a folder, sorted; none when
	// there is no such folder.
	List(ctx context.Context, dir string) ([]string, error)
}
