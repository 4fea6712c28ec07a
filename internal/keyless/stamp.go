package keyless

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"math/big"

	"github.com/digitorus/timestamp"

	"github.com/patch-cat/patch-git/verify"
)

// stampVersions are those of a timestamp authority's interface that are spoken.
var stampVersions = []uint32{1}

// nonceBits make a timestamp's request unlike all others.
const nonceBits = 64

// stamp has an authority sign when it saw a signature. The address is whole:
// the signing configuration has the path too.
func (w *Workflow) stamp(ctx context.Context, address string, sig []byte) ([]byte, error) {
	nonce, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), nonceBits))
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(sig)
	// With its certificate, so that a reader can tell an authority that the
	// trusted root does not know from a time that does not verify.
	q := &timestamp.Request{HashAlgorithm: crypto.SHA256, HashedMessage: digest[:], Certificates: true, Nonce: nonce}
	query, err := q.Marshal()
	if err != nil {
		return nil, err
	}
	answer, err := w.post(ctx, address, "application/timestamp-query", query, serviceTime)
	if err != nil {
		return nil, err
	}
	return answer, checkStamp(answer, q)
}

// checkStamp refuses a timestamp that is not the answer to the request. Who
// signed it is for the registry's policy to say.
func checkStamp(answer []byte, q *timestamp.Request) error {
	got, err := readStamp(answer)
	switch {
	case err != nil:
		return fmt.Errorf("the timestamp authority's answer is not readable: %w", err)
	case got.HashAlgorithm != q.HashAlgorithm || !bytes.Equal(got.HashedMessage, q.HashedMessage):
		return refuse(verify.ReasonTime, "the timestamp is about something else than the signature")
	case got.Nonce == nil || got.Nonce.Cmp(q.Nonce) != 0:
		return refuse(verify.ReasonTime, "the timestamp answers another request")
	}
	return nil
}
