package keyless

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	rekorpb "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	rekornote "github.com/sigstore/rekor-tiles/v2/pkg/note"
	rekor "github.com/sigstore/rekor-tiles/v2/pkg/verify"
	"github.com/sigstore/sigstore-go/pkg/root"
	sigkeys "github.com/sigstore/sigstore/pkg/signature"
	checkpoints "github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"

	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// The kinds of entry that a statement is logged as: Rekor v1 keeps digests of
// the envelope, Rekor v2 the digest of what was signed.
const (
	kindV1 = dsseKind + "/" + dsseVersion
	kindV2 = "hashedrekord/0.0.2"
)

// logged verifies that a log has the signature: its entry is about this very
// envelope and certificate, and a checkpoint that the log signed has the entry.
// It returns the log.
func (r *Root) logged(c *claim) (*root.TransparencyLog, error) {
	id := c.entry.GetLogId().GetKeyId()
	if len(id) == 0 {
		return nil, c.no(verify.ReasonLog, "has an entry of a transparency log that names none")
	}
	log := byID(r.material.RekorLogs(), id)
	if log == nil {
		return nil, c.unknown("a transparency log")
	}
	key, err := sigkeys.LoadVerifier(log.PublicKey, log.SignatureHashFunc)
	if err == nil {
		switch k := c.entry.GetKindVersion(); k.GetKind() + "/" + k.GetVersion() {
		case kindV1:
			err = c.inRekor1(log, key)
		case kindV2:
			err = c.inRekor2(log, key)
		default:
			err = fmt.Errorf("an entry of the kind %s/%s", k.GetKind(), k.GetVersion())
		}
	}
	if err != nil {
		return nil, c.no(verify.ReasonLog, "is not proved to be in the transparency log (%s)", spec.Quote(err.Error()))
	}
	return log, nil
}

// inRekor2 verifies an entry of Rekor v2. Its body follows from the bundle, to
// the byte, and so is not read but made again.
func (c *claim) inRekor2(log *root.TransparencyLog, key sigkeys.Verifier) error {
	if c.entry.GetIntegratedTime() != 0 || c.entry.GetInclusionPromise() != nil {
		return errors.New("it claims a time, which such a log does not know")
	}
	if !bytes.Equal(c.entry.GetCanonicalizedBody(), c.bodyV2()) {
		return errors.New("the entry is about something else")
	}
	at, err := url.Parse(log.BaseURL)
	if err != nil {
		return err
	}
	checkpoint, err := rekornote.NewNoteVerifier(at.Hostname(), key)
	if err != nil {
		return err
	}
	return rekor.VerifyLogEntry(c.entry, checkpoint)
}

// bodyV2 is the entry that Rekor v2 makes of a signature, in canonical JSON
// (RFC 8785): fields by name, and nothing in them that needs escaping.
func (c *claim) bodyV2() []byte {
	digest := sha256.Sum256(c.signed())
	return fmt.Appendf(nil, `{"apiVersion":"0.0.2","kind":"hashedrekord","spec":{"hashedRekordV002":{"data":{"algorithm":"SHA2_256","digest":"%s"},`+
		`"signature":{"content":"%s","verifier":{"keyDetails":"PKIX_ECDSA_P256_SHA_256","x509Certificate":{"rawBytes":"%s"}}}}}}`,
		b64(digest[:]), b64(c.signature), b64(c.leaf.Raw))
}

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// inRekor1 verifies an entry of Rekor v1, and the time that this log puts its
// name to.
func (c *claim) inRekor1(log *root.TransparencyLog, key sigkeys.Verifier) error {
	if err := c.bodyV1(c.entry.GetCanonicalizedBody()); err != nil {
		return err
	}
	if err := promisedEntry(c.entry, log); err != nil {
		return err
	}
	if at := time.Unix(c.entry.GetIntegratedTime(), 0); !alive(log, at) || at.Before(c.leaf.NotBefore) || at.After(c.leaf.NotAfter) {
		return errors.New("it was logged outside of the life of the certificate or of the log")
	}
	p := c.entry.GetInclusionProof()
	head, err := headV1(p.GetCheckpoint().GetEnvelope(), key)
	if err != nil {
		return err
	}
	if p.GetLogIndex() < 0 || p.GetTreeSize() < 0 || uint64(p.GetTreeSize()) != head.Size || !bytes.Equal(p.GetRootHash(), head.Hash) {
		return errors.New("the proof is for another state of the log than its checkpoint")
	}
	leaf := rfc6962.DefaultHasher.HashLeaf(c.entry.GetCanonicalizedBody())
	return proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(p.GetLogIndex()), head.Size, leaf, p.GetHashes(), head.Hash)
}

