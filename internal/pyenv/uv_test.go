package pyenv

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/trusted"
	"github.com/patch-cat/patch-git/spec"
)

// realUV is a Pythons whose resolver is the uv of this machine.
func realUV(t *testing.T, env map[string]string) *Pythons {
	t.Helper()
	all := map[string]string{"PATH": os.Getenv("PATH"), "HOME": os.Getenv("HOME"), "UV_CACHE_DIR": t.TempDir()}
	maps.Copy(all, env)
	p := New(testHost(t, all), box(t, ""))
	if _, err := p.resolver(t.Context(), trusted.Run); fault.ReasonOf(err) == "no_resolver" {
		t.Skip("uv is not on PATH: python3 -m venv v && v/bin/pip install uv, and put v/bin on PATH")
	}
	return p
}

// loopbackAuthority signs a certificate for loopback, and writes its own to a file.
func loopbackAuthority(t *testing.T) (tls.Certificate, string, *x509.CertPool) {
	t.Helper()
	key := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	now := time.Now()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "loopback"}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	caKey, leafKey := key(), key()
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		t.Fatal(err)
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, ca, &leafKey.PublicKey, caKey)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER})
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return tls.Certificate{Certificate: [][]byte{leafDER}, PrivateKey: leafKey}, file, pool
}

