package standalone

import (
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Archive is an interpreter that came with this program.
type Archive struct {
	Version string      // "3.14.6"
	Date    string      // when the interpreter was built, "20260610"
	SHA256  spec.Digest // of the archive
	Size    int64       // of the archive, in bytes
	content string
}

// Embedded returns the interpreter that this program was built with, by the
// build tag embedpy; nil where there is none, or none for this platform.
func Embedded(goos, goarch string) *Archive {
	a, err := NewArchive(facts, content, goos, goarch)
	if err != nil {
		return nil
	}
	return a
}

// NewArchive is an archive that is held in memory, with what docs/python/embed
// wrote of it: one line like those of the table.
func NewArchive(facts, content, goos, goarch string) (*Archive, error) {
	b, err := parseBuild(strings.Fields(facts))
	if err != nil {
		return nil, err
	}
	if b.GOOS != goos || b.GOARCH != goarch {
		return nil, errors.New("it is for another platform")
	}
	return &Archive{Version: b.Version, Date: b.Date, SHA256: b.SHA256, Size: int64(len(content)), content: content}, nil
}

// Minor is the version that manifests name: "3.14".
func (a *Archive) Minor() string { return Build{Version: a.Version}.Minor() }

// ID names the archive in folders. A folder with another ID belongs to another
// release of this program.
func (a *Archive) ID() string { return EmbeddedPrefix + a.Version + "-" + a.SHA256.Short() }

// EmbeddedPrefix begins the ID of every embedded interpreter.
const EmbeddedPrefix = "embedded-"

// Age is how long ago the interpreter was built.
func (a *Archive) Age(now time.Time) time.Duration {
	t, err := time.Parse("20060102", a.Date)
	if err != nil {
		return 0
	}
	return now.Sub(t)
}

// Unpack puts the interpreter into dest, an existing empty directory, with
// [Unpack]'s errors. An archive that is not what its digest says, in a program
// that was damaged, is NotVerified "python_digest".
func (a *Archive) Unpack(dest string) error {
	sum := sha256.New()
	if _, err := io.Copy(sum, strings.NewReader(a.content)); err != nil {
		return err
	}
	if spec.Digest(sum.Sum(nil)) != a.SHA256 {
		return fault.New(fault.NotVerified, "python_digest", "the interpreter in this program is damaged").
			Hint("install patch-git again")
	}
	return Unpack(strings.NewReader(a.content), dest, Options{Bytecode: true})
}
