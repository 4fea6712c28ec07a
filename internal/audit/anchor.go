package audit

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
)

// The anchor: a signed note, apart from the records, of a record that reached the
// disk. A chain alone looks whole when its end is cut off; with the anchor whoever
// cuts it must also hold an older anchor or the key. It lags behind the chain
// by what the disk does not have yet.

// anchored says what its signature is of.
const anchored = "patch-git run anchor 1\n"

func (j *Journal) anchorPath() string { return filepath.Join(j.audit, "head") }

// anchorText is the note, which has the same length at all times.
func (k *keys) anchorText(l link) string {
	text := anchored + l.String()
	return text + base64.RawURLEncoding.EncodeToString(ed25519.Sign(k.private, []byte(text))) + "\n"
}

var anchorSize = len(anchored) + linkSize + sigSize + 1

// readAnchor returns the anchor. That it is missing is fs.ErrNotExist; that it is
// not ours is fault.NotVerified with reason "anchor".
func (j *Journal) readAnchor(k *keys) (link, error) {
	b, err := durable.ReadFileNoFollow(j.anchorPath(), int64(anchorSize))
	if err != nil && fault.KindOf(err) != fault.Findings {
		return link{}, err
	}
	text := string(b)
	if rest, ok := strings.CutPrefix(text, anchored); ok && len(text) == anchorSize {
		if l, err := parseLink([]byte(rest[:linkSize])); err == nil && k != nil && text == k.anchorText(l) {
			return l, nil // Ed25519 signs the same text the same way each time
		}
	}
	return link{}, fault.New(fault.NotVerified, "anchor", "the anchor of the records (%s) is damaged or not yours", j.anchorPath())
}

// firstAnchor makes the anchor that says that nothing was recorded yet, unless
// there is one.
func (j *Journal) firstAnchor(k *keys) error {
	if _, err := os.Lstat(j.anchorPath()); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return durable.WriteFile(j.anchorPath(), []byte(k.anchorText(link{})), filePerm)
}

// anchor moves the anchor on to a record that is on the disk. One that is missing
// or damaged stays so, for a person to see.
func (j *Journal) anchor(k *keys, l link) error {
	old, err := j.readAnchor(k)
	if err != nil || old.seq >= l.seq {
		return nil //nolint:nilerr // Check says it
	}
	return overwrite(j.anchorPath(), k.anchorText(l))
}

// Accept takes what is there for what should be there, from now on: the anchor is
// set to the last record. It is for a person who knows why records are missing,
// such as after a backup was put back.
func (j *Journal) Accept() error {
	k, err := j.keys()
	if err != nil {
		return err
	}
	l, err := j.head()
	if err != nil {
		return err
	}
	if err := durable.WriteFile(j.anchorPath(), []byte(k.anchorText(l)), filePerm); err != nil {
		return fmt.Errorf("set the anchor: %w", err)
	}
	return nil
}

// overwrite changes a file of one length in place. It is one write, which a kill
// cannot tear, and much cheaper than another file and a rename.
func overwrite(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, filePerm)
	if err != nil {
		return durable.Classify("write", path, err)
	}
	_, err = f.WriteAt([]byte(text), 0)
	if err == nil {
		err = f.Truncate(int64(len(text))) // nothing is behind it
	}
	return durable.Classify("write", path, errors.Join(err, f.Close()))
}
