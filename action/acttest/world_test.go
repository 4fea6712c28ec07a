//go:build linux

package acttest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
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
)

// The hosts of this world.
const (
	gitHost   = "github.com"
	apiHost   = "api.github.com"
	pagesHost = "acme.github.io"
)

// world is the internet of the tests: a few names with TLS, behind a proxy that
// knows no others, and by an authority that only its clients believe.
type world struct {
	proxy string // address
	roots string // file with the authority
	front *httptest.Server

	mu      sync.Mutex
	hosts   map[string]http.Handler
	strange []string // that somebody asked for
}

// newWorld lasts until the test ends, and fails it if somebody wanted to leave.
func newWorld(t *testing.T) *world {
	t.Helper()
	if err := loopback(); err != nil {
		t.Fatal(err)
	}
	w := &world{hosts: map[string]http.Handler{}, roots: filepath.Join(t.TempDir(), "roots.pem")}
	w.front = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		w.mu.Lock()
		h := w.hosts[host]
		w.mu.Unlock()
		if h == nil {
			w.note("inside the proxy: " + r.Host)
			http.Error(rw, "nobody is called "+r.Host, http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(rw, r)
	}))
	w.front.TLS = &tls.Config{Certificates: []tls.Certificate{w.certificate(t)}, MinVersion: tls.VersionTLS12}
	w.front.EnableHTTP2 = true
	w.front.StartTLS()
	t.Cleanup(w.front.Close)
	proxy := httptest.NewServer(http.HandlerFunc(w.connect))
	t.Cleanup(proxy.Close)
	w.proxy = proxy.URL
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.strange) > 0 {
			t.Errorf("somebody wanted to reach %q", w.strange)
		}
	})
	return w
}

// at puts a host into the world.
func (w *world) at(host string, h http.Handler) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hosts[host] = h
}

func (w *world) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.strange = append(w.strange, what)
}

// env has a program find this world and nothing else.
func (w *world) env() map[string]string {
	return map[string]string{
		"HTTPS_PROXY": w.proxy, "HTTP_PROXY": w.proxy, "https_proxy": w.proxy, "http_proxy": w.proxy, "NO_PROXY": "127.0.0.1,localhost",
		"no_proxy": "127.0.0.1,localhost", "SSL_CERT_FILE": w.roots, "SSL_CERT_DIR": "/nowhere", "GIT_SSL_CAINFO": w.roots, "CURL_CA_BUNDLE": w.roots,
	}
}

// certificate is of all hosts, by an authority that is written to w.roots.
func (w *world) certificate(t *testing.T) tls.Certificate {
	t.Helper()
	make1 := func(c, parent *x509.Certificate, signer *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if signer == nil {
			parent, signer = c, key
		}
		c.NotBefore, c.NotAfter, c.BasicConstraintsValid = time.Now().Add(-time.Hour), time.Now().AddDate(0, 0, 1), true
		der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), signer)
		if err != nil {
			t.Fatal(err)
		}
		return der, key
	}
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "an authority for tests"}, IsCA: true, KeyUsage: x509.KeyUsageCertSign}
	root, rootKey := make1(authority, nil, nil)
	leaf, key := make1(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: gitHost}, DNSNames: []string{gitHost, apiHost, pagesHost},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, authority, rootKey)
	if err := os.WriteFile(w.roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{leaf, root}, PrivateKey: key}
}

// connect is the proxy.
func (w *world) connect(rw http.ResponseWriter, r *http.Request) {
	host, port, _ := net.SplitHostPort(r.Host)
	w.mu.Lock()
	known := w.hosts[host] != nil
	w.mu.Unlock()
	if r.Method != http.MethodConnect || port != "443" || !known {
		w.note(r.Method + " " + r.Host)
		http.Error(rw, "there is no way to "+r.Host, http.StatusForbidden)
		return
	}
	there, err := net.Dial("tcp", w.front.Listener.Addr().String())
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadGateway)
		return
	}
	defer there.Close()
	here, buffered, err := http.NewResponseController(rw).Hijack()
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
