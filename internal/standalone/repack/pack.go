package repack

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/standalone"
)

// Pack writes what is below dir as an archive in which nothing depends on when,
// where and by whom it was made. level is gzip's.
func Pack(w io.Writer, dir string, level int) error {
	packed, err := gzip.NewWriterLevel(w, level)
	if err != nil {
		return err
	}
	out := tar.NewWriter(packed)
	// WalkDir goes by the order of names.
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		return add(out, file, path.Join(standalone.Top, filepath.ToSlash(rel)), d)
	})
	if err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return packed.Close()
}

func add(out *tar.Writer, file, name string, d fs.DirEntry) error {
	if d.Type()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(file)
		if err != nil {
			return err
		}
		return out.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: to, Mode: 0o777})
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	mode := int64(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(data)), Mode: mode}); err != nil {
		return err
	}
	_, err = out.Write(data)
	return err
}
