package sandbox_test

import (
	"os"
	"testing"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestMain does what every main of this package's users does: the sandbox
// starts the test binary again as its helper.
func TestMain(m *testing.M) {
	sandbox.Helper()
	actor()
	os.Exit(m.Run())
}
