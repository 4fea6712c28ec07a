package realtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
)

var issuerHost = strings.TrimPrefix(ledger.GitHubIssuer, "https://")

// apiHost is where GitHub is asked for attestations.
const apiHost = "api.github.com"

// gitHub gives jobs their identity tokens and keeps attestations, and is reached
// by GitHub's own names: through a proxy that knows no other, and behind a
// certificate authority that only its clients here believe.
type gitHub struct {
	proxy   string // of services
	roots   string // file with the authority
	tokens  *httptest.Server
	issuer  *httptest.Server
	private *rsa.PrivateKey

	mu      sync.Mutex
	api     http.Handler              // of apiHost; nil where nobody should ask
	jobs    map[string]sigtest.Claims // by the secret that a job has
	strange []string                  // hosts that somebody asked the proxy for
}

// issuerKey is RSA, as GitHub's is. It takes a while to make.
var issuerKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

func newGitHub(t *testing.T) *gitHub {
	t.Helper()
	g := &gitHub{jobs: map[string]sigtest.Claims{}, roots: filepath.Join(t.TempDir(), "roots.pem")}
	var err error
	if g.private, err = issuerKey(); err != nil {
		t.Fatal(err)
	}

	mux := http.NewServeMux()
	// An issuer below GitHub's own is what enterprises have.
	mux.HandleFunc("GET /.well-known/openid-configuration", g.discovery)
	mux.HandleFunc("GET /{enterprise}/.well-known/openid-configuration", g.discovery)
	mux.HandleFunc("GET /.well-known/jwks", g.keys)
	g.issuer = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		api := g.api
		g.mu.Unlock()
		if r.Host == apiHost && api != nil {
			api.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	g.issuer.TLS = &tls.Config{Certificates: []tls.Certificate{g.certificate(t)}, MinVersion: tls.VersionTLS12}
	g.issuer.StartTLS()
	t.Cleanup(g.issuer.Close)

	proxy := httptest.NewServer(http.HandlerFunc(g.connect))
	g.proxy = proxy.URL
	t.Cleanup(proxy.Close)

	g.tokens = httptest.NewServer(http.HandlerFunc(g.token))
	t.Cleanup(g.tokens.Close)

	t.Cleanup(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if len(g.strange) > 0 {
			t.Errorf("somebody wanted to reach %q", g.strange)
		}
	})
	return g
}

// certificate is GitHub's, by an authority that is written to g.roots.
func (g *gitHub) certificate(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: issuerHost}, DNSNames: []string{issuerHost, apiHost},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(0, 0, 1),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(g.roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// answers has GitHub's interface be there.
func (g *gitHub) answers(api http.Handler) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.api = api
}

// env has a program reach nobody but GitHub and this machine.
func (g *gitHub) env() []string {
	return []string{"HTTPS_PROXY=" + g.proxy, "HTTP_PROXY=" + g.proxy, "SSL_CERT_FILE=" + g.roots, "SSL_CERT_DIR=/nowhere"}
}

// connect is the proxy.
func (g *gitHub) connect(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	known := r.Host == issuerHost+":443" || g.api != nil && r.Host == apiHost+":443"
	g.mu.Unlock()
	if r.Method != http.MethodConnect || !known {
		g.mu.Lock()
		g.strange = append(g.strange, r.Method+" "+r.Host)
		g.mu.Unlock()
		http.Error(w, "there is no way to "+r.Host, http.StatusForbidden)
		return
	}
	there, err := net.Dial("tcp", g.issuer.Listener.Addr().String())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer there.Close()
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	if _, err := io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(there, buffered)
		there.Close()
	}()
	_, _ = io.Copy(here, there)
}

func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v)
}

func (g *gitHub) discovery(w http.ResponseWriter, r *http.Request) {
	issuer := ledger.GitHubIssuer
	if e := r.PathValue("enterprise"); e != "" {
		issuer += "/" + e
	}
	answerJSON(w, map[string]any{
		"issuer": issuer, "jwks_uri": ledger.GitHubIssuer + "/.well-known/jwks",
		"subject_types_supported": []string{"public", "pairwise"}, "response_types_supported": []string{"id_token"},
		"id_token_signing_alg_values_supported": []string{"RS256"}, "scopes_supported": []string{"openid"},
	})
}

