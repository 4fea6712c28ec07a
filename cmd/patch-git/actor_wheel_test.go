package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// wheelHouse FOLDER serves the wheels of a folder over https, sets $WHEELS to
// its address and has the program trust its certificate and go there. It also sets $MINOR
// to the version of the Python that is here, which a tool with packages has to
// name exactly.
func wheelHouse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: wheel-house folder")
	}
	ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o755))
	srv := httptest.NewTLSServer(http.FileServer(http.Dir(ts.MkAbs(args[0]))))
	ts.Defer(srv.Close)
	ca := filepath.Join(ts.Getenv("WORK"), "ca.pem")
	ts.Check(os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o644))
	ts.Setenv("SSL_CERT_FILE", ca)
	ts.Setenv("WHEELS", srv.URL)
	ts.Setenv(pyenv.WheelHosts, strings.TrimPrefix(srv.URL, "https://"))
	out, err := exec.Command("python3", "-c", `import sys; print("3.%d" % sys.version_info[1])`).Output()
	ts.Check(err)
	ts.Setenv("MINOR", strings.TrimSpace(string(out)))
}

// wheel FILE ENTRY TEXT packs a wheel with one file in it, called ENTRY.
func wheel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: wheel file entry text")
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	text := unescape(args[2])
	h := &zip.FileHeader{
		Name: args[1], Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(text)),
		CompressedSize64: uint64(len(text)), UncompressedSize64: uint64(len(text)),
	}
	f, err := w.CreateRaw(h) // sizes before the data, as wheels have them
	ts.Check(err)
	_, err = f.Write([]byte(text))
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o644))
}

// closureFile is the closure.json of one wheel that $WHEELS serves, for every
// platform; or that lies at $WHEEL_AT, or is for the platform $ONLY_FOR alone.
func closureFile(ts *testscript.TestScript, path string) []byte {
	data := []byte(ts.ReadFile(path))
	file := filepath.Base(path)
	name, _, _ := strings.Cut(file, "-")
	c := ledger.Closure{Schema: ledger.ClosureSchema, Python: ts.Getenv("MINOR"), Resolver: "nobody", Targets: map[string][]ledger.Wheel{}}
	targets, address := pyenv.Targets(), ts.Getenv("WHEEL_AT")
	if only := ts.Getenv("ONLY_FOR"); only != "" {
		targets = []string{only}
	}
	if address == "" {
		address = fmt.Sprintf("%s/%s", ts.Getenv("WHEELS"), file)
	}
	for _, target := range targets {
		c.Targets[target] = []ledger.Wheel{{
			Name: name, Version: "1.0.0", File: file, URL: address,
			SHA256: spec.Digest(sha256.Sum256(data)), Size: int64(len(data)),
		}}
	}
	return ledger.Encode(c)
}
