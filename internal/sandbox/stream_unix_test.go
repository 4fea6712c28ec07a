//go:build unix

package sandbox

import (
	"io"
	"os"
	"testing"
	"time"
)

// TestStreamLate: a pipe that somebody holds open is read as far as it is
// filled, and no further, once its deadline has passed.
func TestStreamLate(t *testing.T) {
	for _, text := range []string{"", "the last words"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close()
		if _, err := w.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := r.SetReadDeadline(time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(&stream{File: r})
		if err != nil || string(got) != text {
			t.Errorf("got %q, %v; want %q", got, err, text)
		}
	}
}
