// Command wheels serves a folder of wheels as a package index on loopback, over
// HTTPS with a certificate of its own, for docs/bench/wheels.sh. It writes the
// certificate to a file and then prints the address of the index.
//
//	go run ./docs/bench/wheels -dir wheels -certificate ca.pem
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/spec"
)

var separators = regexp.MustCompile(`[-_.]+`)

func main() {
	dir := flag.String("dir", ".", "the folder of wheels")
	certificate := flag.String("certificate", "ca.pem", "where the certificate goes")
	flag.Parse()
	files, err := filepath.Glob(filepath.Join(*dir, "*.whl"))
	if err != nil || len(files) == 0 {
		fatal(fmt.Errorf("no wheels in %s: %w", *dir, err))
	}
	pages := map[string]string{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			fatal(err)
		}
		base := filepath.Base(file)
		name, _, _ := strings.Cut(base, "-")
		name = separators.ReplaceAllString(strings.ToLower(name), "-")
		pages[name] += fmt.Sprintf("<a href=\"/files/%s#sha256=%s\">%s</a>\n", base, spec.DigestOf(b).Hex(), html.EscapeString(base))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/simple/{name}/", func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.PathValue("name")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, "<!DOCTYPE html><html><body>%s</body></html>", page)
	})
	mux.Handle("/files/", http.StripPrefix("/files/", http.FileServer(http.Dir(*dir))))
	own, authority, err := loopback()
	if err != nil {
		fatal(err)
	}
	if err := os.WriteFile(*certificate, authority, 0o600); err != nil {
		fatal(err)
	}
	server := httptest.NewUnstartedServer(mux)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	fmt.Fprintln(os.Stdout, server.URL+"/simple")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	<-ctx.Done()
}

// loopback makes a certificate for 127.0.0.1 and the authority over it, in PEM;
// uv takes no certificate that is its own authority.
func loopback() (own tls.Certificate, authority []byte, err error) {
	now := time.Now()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "benchmark authority"}, NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(0, 0, 7),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "loopback"}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	caKey, err1 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	leafKey, err2 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err := errors.Join(err1, err2); err != nil {
		return own, nil, err
	}
	caDER, err1 := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	leafDER, err2 := x509.CreateCertificate(rand.Reader, leaf, ca, &leafKey.PublicKey, caKey)
	own = tls.Certificate{Certificate: [][]byte{leafDER}, PrivateKey: leafKey}
	return own, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER}), errors.Join(err1, err2)
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