// headV1 opens a checkpoint of Rekor v1: its first line ends in the number of a
// tree, so it is not the name in the line of the signature, as with other logs,
// and that name is the operator's choice. What counts is the key, which signs
// alone.
func headV1(text string, key sigkeys.Verifier) (*checkpoints.Checkpoint, error) {
	origin, _, _ := strings.Cut(text, "\n")
	_, line, _ := strings.Cut(text, "\n\n— ")
	name, _, _ := strings.Cut(line, " ")
	v, err := rekornote.NewNoteVerifier(name, key)
	if err != nil {
		return nil, err
	}
	head, _, note, err := checkpoints.ParseCheckpoint([]byte(text), origin, v)
	if err == nil && len(note.UnverifiedSigs) > 0 {
		return nil, errors.New("the checkpoint is signed by others, too")
	}
	return head, err
}

// bodyV1 compares an entry of Rekor v1 with the bundle. The digest of the
// envelope as it was sent to the log cannot be compared: nobody keeps that.
func (c *claim) bodyV1(body []byte) error {
	type digest struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"value"`
	}
	var e struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Spec       struct {
			EnvelopeHash digest `json:"envelopeHash"`
			PayloadHash  digest `json:"payloadHash"`
			Signatures   []struct {
				Signature []byte `json:"signature"`
				Verifier  []byte `json:"verifier"` // PEM
			} `json:"signatures"`
		} `json:"spec"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return fmt.Errorf("the entry is not readable: %w", err)
	}
	hash := sha256.Sum256(c.payload)
	if e.Kind+"/"+e.APIVersion != kindV1 || len(e.Spec.Signatures) != 1 ||
		e.Spec.PayloadHash != (digest{"sha256", hex.EncodeToString(hash[:])}) || !bytes.Equal(e.Spec.Signatures[0].Signature, c.signature) {
		return errors.New("the entry is about something else")
	}
	if block, _ := pem.Decode(e.Spec.Signatures[0].Verifier); block == nil || !bytes.Equal(block.Bytes, c.leaf.Raw) {
		return errors.New("the entry is about another certificate")
	}
	return nil
}

// promisedEntry verifies the signed entry timestamp of Rekor v1.
func promisedEntry(e *rekorpb.TransparencyLogEntry, log *root.TransparencyLog) error {
	key, ok := log.PublicKey.(*ecdsa.PublicKey)
	if !ok {
		return errors.New("such a log has an ECDSA key")
	}
	text, err := json.Marshal(struct { // canonical: by name, and plain text
		Body  []byte `json:"body"`
		Time  int64  `json:"integratedTime"`
		LogID string `json:"logID"`
		Index int64  `json:"logIndex"`
	}{e.GetCanonicalizedBody(), e.GetIntegratedTime(), hex.EncodeToString(e.GetLogId().GetKeyId()), e.GetLogIndex()})
	if err != nil {
		return err
	}
	hash := sha256.Sum256(text)
	if !ecdsa.VerifyASN1(key, hash[:], e.GetInclusionPromise().GetSignedEntryTimestamp()) {
		return errors.New("the time of the entry is not what the log signed")
	}
	return nil
}
