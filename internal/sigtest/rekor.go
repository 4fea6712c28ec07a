package sigtest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"

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

// rekor is a transparency log of version 2.
type rekor struct {
	public    ed25519.PublicKey
	id        []byte
	signer    note.Signer
	supported *signature.AlgorithmRegistryConfig
	tree      *tree
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
	return &rekor{public: public, id: id, signer: signer, supported: supported, tree: newTree()}, nil
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
	proof, err := l.tree.grow(tlog.Hash(rfc6962.DefaultHasher.HashLeaf(body)))
	if err != nil {
		return nil, err
	}
	if err := l.sign(proof); err != nil {
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

// sign has the log vouch for the tree of a proof.
func (l *rekor) sign(proof *protorekor.InclusionProof) error {
	checkpoint, err := note.Sign(&note.Note{
		Text: fmt.Sprintf("%s\n%d\n%s\n", rekorOrigin, proof.GetTreeSize(), base64.StdEncoding.EncodeToString(proof.GetRootHash())),
	}, l.signer)
	proof.Checkpoint = &protorekor.Checkpoint{Envelope: string(checkpoint)}
	return err
}
