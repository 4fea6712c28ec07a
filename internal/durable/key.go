package durable

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strconv"

	"github.com/patch-cat/patch-git/internal/fault"
)

// keySize is how many bytes a key has; the file has them in hexadecimal.
const keySize = 32

// Key reads the 32 random bytes at path, which are made the first time. Many
// processes may be first at once: all get the same. A file that is not the user's
// own, that others can read, that is a link or that holds no key is an error of
// kind NotVerified and reason "key_damaged", and stays as it is: what was made
// under a key that somebody else knows proves nothing.
func Key(path string) ([]byte, error) {
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key = make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	err = WriteImmutable(path, hex.AppendEncode(nil, key), 0o600)
	if fault.ReasonOf(err) == "immutable" { // another process was first
		return readKey(path)
	}
	return key, err
}

func readKey(path string) ([]byte, error) {
	i, err := os.Lstat(path)
	if err != nil {
		return nil, Classify("read", path, err)
	}
	if !private(i) {
		return nil, badKey(path, "is not a file of yours that only you can read")
	}
	text, err := ReadFileNoFollow(path, 2*keySize)
	if err != nil && fault.ReasonOf(err) != reasonTooLarge {
		return nil, err
	}
	key, hexErr := hex.DecodeString(string(text))
	if err != nil || hexErr != nil || len(key) != keySize {
		return nil, badKey(path, "holds no key")
	}
	return key, nil
}

func badKey(path, what string) error {
	return fault.New(fault.NotVerified, "key_damaged", "%s %s", strconv.Quote(path), what).
		Hint("look at who changed it; removing it makes a new key, and nothing that was made under the old one is believed any more")
}
