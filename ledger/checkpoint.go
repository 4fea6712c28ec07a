package ledger

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/patch-cat/patch-git/spec"
)

// Origin is the first line of the checkpoints of a registry's log, and the
// name of the key in their signatures.
func Origin(registry spec.RegistryName) string { return "patch-git/" + string(registry) }

// Checkpoint is the text of a C2SP tlog-checkpoint: origin, size, root.
func Checkpoint(registry spec.RegistryName, root LogRoot) string {
	return fmt.Sprintf("%s\n%d\n%s\n", Origin(registry), root.Size, base64.StdEncoding.EncodeToString(root.Root[:]))
}

// SignCheckpoint returns a signed note over the checkpoint. sign makes an
// ASN.1 ECDSA signature over the SHA-256 of the text.
func SignCheckpoint(registry spec.RegistryName, root LogRoot, keyDER []byte, sign func(text []byte) ([]byte, error)) ([]byte, error) {
	return note.Sign(&note.Note{Text: Checkpoint(registry, root)}, noteSigner{noteKey{Origin(registry), keyHash(keyDER)}, sign})
}

// OpenCheckpoint verifies a signed note of a registry's log and returns the
// root that it states. Only the one key counts; other signatures (witnesses)
// are passed over.
func OpenCheckpoint(data []byte, registry spec.RegistryName, keyDER []byte) (LogRoot, error) {
	pub, err := ParseKey(keyDER)
	if err != nil {
		return LogRoot{}, err
	}
	n, err := note.Open(data, note.VerifierList(noteVerifier{noteKey{Origin(registry), keyHash(keyDER)}, pub}))
	if err != nil {
		return LogRoot{}, fmt.Errorf("checkpoint: %s", spec.Quote(err.Error()))
	}
	return parseCheckpoint(n.Text, registry)
}

// parseCheckpoint reads the text of a checkpoint whose signature was verified.
func parseCheckpoint(text string, registry spec.RegistryName) (LogRoot, error) {
	lines := strings.SplitN(text, "\n", 4)
	if len(lines) != 4 || lines[0] != Origin(registry) {
		return LogRoot{}, errors.New("checkpoint is of another log")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || strconv.FormatInt(size, 10) != lines[1] {
		return LogRoot{}, fmt.Errorf("checkpoint has the size %s", spec.Quote(lines[1]))
	}
	root := LogRoot{Size: size}
	if err := root.check(); err != nil {
		return LogRoot{}, fmt.Errorf("checkpoint: %w", err)
	}
	hash, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || copy(root.Root[:], hash) != len(root.Root) || len(hash) != len(root.Root) {
		return LogRoot{}, errors.New("checkpoint has a root that is not a SHA-256")
	}
	return root, nil
}

// keyHash identifies an ECDSA key in a signed note: the first four bytes of
// the SHA-256 of its SubjectPublicKeyInfo (C2SP signed-note, type 0x02).
func keyHash(der []byte) uint32 {
	h := sha256.Sum256(der)
	return binary.BigEndian.Uint32(h[:])
}

type noteKey struct {
	name string
	hash uint32
}

func (k noteKey) Name() string    { return k.name }
func (k noteKey) KeyHash() uint32 { return k.hash }

type noteSigner struct {
	noteKey
	sign func([]byte) ([]byte, error)
}

func (s noteSigner) Sign(msg []byte) ([]byte, error) { return s.sign(msg) }

type noteVerifier struct {
	noteKey
	pub *ecdsa.PublicKey
}

func (v noteVerifier) Verify(msg, sig []byte) bool { return VerifyECDSA(v.pub, msg, sig) }

// VerifyECDSA checks an ASN.1 ECDSA signature over the SHA-256 of msg.
func VerifyECDSA(pub *ecdsa.PublicKey, msg, sig []byte) bool {
	h := sha256.Sum256(msg)
	return ecdsa.VerifyASN1(pub, h[:], sig)
}

// SignECDSA signs the SHA-256 of msg. The signature is deterministic (RFC
// 6979), so that sealing the same state twice writes the same bytes.
func SignECDSA(key *ecdsa.PrivateKey, msg []byte) ([]byte, error) {
	h := sha256.Sum256(msg)
	return key.Sign(nil, h[:], crypto.SHA256)
}
