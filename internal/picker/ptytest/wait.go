package ptytest

import (
	"testing"
	"time"
)

// patience is for the slowest machine; a test that passes does not wait.
const patience = 30 * time.Second

// Until waits for something to be seen and fails with the screen where it is not.
func (t *Terminal) Until(tb testing.TB, what string, seen func(*Terminal) bool) {
	tb.Helper()
	late := time.After(patience)
	for {
		t.mu.Lock()
		wrote := t.wrote
		t.mu.Unlock()
		if seen(t) {
			return
		}
		select {
		case <-wrote:
		case <-late:
			tb.Fatalf("%s is not seen; what is seen:\n%s\n(problems: %q)", what, t.Text(), t.Problems())
		}
	}
}
