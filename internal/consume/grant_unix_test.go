//go:build unix

package consume

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// TestGrantKinds refuses doors that have the shape of a file.
func TestGrantKinds(t *testing.T) {
	dir, j := yard(t, map[string]string{"file": "x"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // the name of a socket must be short
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	for name, ok := range map[string]bool{"pipe": false, "socket": false, "file": true} {
		_, _, err := given(t, fileTool(spec.FilesystemReadOnly), arguments(t, nil), typed([]string{name}, nil), j)
		if (err == nil) != ok || err != nil && fault.KindOf(err) != fault.Denied {
			t.Errorf("%s: %v", name, err)
		}
	}
}
