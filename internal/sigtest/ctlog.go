package sigtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"slices"
	"time"

	ct "github.com/google/certificate-transparency-go"
	"github.com/google/certificate-transparency-go/tls"
	ctx509 "github.com/google/certificate-transparency-go/x509"
)

// ctLog is a certificate transparency log. It promises and keeps nothing, which
// is all that anybody sees of one who verifies a certificate offline.
type ctLog struct {
	key *ecdsa.PrivateKey
	id  [sha256.Size]byte
}

func newCTLog() (*ctLog, error) {
	// Every log that Sigstore ever ran signs with P-256.
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, err
	}
	return &ctLog{key, sha256.Sum256(public)}, nil
}

var sctListID = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 11129, 2, 4, 2}

// promise returns the extension with the log's signed promise to list a
// certificate, which is given as what is signed of it before the extension is
// there (RFC 6962, section 3.2). It stands there so many times.
func (l *ctLog) promise(tbs []byte, issuer *x509.Certificate, at time.Time, times int) (pkix.Extension, error) {
	sct := ct.SignedCertificateTimestamp{
		SCTVersion: ct.V1,
		LogID:      ct.LogID{KeyID: l.id},
		Timestamp:  uint64(at.UnixMilli()),
	}
	input, err := ct.SerializeSCTSignatureInput(sct, ct.LogEntry{Leaf: ct.MerkleTreeLeaf{
		Version:  ct.V1,
		LeafType: ct.TimestampedEntryLeafType,
		TimestampedEntry: &ct.TimestampedEntry{
			Timestamp: sct.Timestamp,
			EntryType: ct.PrecertLogEntryType,
			PrecertEntry: &ct.PreCert{
				IssuerKeyHash:  sha256.Sum256(issuer.RawSubjectPublicKeyInfo),
				TBSCertificate: tbs,
			},
		},
	}})
	if err != nil {
		return pkix.Extension{}, err
	}
	digest := sha256.Sum256(input)
	sct.Signature.Algorithm = tls.SignatureAndHashAlgorithm{Hash: tls.SHA256, Signature: tls.ECDSA}
	if sct.Signature.Signature, err = ecdsa.SignASN1(rand.Reader, l.key, digest[:]); err != nil {
		return pkix.Extension{}, err
	}
	one, err := tls.Marshal(sct)
	if err != nil {
		return pkix.Extension{}, err
	}
	list, err := tls.Marshal(ctx509.SignedCertificateTimestampList{SCTList: slices.Repeat([]ctx509.SerializedSCT{{Val: one}}, times)})
	if err != nil {
		return pkix.Extension{}, err
	}
	value, err := asn1.Marshal(list)
	return pkix.Extension{Id: sctListID, Value: value}, err
}
