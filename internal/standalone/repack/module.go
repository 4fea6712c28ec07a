package repack

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/standalone"
)

// listed is a file in the list that go-embed-python keeps beside its files.
type listed struct {
	Name       string      `json:"name"`
	Perm       fs.FileMode `json:"perm"`
	Symlink    string      `json:"symlink"`
	Compressed bool        `json:"compressed"`
}

// Module copies what a tool needs of an interpreter out of a folder of the Go
// module go-embed-python, such as python/internal/data/linux-amd64, to dest.
func Module(dir, dest string) error {
	data, err := os.ReadFile(filepath.Join(dir, "files.json"))
	if err != nil {
		return err
	}
	var list struct {
		Files []listed `json:"files"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, f := range list.Files {
		if f.Perm.IsDir() || !standalone.Kept(f.Name) || unused(f.Name) || unused(path.Join(path.Dir(f.Name), f.Symlink)) {
			continue
		}
		if err := f.copy(dir, dest); err != nil {
			return err
		}
	}
	return nil
}

// unused tells of the shared library of the interpreter, which is there for
// programs that embed it. The interpreter has it inside since 3.14.
func unused(name string) bool { return strings.HasPrefix(name, "lib/libpython3") }

func (f listed) copy(from, dest string) error {
	to := filepath.Join(dest, filepath.FromSlash(f.Name))
	if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
		return errors.New(f.Name + " is not inside")
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if f.Symlink != "" {
		return os.Symlink(f.Symlink, to)
	}
	source := filepath.Join(from, filepath.FromSlash(f.Name))
	if f.Compressed {
		source += ".gz"
	}
	data, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	if f.Compressed {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return err
		}
		if data, err = io.ReadAll(r); err != nil {
			return err
		}
	}
	return os.WriteFile(to, data, f.Perm.Perm()&0o755|0o644)
}
