package keyless

import (
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	protocommon "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	protorekor "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// The entry that a log of version 1 is asked for.
const (
	dsseKind    = "dsse"
	dsseVersion = "0.0.1"
)

// dsseEntry asks a log of version 1 for an entry about an envelope.
type dsseEntry struct {
	Kind    string `json:"kind"`
	Version string `json:"apiVersion"`
	Spec    struct {
		Proposed struct {
			Envelope  string   `json:"envelope"`  // JSON in a string
			Verifiers [][]byte `json:"verifiers"` // certificates, each in PEM
		} `json:"proposedContent"`
	} `json:"spec"`
}

func newDSSEEntry(s *signed) *dsseEntry {
	e := &dsseEntry{Kind: dsseKind, Version: dsseVersion}
	// Bytes and strings alone: that cannot fail.
	envelope, _ := json.Marshal(ledger.Envelope{
		Payload: s.payload, PayloadType: ledger.PayloadType, Signatures: []ledger.Signature{{Sig: s.sig}},
	})
	e.Spec.Proposed.Envelope = string(envelope)
	e.Spec.Proposed.Verifiers = [][]byte{pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.leaf.Raw})}
	return e
}

// hexBytes are bytes that JSON has in hexadecimal.
type hexBytes []byte

// UnmarshalText refuses half a byte.
func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// entryV1 is an entry as a log of version 1 states it. Its two indexes differ:
// its own counts through all shards of the log, the proof's in this one alone.
type entryV1 struct {
	Body           []byte   `json:"body"`
	IntegratedTime int64    `json:"integratedTime"`
	LogID          hexBytes `json:"logID"`
	LogIndex       int64    `json:"logIndex"`
	Verification   struct {
		Proof struct {
			Checkpoint string     `json:"checkpoint"`
			Hashes     []hexBytes `json:"hashes"`
			LogIndex   int64      `json:"logIndex"`
			RootHash   hexBytes   `json:"rootHash"`
			TreeSize   int64      `json:"treeSize"`
		} `json:"inclusionProof"`
		Promise []byte `json:"signedEntryTimestamp"`
	} `json:"verification"`
}

// parseEntryV1 reads the answer of a log of version 1: one entry, by a name
// that says nothing which the entry does not.
func parseEntryV1(answer []byte) (*protorekor.TransparencyLogEntry, error) {
	var doc map[string]entryV1
	if err := json.Unmarshal(answer, &doc); err != nil {
		return nil, fmt.Errorf("the log's answer is not readable: %w", err)
	}
	if len(doc) != 1 {
		return nil, fmt.Errorf("the log's answer has %d entries, not one", len(doc))
	}
	var e entryV1
	for _, e = range doc {
	}
	if e.Verification.Proof.Checkpoint == "" || len(e.Verification.Promise) == 0 {
		return nil, errors.New("the log's answer has no proof")
	}
	var body struct {
		Kind    string `json:"kind"`
		Version string `json:"apiVersion"`
	}
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return nil, fmt.Errorf("the log's entry is not readable: %w", err)
	}
	if body.Kind != dsseKind || body.Version != dsseVersion {
		return nil, refuse(verify.ReasonLog, "the log entered %s of version %s, not what it was asked to", spec.Quote(body.Kind), spec.Quote(body.Version))
	}
	p := e.Verification.Proof
	hashes := make([][]byte, len(p.Hashes))
	for i, h := range p.Hashes {
		hashes[i] = h
	}
	return &protorekor.TransparencyLogEntry{
		LogIndex:          e.LogIndex,
		LogId:             &protocommon.LogId{KeyId: e.LogID},
		KindVersion:       &protorekor.KindVersion{Kind: body.Kind, Version: body.Version},
		IntegratedTime:    e.IntegratedTime,
		InclusionPromise:  &protorekor.InclusionPromise{SignedEntryTimestamp: e.Verification.Promise},
		CanonicalizedBody: e.Body,
		InclusionProof: &protorekor.InclusionProof{
			LogIndex: p.LogIndex, RootHash: p.RootHash, TreeSize: p.TreeSize, Hashes: hashes,
			Checkpoint: &protorekor.Checkpoint{Envelope: p.Checkpoint},
		},
	}, nil
}
