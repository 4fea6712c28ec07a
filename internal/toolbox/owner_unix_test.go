//go:build unix

package toolbox_test

import (
	"os"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/toolbox"
)

// TestSharedStateIsRefused: who can plant a file in the state decides whom the
// user trusts.
func TestSharedStateIsRefused(t *testing.T) {
	dir := t.TempDir()
	open := func() error {
		_, err := toolbox.Open(paths.Paths{Root: dir}, time.Now)
		return err
	}
	if err := open(); err != nil {
		t.Fatalf("a folder of one's own: %v", err)
	}
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if err := open(); fault.KindOf(err) != fault.Denied {
		t.Errorf("a folder that all can write: %v", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	if err := os.Chown(dir, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if err := open(); fault.KindOf(err) != fault.Denied {
		t.Errorf("a folder of somebody else: %v", err)
	}
}
