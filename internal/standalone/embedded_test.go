package standalone_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/standalone"
	"github.com/patch-cat/patch-git/internal/standalone/repack"
	"github.com/patch-cat/patch-git/spec"
)

func TestNewArchive(t *testing.T) {
	facts := "3.14.6 20260610 linux/amd64 triple " + spec.DigestOf([]byte("content")).Hex()
	a, err := standalone.NewArchive(facts, "content", "linux", "amd64")
	if err != nil {
		t.Fatal(err)
	}
	if a.Minor() != "3.14" || a.Size != 7 || !strings.HasPrefix(a.ID(), "embedded-3.14.6-") {
		t.Errorf("got %+v, %s", a, a.ID())
	}
	if age := a.Age(time.Date(2026, 6, 20, 0, 0, 0, 0, time.UTC)); age != 10*24*time.Hour {
		t.Errorf("age %v", age)
	}
	// The content is what the digest says, and is no archive.
	if err := a.Unpack(t.TempDir()); fault.ReasonOf(err) != "python_unsafe" {
		t.Errorf("got %v", err)
	}
	if a, err = standalone.NewArchive(facts, "contenT", "linux", "amd64"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := a.Unpack(dir); fault.ReasonOf(err) != "python_digest" || fault.KindOf(err) != fault.NotVerified {
		t.Errorf("damaged: got %v", err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("damaged: left %v, %v", list, err)
	}
	for name, f := range map[string]string{"none": "", "short": "3.14.6 20260610", "version": strings.Replace(facts, "3.14.6", "3.14", 1)} {
		if _, err := standalone.NewArchive(f, "content", "linux", "amd64"); err == nil {
			t.Errorf("%s: facts pass", name)
		}
	}
	if _, err := standalone.NewArchive(facts, "content", "linux", "arm64"); err == nil {
		t.Error("an archive for another platform passes")
	}
}

func embedded(tb testing.TB) *standalone.Archive {
	tb.Helper()
	a := standalone.Embedded(runtime.GOOS, runtime.GOARCH)
	if a == nil {
		tb.Skip("this build embeds no interpreter: see make test-embed")
	}
	return a
}

// The interpreter of the full flavour has bytecode for all of its modules, of
// the kind that is used unchecked, and its licence, and it starts.
func TestEmbedded(t *testing.T) {
	a := embedded(t)
	dir := t.TempDir()
	if err := a.Unpack(dir); err != nil {
		t.Fatal(err)
	}
	if n, err := repack.Compiled(dir); err != nil || n < 400 {
		t.Errorf("%d modules: %v", n, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "lib", "python"+a.Minor(), "LICENSE.txt")); err != nil {
		t.Error(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "bin", "python3"), "-I", "-S", "-B", "-c",
		"import sys, ssl, sqlite3, zlib, lzma, bz2, ctypes, hashlib, zoneinfo, json; print(sys.version.split()[0], json.__cached__)")
	cmd.Env = []string{}
	out, err := cmd.CombinedOutput()
	if want := fmt.Sprintf("%s %s/", a.Version, dir); err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("got %s, %v, want %s", out, err, want)
	}
}

func BenchmarkEmbeddedUnpack(b *testing.B) {
	a := embedded(b)
	b.SetBytes(a.Size)
	for b.Loop() {
		if err := a.Unpack(b.TempDir()); err != nil {
			b.Fatal(err)
		}
	}
}