// A tool with packages from an index to its answer, with the real uv and no
// network: resolve, install, run.
func TestUVOverLoopback(t *testing.T) {
	certificate, file, pool := loopbackAuthority(t)
	type wheel struct {
		file string
		data []byte
	}
	pure := func(name, version, requires, source string) wheel {
		info := name + "-" + version + ".dist-info/"
		return wheel{name + "-" + version + "-py3-none-any.whl", wheelOf(
			member{name: name + ".py", data: source},
			member{name: info + "METADATA", data: "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n" + requires},
			member{name: info + "WHEEL", data: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
			member{name: info + "RECORD"},
		).bytes()}
	}
	index := map[string][]wheel{
		"alpha": {pure("alpha", "1.0", "Requires-Dist: beta>=1\n", "import beta\nVALUE = beta.VALUE + 1\n"), pure("alpha", "2.0", "", "VALUE = 0\n")},
		// One that asks for a file from somewhere else than the index.
		"delta": {pure("delta", "1.0", "Requires-Dist: beta @ https://127.0.0.1:1/beta-1.0-py3-none-any.whl\n", ""), pure("delta", "2.0", "Requires-Dist: beta\n", "")},
		"beta":  {pure("beta", "1.0", "", "VALUE = 1\n"), pure("beta", "1.5", "", "VALUE = 41\n")},
	}
	mux := http.NewServeMux()
	server := httptest.NewUnstartedServer(mux)
	mux.HandleFunc("/simple/{name}/", func(w http.ResponseWriter, r *http.Request) {
		wheels, ok := index[r.PathValue("name")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		files := []map[string]any{}
		for _, f := range wheels {
			files = append(files, map[string]any{"filename": f.file, "url": server.URL + "/files/" + f.file, "hashes": map[string]string{"sha256": spec.DigestOf(f.data).Hex()}, "size": len(f.data), "upload-time": "2025-01-01T00:00:00Z"})
		}
		w.Header().Set("Content-Type", "application/vnd.pypi.simple.v1+json")
		_ = json.NewEncoder(w).Encode(map[string]any{"meta": map[string]string{"api-version": "1.1"}, "name": r.PathValue("name"), "files": files})
	})
	mux.HandleFunc("/files/{file}", func(w http.ResponseWriter, r *http.Request) {
		for _, f := range slices.Concat(index["alpha"], index["beta"], index["delta"]) {
			if f.file == r.PathValue("file") {
				http.ServeContent(w, r, f.file, time.Time{}, strings.NewReader(string(f.data)))
				return
			}
		}
		http.NotFound(w, r)
	})
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.StartTLS()
	t.Cleanup(server.Close)

	p := realUV(t, map[string]string{"UV_DEFAULT_INDEX": server.URL + "/simple", "SSL_CERT_FILE": file, "UV_HTTP_RETRIES": "0"})
	p.host.HTTP = func() *http.Client {
		return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	}
	in := anyPython(t, p)
	request := Request{Packages: []string{"alpha==1.0"}, Python: in.Minor(), Targets: Targets()}
	c, lock, err := p.Resolve(t.Context(), trusted.Run, request)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Targets) != len(Targets()) || !strings.Contains(string(lock), "alpha-1.0-py3-none-any.whl") {
		t.Errorf("got %d platforms and lock %s", len(c.Targets), lock)
	}
	for name, wheels := range c.Targets {
		if len(wheels) != 2 || wheels[1].File != "beta-1.5-py3-none-any.whl" || wheels[1].Size != int64(len(index["beta"][1].data)) {
			t.Errorf("%s: got %+v, want alpha 1.0 and beta 1.5", name, wheels)
		}
	}
	env, err := p.Install(t.Context(), in, c, InstallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if out := run(t, p, in, "import alpha\nprint(alpha.VALUE)\n", Call{Args: []byte("{}"), Env: env}); string(out.Stdout) != "42\n" {
		t.Errorf("got %q, %s, want 42", out.Stdout, out.Stderr)
	}
	request.Packages = []string{"delta==1.0"}
	if _, _, err := p.Resolve(t.Context(), trusted.Run, request); err == nil || !strings.Contains(err.Error(), "URL dependencies must be expressed as direct requirements") {
		t.Errorf("an address in a package's own requirements: got %v, want it refused", err)
	}
	request.Packages = []string{"delta==2.0"}
	if _, _, err := p.Resolve(t.Context(), trusted.Run, request); err != nil {
		t.Errorf("the twin with a name: got %v, want it resolved", err)
	}
	request.Packages = []string{"alpha==3.0"}
	if _, _, err := p.Resolve(t.Context(), trusted.Run, request); fault.ReasonOf(err) != "unresolvable" {
		t.Errorf("a version that is not there: got %v, want unresolvable", err)
	}
	server.Close()
	request.Packages = []string{"gamma==1.0"}
	if _, _, err := p.Resolve(t.Context(), trusted.Run, request); fault.ReasonOf(err) != "resolver" {
		t.Errorf("no index: got %v, want it not to be a statement about the package", err)
	}
}

// indexEnvironment is what of this machine's environment says where the package
// index is and how to get there.
func indexEnvironment() map[string]string {
	env := map[string]string{}
	for _, name := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "UV_DEFAULT_INDEX", "PIP_INDEX_URL", WheelHosts} {
		env[name] = os.Getenv(name)
	}
	return env
}

// The same against the package index that uv is configured with.
func TestUVOverNetwork(t *testing.T) {
	if os.Getenv("PATCH_GIT_NETWORK_TESTS") != "1" {
		t.Skip("needs the package index: set PATCH_GIT_NETWORK_TESTS=1")
	}
	p := realUV(t, indexEnvironment())
	in, err := p.Find(t.Context(), "3.12", true)
	if err != nil {
		in = anyPython(t, p)
	}
	start := time.Now()
	c, lock, err := p.Resolve(t.Context(), trusted.Run, Request{
		Packages: []string{"pdfplumber==0.11.4", "pillow==11.0.0"}, Python: in.Minor(), Targets: Targets(),
		Progress: func(step string) { t.Log(step, time.Since(start).Round(time.Millisecond)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("resolved in %v, lock %d bytes", time.Since(start), len(lock))
	for name, wheels := range c.Targets {
		var bytes int64
		for _, w := range wheels {
			bytes += w.Size
		}
		t.Logf("%s: %d wheels, %d bytes", name, len(wheels), bytes)
	}
	start = time.Now()
	var last string
	env, err := p.Install(t.Context(), in, c, InstallOptions{Progress: func(now Progress) {
		if now.Step != last {
			last = now.Step
			t.Log(now.Step, time.Since(start).Round(time.Millisecond), now.Done, now.Total)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("installed in %v", time.Since(start))
	for range 3 {
		start = time.Now()
		out := run(t, p, in, "import pdfplumber, PIL.Image, cryptography.fernet\nprint(PIL.Image.new('RGB', (2, 3)).size)\n", Call{Args: []byte("{}"), Env: env})
		if string(out.Stdout) != "(2, 3)\n" {
			t.Fatalf("got %q, %s", out.Stdout, out.Stderr)
		}
		t.Logf("ran in %v", time.Since(start))
	}
}
