package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"encoding/base64"
	"encoding/hex"

	"github.com/patch-cat/patch-git/spec"
)

// A record is signed where it stands: its last member is the signature of all
// that stands before it, so that nothing has to be written anew to be checked.
// The content of a record is its line without that member; the chain is over
// contents, so that a record has its place before it has its signature.
const (
	sigStart = `,"sig":"`
	sigEnd   = "\"}\n"
	lineEnd  = "}\n"
)

// A signature is of one kind of document and of nothing else.
const (
	ofRecord    = "patch-git run record 1\x00"
	ofTombstone = "patch-git run tombstone 1\x00"
)

var sigSize = base64.RawURLEncoding.EncodedLen(ed25519.SignatureSize)

// sign appends the signature to a content of a kind.
func (k *keys) sign(kind string, content []byte) []byte {
	sig := ed25519.Sign(k.private, append([]byte(kind), content...))
	out := make([]byte, 0, len(content)+len(sigStart)+sigSize+len(sigEnd))
	out = append(out, bytes.TrimSuffix(content, []byte(lineEnd))...)
	out = append(out, sigStart...)
	out = base64.RawURLEncoding.AppendEncode(out, sig)
	return append(out, sigEnd...)
}

// contentOf takes the signature off a line; sig is nil where there is none.
func contentOf(line []byte) (content, sig []byte) {
	at := len(line) - len(sigEnd) - sigSize - len(sigStart)
	if at < 0 || !bytes.HasSuffix(line, []byte(sigEnd)) || !bytes.HasPrefix(line[at:], []byte(sigStart)) {
		return line, nil
	}
	sig, err := base64.RawURLEncoding.DecodeString(string(line[at+len(sigStart) : len(line)-len(sigEnd)]))
	if err != nil {
		return line, nil
	}
	return append(bytes.Clone(line[:at]), lineEnd...), sig
}

// digestOf is what the next record says of this one.
func digestOf(line []byte) spec.Digest {
	content, _ := contentOf(line)
	return spec.DigestOf(content)
}

// signedBy tells whether a line has the signature of a public key.
func signedBy(kind string, line []byte, key string) bool {
	public, err := base64.RawURLEncoding.DecodeString(key)
	content, sig := contentOf(line)
	return err == nil && len(public) == ed25519.PublicKeySize && sig != nil &&
		ed25519.Verify(public, append([]byte(kind), content...), sig)
}

// In a segment a content stands without its signature, which takes longer than
// all the rest, and with a code under the user's key instead, so that nobody can
// put a line there that is signed later.

// coded makes the line of a segment.
func (k *keys) coded(content []byte) []byte {
	line := append(bytes.Clone(bytes.TrimSuffix(content, []byte("\n"))), ' ')
	line = hex.AppendEncode(line, code(k.lines, content))
	return append(line, '\n')
}

// decoded takes the code off the line of a segment and tells whether it is right.
func (k *keys) decoded(line []byte) (content []byte, ok bool) {
	at := bytes.LastIndexByte(line, ' ')
	if at < 0 {
		return append(bytes.Clone(line), '\n'), false
	}
	content = append(bytes.Clone(line[:at]), '\n')
	sum, err := hex.DecodeString(string(line[at+1:]))
	return content, k != nil && err == nil && hmac.Equal(sum, code(k.lines, content))
}
