package keyless

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"fmt"

	protorekor "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/patch-cat/patch-git/ledger"
)

// logVersions are those of a transparency log's interface that are spoken.
var logVersions = []uint32{rekorV1, rekorV2}

const (
	rekorV1 = 1
	rekorV2 = 2
)

// signed is a statement with its signature, and the certificate of the key.
type signed struct {
	payload, sig []byte
	leaf         *x509.Certificate
}

// enter puts a signature into a log and returns the log's proof that it is
// there. Whether the proof holds, and whether it is about this signature, is
// not asked here: the check of the whole bundle asks it.
func (w *Workflow) enter(ctx context.Context, log root.Service, s *signed) (*protorekor.TransparencyLogEntry, error) {
	if log.MajorAPIVersion == rekorV1 {
		answer, err := w.postJSON(ctx, log.URL, "api/v1/log/entries", newDSSEEntry(s), logTime)
		if err != nil {
			return nil, err
		}
		return parseEntryV1(answer)
	}
	answer, err := w.postJSON(ctx, log.URL, "api/v2/log/entries", newHashedRekord(s), logTime)
	if err != nil {
		return nil, err
	}
	return parseEntryV2(answer)
}

// hashedRekord asks a log of version 2 for an entry of version 0.0.2.
type hashedRekord struct {
	Request struct {
		Digest    []byte `json:"digest"`
		Signature struct {
			Content  []byte `json:"content"`
			Verifier struct {
				Certificate struct {
					Raw []byte `json:"rawBytes"`
				} `json:"x509Certificate"`
				KeyDetails string `json:"keyDetails"`
			} `json:"verifier"`
		} `json:"signature"`
	} `json:"hashedRekordRequestV002"`
}

func newHashedRekord(s *signed) *hashedRekord {
	var h hashedRekord
	digest := sha256.Sum256(ledger.PAE(ledger.PayloadType, s.payload))
	h.Request.Digest, h.Request.Signature.Content = digest[:], s.sig
	h.Request.Signature.Verifier.Certificate.Raw = s.leaf.Raw
	h.Request.Signature.Verifier.KeyDetails = "PKIX_ECDSA_P256_SHA_256"
	return &h
}

// parseEntryV2 reads the answer of a log of version 2, which is the very part
// of a bundle that is wanted.
func parseEntryV2(answer []byte) (*protorekor.TransparencyLogEntry, error) {
	var e protorekor.TransparencyLogEntry
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(answer, &e); err != nil {
		return nil, fmt.Errorf("the log's answer is not readable: %w", err)
	}
	return &e, nil
}
