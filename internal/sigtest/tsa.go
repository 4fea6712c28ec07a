package sigtest

import (
	"crypto"
	"crypto/elliptic"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"io"
	"net/http"
	"time"

	"github.com/digitorus/timestamp"
)

var (
	extKeyUsageID  = asn1.ObjectIdentifier{2, 5, 29, 37}
	timeStampingID = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 8}
	policyID       = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57264, 2} // Sigstore's, for timestamps
)

// always is when the leaf is valid: a response also states when it was signed,
// which is the machine's time whatever the clock of the instance says, and is
// refused if the leaf was not valid then. The authorities above it are valid in
// the instance's time only.
var always = period{time.Unix(0, 0), time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)}

// tsa is the timestamp authority.
type tsa struct {
	root, intermediate, leaf *holder
}

func newTSA(curve elliptic.Curve, p period) (*tsa, error) {
	root, err := newAuthority(curve, "sigtest-tsa", p, nil)
	if err != nil {
		return nil, err
	}
	intermediate, err := newAuthority(curve, "sigtest-tsa-intermediate", p, root, x509.ExtKeyUsageTimeStamping)
	if err != nil {
		return nil, err
	}
	// RFC 3161 wants the usage critical, which crypto/x509 cannot say.
	use, err := asn1.Marshal([]asn1.ObjectIdentifier{timeStampingID})
	if err != nil {
		return nil, err
	}
	leaf, err := newHolder(curve, always, intermediate, &x509.Certificate{
		Subject:         pkix.Name{Organization: []string{organization}, CommonName: "sigtest-tsa-leaf"},
		KeyUsage:        x509.KeyUsageDigitalSignature,
		ExtraExtensions: []pkix.Extension{{Id: extKeyUsageID, Critical: true, Value: use}},
	})
	return &tsa{root, intermediate, leaf}, err
}

// stamp answers a query of RFC 3161.
func (t *tsa) stamp(query []byte, at time.Time) ([]byte, error) {
	q, err := timestamp.ParseRequest(query)
	if err != nil {
		return nil, err
	}
	answer := timestamp.Timestamp{
		HashAlgorithm:     q.HashAlgorithm,
		HashedMessage:     q.HashedMessage,
		Nonce:             q.Nonce,
		AddTSACertificate: q.Certificates,
		Policy:            policyID,
		Time:              at,
		Accuracy:          time.Second,
	}
	// SHA-256 whatever the curve, as Sigstore's timestamp-server does by default.
	return answer.CreateResponseWithOpts(t.leaf.cert, t.leaf.key, crypto.SHA256)
}

// serve answers a query over HTTP.
func (t *tsa) serve(w http.ResponseWriter, r *http.Request, at time.Time) {
	query, err := io.ReadAll(r.Body)
	if err == nil {
		var answer []byte
		if answer, err = t.stamp(query, at); err == nil {
			w.Header().Set("Content-Type", "application/timestamp-reply")
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write(answer) // who hung up needs none
			return
		}
	}
	refuse(w, http.StatusBadRequest, err)
}
