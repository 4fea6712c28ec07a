package realtest

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	ct "github.com/google/certificate-transparency-go"
	"github.com/google/certificate-transparency-go/tls"
	ctx509 "github.com/google/certificate-transparency-go/x509"
)

// serveCT is a log of certificates as far as Fulcio can tell: it promises, and
// nobody who verifies offline asks whether it keeps its word.
func serveCT(t *testing.T, key *ecdsa.PrivateKey) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+ct.AddPreChainPath, func(w http.ResponseWriter, r *http.Request) {
		var request ct.AddChainRequest
		err := json.NewDecoder(r.Body).Decode(&request)
		if err == nil {
			var answer *ct.AddChainResponse
			if answer, err = promise(key, request.Chain); err == nil {
				err = json.NewEncoder(w).Encode(answer)
			}
		}
		if err != nil {
			t.Errorf("log of certificates: %v", err)
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// promise signs that the first certificate of a chain will be listed.
func promise(key *ecdsa.PrivateKey, chain [][]byte) (*ct.AddChainResponse, error) {
	var certs []*ctx509.Certificate
	for _, der := range chain {
		c, err := ctx509.ParseCertificate(der)
		if ctx509.IsFatal(err) {
			return nil, err
		}
		certs = append(certs, c)
	}
	now := uint64(time.Now().UnixMilli())
	leaf, err := ct.MerkleTreeLeafFromChain(certs, ct.PrecertLogEntryType, now)
	if err != nil {
		return nil, err
	}
	input, err := ct.SerializeSCTSignatureInput(ct.SignedCertificateTimestamp{SCTVersion: ct.V1, Timestamp: now}, ct.LogEntry{Leaf: *leaf})
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(input)
	raw, err := ecdsa.SignASN1(rand.Reader, key, digest[:])
	if err != nil {
		return nil, err
	}
	sig, err := tls.Marshal(ct.DigitallySigned{Algorithm: tls.SignatureAndHashAlgorithm{Hash: tls.SHA256, Signature: tls.ECDSA}, Signature: raw})
	if err != nil {
		return nil, err
	}
	id := sha256.Sum256(publicDER(key.Public()))
	return &ct.AddChainResponse{SCTVersion: ct.V1, ID: id[:], Timestamp: now, Signature: sig}, nil
}
