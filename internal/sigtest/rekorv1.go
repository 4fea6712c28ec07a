package sigtest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cyberphone/json-canonicalization/go/src/webpki.org/jsoncanonicalizer"
	"github.com/sigstore/rekor/pkg/generated/models"
	"github.com/sigstore/rekor/pkg/types"
	"github.com/sigstore/rekor/pkg/types/dsse/v0.0.1"
	"github.com/sigstore/rekor/pkg/util"
	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	rekorV1Origin = "rekor-v1.test"
	// shard is the number of the tree that grows, and olderEntries is how many
	// are in those before it: an entry has two indexes.
	shard        = 3904496407287907110
	olderEntries = 4_163_431
)

// rekorV1 is a transparency log of version 1, which says itself when it took an
// entry and promises at once to list it. Of its kinds of entry it takes dsse.
type rekorV1 struct {
	key  *ecdsa.PrivateKey
	id   [sha256.Size]byte
	tree *tree
}

func newRekorV1() (*rekorV1, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, err
	}
	return &rekorV1{key, sha256.Sum256(public), newTree()}, nil
}

// enter checks a proposed entry by Rekor's own code, logs it, and returns it
// with the name that the log has for it.
func (l *rekorV1) enter(ctx context.Context, proposal []byte, now time.Time, d deviation) (name string, _ *models.LogEntryAnon, err error) {
	var proposed models.DSSE
	if err := json.Unmarshal(proposal, &proposed); err != nil {
		return "", nil, err
	}
	entry := &dsse.V001Entry{}
	if err := entry.Unmarshal(&proposed); err != nil {
		return "", nil, err
	}
	if _, err := entry.Insertable(); err != nil {
		return "", nil, err
	}
	if d.otherDigest {
		other := sha256.Sum256([]byte("another payload"))
		entry.DSSEObj.PayloadHash.Value = new(hex.EncodeToString(other[:]))
	}
	body, err := types.CanonicalizeEntry(ctx, entry)
	if err != nil {
		return "", nil, err
	}
	leaf := rfc6962.DefaultHasher.HashLeaf(body)
	proof, err := l.tree.grow(tlog.Hash(leaf))
	if err != nil {
		return "", nil, err
	}
	signer, err := signature.LoadDefaultSigner(l.key)
	if err != nil {
		return "", nil, err
	}
	checkpoint, err := util.CreateAndSignCheckpoint(ctx, rekorV1Origin, shard, uint64(proof.GetTreeSize()), proof.GetRootHash(), signer)
	if err != nil {
		return "", nil, err
	}
	logged := &models.LogEntryAnon{
		Body:           base64.StdEncoding.EncodeToString(body),
		IntegratedTime: new(now.Unix()),
		LogID:          new(hex.EncodeToString(l.id[:])),
		LogIndex:       new(olderEntries + proof.GetLogIndex()),
	}
	// What is promised is the entry as it is before the promise is there.
	bare, err := json.Marshal(logged)
	if err != nil {
		return "", nil, err
	}
	if bare, err = jsoncanonicalizer.Transform(bare); err != nil {
		return "", nil, err
	}
	promise, err := signer.SignMessage(bytes.NewReader(bare))
	if err != nil {
		return "", nil, err
	}
	logged.Verification = &models.LogEntryAnonVerification{
		SignedEntryTimestamp: promise,
		InclusionProof: &models.InclusionProof{
			Checkpoint: new(string(checkpoint)),
			LogIndex:   new(proof.GetLogIndex()),
			RootHash:   new(hex.EncodeToString(proof.GetRootHash())),
			TreeSize:   new(proof.GetTreeSize()),
			Hashes:     []string{},
		},
	}
	for _, h := range proof.GetHashes() {
		logged.Verification.InclusionProof.Hashes = append(logged.Verification.InclusionProof.Hashes, hex.EncodeToString(h))
	}
	return fmt.Sprintf("%016x%x", uint64(shard), leaf), logged, nil
}
