package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// internet FOLDER is an internet that ends on this machine: a proxy that is every
// server by https, with certificates that the program trusts. https://HOST/PATH is the
// file FOLDER/HOST/PATH, of any method; the number in PATH.status is the status, and
// PATH.location where it leads. What was asked is in the file asked: a line for each
// request with its method, address and headers, sorted, and its body.
func internet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: internet folder")
	}
	w := &world{dir: ts.MkAbs(args[0]), log: ts.MkAbs("asked"), certificates: map[string]*tls.Certificate{}}
	var err error
	w.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	w.ca = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "everybody"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, w.ca, w.ca, &w.key.PublicKey, w.key)
	ts.Check(err)
	file := ts.MkAbs("internet-ca.pem")
	ts.Check(os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.serve(c)
		}
	}()
	ts.Check(os.WriteFile(w.log, nil, 0o600))
	ts.Setenv("SSL_CERT_FILE", file)
	ts.Setenv("HTTPS_PROXY", "http://"+l.Addr().String())
}

type world struct {
	dir, log string
	ca       *x509.Certificate
	key      *ecdsa.PrivateKey

	mu           sync.Mutex
	certificates map[string]*tls.Certificate
}

// certificate is one for a host, made when it is first asked for.
func (w *world) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.certificates[hello.ServerName]; c != nil {
		return c, nil
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(int64(len(w.certificates) + 2)), DNSNames: []string{hello.ServerName}, NotBefore: w.ca.NotBefore, NotAfter: w.ca.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, w.ca, &w.key.PublicKey, w.key)
	if err != nil {
		return nil, err
	}
	c := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: w.key}
	w.certificates[hello.ServerName] = c
	return c, nil
}

// serve is one connection: a CONNECT, and then requests to the host of it.
func (w *world) serve(c net.Conn) {
	defer c.Close()
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil || r.Method != http.MethodConnect {
		return
	}
	host, _, _ := net.SplitHostPort(r.Host)
	if _, err := fmt.Fprint(c, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	secure := tls.Server(c, &tls.Config{GetCertificate: w.certificate})
	defer secure.Close()
	in := bufio.NewReader(secure)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		w.note(host, r)
		if _, err := secure.Write(w.answer(host, r)); err != nil {
			return
		}
	}
}

func (w *world) note(host string, r *http.Request) {
	var headers []string
	for name := range r.Header {
		headers = append(headers, name+": "+r.Header.Get(name))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	f, err := os.OpenFile(w.log, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	said := ""
	if body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20)); err == nil && len(body) > 0 {
		said = " says " + string(body)
	}
	fmt.Fprintf(f, "%s https://%s%s %s%s\n", r.Method, host, r.URL.RequestURI(), strings.Join(headers, "; "), said)
}

func (w *world) answer(host string, r *http.Request) []byte {
	file := filepath.Join(w.dir, host, filepath.FromSlash(filepath.Clean("/"+r.URL.Path)))
	body, err := os.ReadFile(file)
	status := http.StatusOK
	if err != nil {
		body, status = []byte("not found\n"), http.StatusNotFound
	}
	if text, err := os.ReadFile(file + ".status"); err == nil {
		status, _ = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	location := ""
	if text, err := os.ReadFile(file + ".location"); err == nil {
		location = "Location: " + strings.TrimSpace(string(text)) + "\r\n"
	}
	return append(fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Length: %d\r\n%s\r\n", status, http.StatusText(status), len(body), location), body...)
}
