package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
)

// keys are what one user's key is good for. One secret in a file makes them, so
// that there is one file to guard; none of them leads back to it or to another.
type keys struct {
	private ed25519.PrivateKey // signs records
	values  []byte             // makes the codes that stand where a secret was
	outputs []byte             // makes the codes of whole outputs
	lines   []byte             // makes the codes of lines that are not signed yet
	name    string             // the public key, as records have it
}

// newKeys derives the keys (HKDF-SHA-256).
func newKeys(secret []byte) (*keys, error) {
	var k keys
	for _, d := range []struct {
		use  string
		take func([]byte)
	}{
		{"patch-git audit signature", func(b []byte) { k.private = ed25519.NewKeyFromSeed(b) }},
		{"patch-git audit value", func(b []byte) { k.values = b }},
		{"patch-git audit output", func(b []byte) { k.outputs = b }},
		{"patch-git audit line", func(b []byte) { k.lines = b }},
	} {
		b, err := hkdf.Key(sha256.New, secret, nil, d.use, ed25519.SeedSize)
		if err != nil {
			return nil, fmt.Errorf("derive a key: %w", err)
		}
		d.take(b)
	}
	k.name = base64.RawURLEncoding.EncodeToString(k.private.Public().(ed25519.PublicKey))
	return &k, nil
}

// loadKeys reads the user's key, and makes it the first time. One that others can
// read is refused: whoever knows it can guess what was struck, and sign.
func loadKeys(path string) (*keys, error) {
	secret, err := durable.Key(path)
	if err != nil {
		return nil, fmt.Errorf("key of the records: %w", err)
	}
	return newKeys(secret)
}

// peek returns the user's keys without making any: nil where there is none.
func (j *Journal) peek() (*keys, error) {
	if _, err := os.Lstat(j.keyPath()); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return j.keys()
}

func (j *Journal) keyPath() string { return filepath.Join(j.audit, "key") }

// codeSize is how many bytes of a code stand where a secret was. The key keeps
// it from being guessed; the length only keeps two values apart.
const codeSize = 16

// code tells whether two secrets are the same, to who has neither.
func (k *keys) code(value string) string {
	return hex.EncodeToString(code(k.values, []byte(value))[:codeSize])
}

func code(key, value []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(value)
	return m.Sum(nil)
}

// OutputCode is the code under the user's key of an output before anything was
// struck from it. Two outputs have the same code if they are the same JSON but
// for white space, the order of members and the spelling of strings; numbers
// count as they are spelled. So a replay can be compared with a run whose output
// is not kept in full, and nobody can guess the output from the code [AR-54].
func (j *Journal) OutputCode(output json.RawMessage) (string, error) {
	k, err := j.keys()
	if err != nil {
		return "", err
	}
	return k.output(output)
}

func (k *keys) output(output json.RawMessage) (string, error) {
	plain, err := canonical(output)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(code(k.outputs, plain)), nil
}

// canonical writes JSON in one spelling.
func canonical(text json.RawMessage) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fault.New(fault.Usage, "output", "output is no JSON: %w", err)
	}
	return json.Marshal(v) // members in the order of their names
}
