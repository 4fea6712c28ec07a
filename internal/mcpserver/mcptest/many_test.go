package mcptest

import (
	"path/filepath"
	"testing"
)

// TestMany: what is written by this room is what the program reads; Many looks
// itself, and says so.
func TestMany(t *testing.T) {
	if err := Many(t.Context(), filepath.Join(t.TempDir(), "state"), 12); err != nil {
		t.Fatal(err)
	}
}
