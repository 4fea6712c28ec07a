package sigtest

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"strings"

	rekorpb "github.com/sigstore/rekor-tiles/v2/pkg/generated/protobuf"
	"github.com/sigstore/sigstore/pkg/signature"
	"google.golang.org/protobuf/encoding/protojson"
)

// token answers as GitHub answers a job that may have tokens.
func (v *Server) token(w http.ResponseWriter, r *http.Request) {
	if bearer(r) != v.RequestToken {
		refuse(w, http.StatusUnauthorized, errors.New("the request token is not the job's"))
		return
	}
	forWhom := r.URL.Query().Get("audience")
	if forWhom == "" {
		forWhom = gitHub + v.claims.RepositoryOwner
	}
	token, err := v.tokens.mint(v.claims, forWhom, v.sigstore.now())
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	answer(w, http.StatusOK, map[string]any{"count": len(token), "value": token})
}

// bearer is the token of a request; the scheme's case does not matter.
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return token
}

// certRequest is what Fulcio is asked.
type certRequest struct {
	Credentials struct {
		Token string `json:"oidcIdentityToken"`
	} `json:"credentials"`
	PublicKeyRequest struct {
		PublicKey struct {
			Content string `json:"content"` // PEM
		} `json:"publicKey"`
		ProofOfPossession []byte `json:"proofOfPossession"`
	} `json:"publicKeyRequest"`
}

// certAnswer is what Fulcio answers: a chain of certificates in PEM.
type certAnswer struct {
	Signed struct {
		Chain struct {
			Certificates []string `json:"certificates"`
		} `json:"chain"`
	} `json:"signedCertificateEmbeddedSct"`
}

// signingCert answers as Fulcio does.
func (v *Server) signingCert(w http.ResponseWriter, r *http.Request) {
	now, fulcio := v.sigstore.now(), v.sigstore.fulcio
	var request certRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	// Fulcio takes the token in the document, and without one there in the header.
	token := request.Credentials.Token
	if token == "" {
		token = bearer(r)
	}
	claims, err := v.tokens.read(token, now)
	if err != nil {
		refuse(w, http.StatusUnauthorized, err)
		return
	}
	block, _ := pem.Decode([]byte(request.PublicKeyRequest.PublicKey.Content))
	if block == nil {
		refuse(w, http.StatusBadRequest, errors.New("the public key is not PEM"))
		return
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	if err := proves(key, request.PublicKeyRequest.ProofOfPossession, claims.Subject); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	leaf, err := fulcio.certify(key, claims, now, v.deviation())
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	var chain certAnswer
	for _, der := range [][]byte{leaf, fulcio.intermediate.cert.Raw, fulcio.root.cert.Raw} {
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
		chain.Signed.Chain.Certificates = append(chain.Signed.Chain.Certificates, string(text))
	}
	answer(w, http.StatusOK, chain)
}

// proves tells whether who asks for a certificate has the private key: it signed
// the subject of the token.
func proves(key any, proof []byte, subject string) error {
	verifier, err := signature.LoadDefaultVerifier(key)
	if err != nil {
		return err
	}
	return verifier.VerifySignature(bytes.NewReader(proof), strings.NewReader(subject))
}

// timestamp answers as a timestamp authority does.
func (v *Server) timestamp(w http.ResponseWriter, r *http.Request) {
	v.sigstore.tsa.serve(w, r, v.sigstore.stampTime(v.deviation()))
}

// logEntry answers as Rekor does.
func (v *Server) logEntry(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	var request rekorpb.CreateEntryRequest
	if err := protojson.Unmarshal(body, &request); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	entry, err := v.sigstore.rekor.enter(request.GetHashedRekordRequestV002(), v.deviation())
	if err != nil {
		refuseEntry(w, err)
		return
	}
	text, err := protojson.Marshal(entry)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	answer(w, http.StatusCreated, json.RawMessage(text))
}

// olderEntry answers as Rekor of version 1 does.
func (v *Server) olderEntry(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	name, entry, err := v.sigstore.older.enter(r.Context(), body, v.sigstore.now(), v.deviation())
	if err != nil {
		refuseEntry(w, err)
		return
	}
	w.Header().Set("ETag", name)
	w.Header().Set("Location", r.URL.JoinPath(name).Path)
	answer(w, http.StatusCreated, map[string]any{name: entry})
}

// refuseEntry answers who proposed an entry that a log does not take.
func refuseEntry(w http.ResponseWriter, err error) {
	if present := (presentError{}); errors.As(err, &present) {
		refuse(w, http.StatusConflict, err)
		return
	}
	refuse(w, http.StatusBadRequest, err)
}

func answer(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document) // who hung up needs none
}

// refuse answers with an error in the form that the real services give it.
func refuse(w http.ResponseWriter, status int, err error) {
	answer(w, status, map[string]any{"code": status, "message": err.Error()})
}
