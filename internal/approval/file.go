package approval

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// What a code is for stands in it, so that a file of one kind is none of another.
const (
	kindAction     = "action"
	kindRemembered = "remembered"
	kindState      = "state" // of a request in several rounds
	kindSpent      = "spent"
)

// maxFile is what a file can be: the arguments as they are, and the rest.
const maxFile = limits.Arguments + limits.MiB

// code is over the kind and the name too: no file can take another's place.
func code(key []byte, kind, name string, body []byte) []byte {
	m := hmac.New(sha256.New, key)
	for _, part := range []string{kind, name} {
		m.Write(strconv.AppendInt(nil, int64(len(part)), 10))
		m.Write([]byte{':'})
		m.Write([]byte(part))
	}
	m.Write(body)
	return m.Sum(nil)
}

// wrap writes v below its code: one line of hexadecimal digits, then JSON.
func wrap(key []byte, kind, name string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	out := hex.AppendEncode(nil, code(key, kind, name, body))
	return append(append(out, '\n'), body...), nil
}

// errCode is what a file without our code is.
var errCode = errors.New("it does not carry this user's code")

// unwrap reads what wrap wrote with the same key, kind and name, and nothing else.
// Nothing of a file is parsed before its code was found right.
func unwrap(key []byte, kind, name string, file []byte, v any) error {
	line, body, found := bytes.Cut(file, []byte{'\n'})
	got := make([]byte, sha256.Size)
	if !found || len(line) != hex.EncodedLen(sha256.Size) {
		return errCode
	}
	if _, err := hex.Decode(got, line); err != nil || !hmac.Equal(got, code(key, kind, name, body)) {
		return errCode
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// save writes a file durably: a decision that a power cut takes back would be
// taken twice.
func (s *Store) save(kind, name string, v any) error {
	key, err := s.key()
	if err != nil {
		return err
	}
	file, err := wrap(key, kind, name, v)
	if err != nil {
		return err
	}
	return durable.WriteFile(s.path(kind, name), file, 0o600)
}

// load reads a file. A missing one is fs.ErrNotExist, one that is not ours is of
// kind NotVerified and reason "approval_damaged".
func (s *Store) load(kind, name string, v any) error {
	path := s.path(kind, name)
	file, err := durable.ReadFileNoFollow(path, maxFile)
	if err == nil {
		var key []byte
		if key, err = s.key(); err != nil {
			return err
		}
		err = unwrap(key, kind, name, file, v)
	} else if errors.Is(err, fs.ErrNotExist) || fault.KindOf(err) == fault.Unavailable {
		return err
	}
	if err != nil {
		return fault.New(fault.NotVerified, "approval_damaged", "%s is not believed: %w", strconv.Quote(path), err).
			Hint("somebody changed it, or its key; remove it, and have the tool called again")
	}
	return nil
}

func (s *Store) path(kind, name string) string { return filepath.Join(s.dir, kind, name) }

// names lists the files of a kind.
func (s *Store) names(kind string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, kind))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if !durable.IsTemp(e.Name()) && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	return out, durable.Classify("list", filepath.Join(s.dir, kind), err)
}

// sweep removes the files of a kind that were last changed so long ago that
// nothing in them can hold any more.
func (s *Store) sweep(kind string, age time.Duration) {
	dir := filepath.Join(s.dir, kind)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if i, err := e.Info(); err == nil && s.now().Sub(i.ModTime()) > age {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
