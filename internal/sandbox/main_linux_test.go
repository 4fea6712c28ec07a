package sandbox_test

import (
	"os"
	"testing"
)

// TestMain becomes an actor of a test where the binary was started as one.
func TestMain(m *testing.M) {
	actor()
	os.Exit(m.Run())
}
