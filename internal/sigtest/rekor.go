package sigtest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"

	"github.com/cyberphone/json-canonicalization/go/src/webpki.org/jsoncanonicalizer"
	protocommon "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	protorekor "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	rekorpb "github.com/sigstore/rekor-tiles/v2/pkg/generated/protobuf"
	rekornote "github.com/sigstore/rekor-tiles/v2/pkg/note"
	"github.com/sigstore/rekor-tiles/v2/pkg/types/hashedrekord"
	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"google.golang.org/protobuf/encoding/protojson"
)

// rekorOrigin names the log in its checkpoints. It is also the host of the log's
// address in the trusted root: verifiers compare the two.
const rekorOrigin = "rekor.test"

// rekor is a transparency log of version 2. It keeps the hashes of its tree, not
// the entries, which nobody asks it for.
type rekor struct {
	public    ed25519.PublicKey
	id        []byte
	signer    note.Signer
	supported *signature.AlgorithmRegistryConfig

	mu     sync.Mutex
	hashes []tlog.Hash         // as package tlog stores a tree
	at     map[tlog.Hash]int64 // the entries by their leaf hashes
}

func newRekor() (*rekor, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	key, err := signature.LoadED25519Signer(private)
	if err != nil {
		return nil, err
	}
	signer, err := rekornote.NewNoteSigner(context.Background(), rekorOrigin, key)
	if err != nil {
		return nil, err
	}
	// The log's id is the hash that a note states four bytes of.
	_, id, err := rekornote.KeyHash(rekorOrigin, public)
	if err != nil {
		return nil, err
	}
	supported, err := signature.NewAlgorithmRegistryConfig([]protocommon.PublicKeyDetails{protocommon.PublicKeyDetails_PKIX_ECDSA_P256_SHA_256})
	if err != nil {
		return nil, err
	}
	return &rekor{public: public, id: id, signer: signer, supported: supported, at: map[tlog.Hash]int64{}}, nil
}

// presentError says that the log has an entry already. It takes none twice.
type presentError struct{ index int64 }

func (e presentError) Error() string {
	return fmt.Sprintf("an equivalent entry already exists in the transparency log with index %d", e.index)
}

// enter checks a request as Rekor does, logs it and proves that it did.
func (l *rekor) enter(request *rekorpb.HashedRekordRequestV002, d deviation) (*protorekor.TransparencyLogEntry, error) {
	if request == nil {
		return nil, errors.New("log entry: not a hashedrekord of version 0.0.2")
	}
	entry, err := hashedrekord.ToLogEntry(request, l.supported)
	if err != nil {
		return nil, err
	}
	if d.otherDigest {
		other := sha256.Sum256([]byte("another payload"))
		entry.GetSpec().GetHashedRekordV002().GetData().Digest = other[:]
	}
	text, err := protojson.Marshal(entry)
	if err != nil {
		return nil, err
	}
	body, err := jsoncanonicalizer.Transform(text)
	if err != nil {
		return nil, err
	}
	proof, err := l.grow(tlog.Hash(rfc6962.DefaultHasher.HashLeaf(body)))
	if err != nil {
		return nil, err
	}
	return &protorekor.TransparencyLogEntry{
		LogIndex:          proof.GetLogIndex(),
		LogId:             &protocommon.LogId{KeyId: l.id},
		KindVersion:       &protorekor.KindVersion{Kind: entry.GetKind(), Version: entry.GetApiVersion()},
		InclusionProof:    proof,
		CanonicalizedBody: body,
	}, nil
}

// grow adds a leaf and proves that it is the last one of a tree that the log
// signs for.
func (l *rekor) grow(leaf tlog.Hash) (*protorekor.InclusionProof, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if index, ok := l.at[leaf]; ok {
		return nil, presentError{index}
	}
	index := int64(len(l.at))
	size := index + 1
	read := tlog.HashReaderFunc(l.read)
	stored, err := tlog.StoredHashesForRecordHash(index, leaf, read)
	if err != nil {
		return nil, err
	}
	l.hashes = append(l.hashes, stored...)
	l.at[leaf] = index
	root, err := tlog.TreeHash(size, read)
	if err != nil {
		return nil, err
	}
	path, err := tlog.ProveRecord(size, index, read)
	if err != nil {
		return nil, err
	}
	checkpoint, err := note.Sign(&note.Note{
		Text: fmt.Sprintf("%s\n%d\n%s\n", rekorOrigin, size, base64.StdEncoding.EncodeToString(root[:])),
	}, l.signer)
	if err != nil {
		return nil, err
	}
	proof := &protorekor.InclusionProof{
		LogIndex: index, TreeSize: size, RootHash: root[:],
		Checkpoint: &protorekor.Checkpoint{Envelope: string(checkpoint)},
	}
	for _, h := range path {
		proof.Hashes = append(proof.Hashes, h[:])
	}
	return proof, nil
}

// read is called while the log is locked.
func (l *rekor) read(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at < 0 || at >= int64(len(l.hashes)) {
			return nil, fmt.Errorf("read log: no hash %d", at)
		}
		hashes[i] = l.hashes[at]
	}
	return hashes, nil
}