const keyID = "cc413527-173f-5a05-976e-9c52b1d7b431"

var segment = base64.RawURLEncoding

func (g *gitHub) keys(w http.ResponseWriter, _ *http.Request) {
	public := g.private.PublicKey
	answerJSON(w, map[string]any{"keys": []any{map[string]string{
		"kty": "RSA", "alg": "RS256", "use": "sig", "kid": keyID,
		"n": segment.EncodeToString(public.N.Bytes()), "e": segment.EncodeToString(big.NewInt(int64(public.E)).Bytes()),
	}}})
}

// What a job's environment says of the numbers that its token has as well.
const (
	repositoryID = "GITHUB_REPOSITORY_ID"
	ownerID      = "GITHUB_REPOSITORY_OWNER_ID"
)

// job returns the variables of a job that has the claims.
func (g *gitHub) job(c sigtest.Claims) map[string]string {
	secret := rand.Text()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.jobs[secret] = c
	return map[string]string{
		"ACTIONS_ID_TOKEN_REQUEST_URL":   g.tokens.URL + "/idtoken?api-version=2.0",
		"ACTIONS_ID_TOKEN_REQUEST_TOKEN": secret,
		repositoryID:                     c.RepositoryID,
		ownerID:                          c.RepositoryOwnerID,
	}
}

// token is what the variables lead to.
func (g *gitHub) token(w http.ResponseWriter, r *http.Request) {
	secret := strings.TrimPrefix(strings.ToLower(r.Header.Get("Authorization")), "bearer ")
	g.mu.Lock()
	c, ok := g.jobs[strings.ToUpper(secret)]
	g.mu.Unlock()
	if q := r.URL.Query(); !ok || q.Get("api-version") != "2.0" {
		http.Error(w, "no such job", http.StatusUnauthorized)
		return
	} else if value, err := g.mint(c, q.Get("audience")); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	} else {
		answerJSON(w, map[string]any{"count": 1, "value": value})
	}
}

// mint makes a token of all the claims that GitHub's have.
func (g *gitHub) mint(c sigtest.Claims, audience string) (string, error) {
	now := time.Now()
	path, _, _ := strings.Cut(c.WorkflowRef, "@")
	body, err := json.Marshal(struct {
		sigtest.Claims

		Audience   string `json:"aud"`
		ID         string `json:"jti"`
		Issued     int64  `json:"iat"`
		NotBefore  int64  `json:"nbf"`
		Expires    int64  `json:"exp"`
		Workflow   string `json:"workflow"` // one without a name goes by its path
		Actor      string `json:"actor"`
		ActorID    string `json:"actor_id"`
		RefType    string `json:"ref_type"`
		RefGuarded string `json:"ref_protected"`
		HeadRef    string `json:"head_ref"`
		BaseRef    string `json:"base_ref"`
		RunNumber  string `json:"run_number"`
	}{
		Claims: c, Audience: audience, ID: rand.Text(),
		Issued: now.Unix(), NotBefore: now.Add(-5 * time.Minute).Unix(), Expires: now.Add(5 * time.Minute).Unix(),
		Workflow: strings.TrimPrefix(path, c.Repository+"/"), Actor: "octocat", ActorID: "583231",
		RefType: "branch", RefGuarded: "true", RunNumber: "7",
	})
	if err != nil {
		return "", err
	}
	header, err := json.Marshal(map[string]string{"typ": "JWT", "alg": "RS256", "kid": keyID})
	if err != nil {
		return "", err
	}
	signed := segment.EncodeToString(header) + "." + segment.EncodeToString(body)
	digest := sha256.Sum256([]byte(signed))
	sig, err := rsa.SignPKCS1v15(rand.Reader, g.private, crypto.SHA256, digest[:])
	return signed + "." + segment.EncodeToString(sig), err
}
