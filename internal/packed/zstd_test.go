package packed

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestZstdReadsIt: the program of the format's authors makes the same of what
// is packed here.
func TestZstdReadsIt(t *testing.T) {
	zstd, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("there is no program zstd on PATH")
	}
	lines := catalogue(3000)
	old := join(lines)
	lines[1] = bytes.ToUpper(lines[1])
	lines = append(append(lines[:1000:1000], catalogue(3100)[3050]), lines[1200:]...)
	now := join(lines)
	dir := t.TempDir()
	write := func(name string, data []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole, err := Pack(now)
	out, cmdErr := exec.CommandContext(t.Context(), zstd, "-dc", write("whole.zst", whole, err)).Output()
	if cmdErr != nil || !bytes.Equal(out, now) {
		t.Errorf("packed: %d bytes, %v", len(out), cmdErr)
	}
	patch, err := Patch(old, now)
	out, cmdErr = exec.CommandContext(t.Context(), zstd, "-dc", "--patch-from="+write("old", old, nil), write("patch.zst", patch, err)).Output()
	if cmdErr != nil || !bytes.Equal(out, now) {
		t.Errorf("patched: %d bytes, %v", len(out), cmdErr)
	}
}
