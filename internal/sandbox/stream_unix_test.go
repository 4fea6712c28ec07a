//go:build unix

package sandbox

import (
	"io"
	"os"
	"syscall"
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

// TestQuietUnderSignals: the scheduler sends its threads signals all the time, and one
// that waits for the thread makes a look at a pipe fail. That is no word of the program.
func TestQuietUnderSignals(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				_ = syscall.Kill(os.Getpid(), syscall.SIGURG) // which the runtime passes over
			}
		}
	}()
	loud := 0
	for range 200_000 {
		if !quiet(r) {
			loud++
		}
	}
	close(stop)
	<-stopped
	if loud > 0 {
		t.Errorf("%d of 200000 looks at a pipe in which nothing is found something", loud)
	}
	if _, err := w.WriteString("x"); err != nil || quiet(r) {
		t.Errorf("a byte is not seen, %v", err)
	}
}
