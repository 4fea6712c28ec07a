package host

import (
	"errors"
	"io"
	"os"
	"reflect"
	"time"

	"golang.org/x/term"
)

// quiet is for how many milliseconds it is waited for the echo to be off. A terminal that
// had none before does not change.
const quiet = 200

// askHidden asks at the terminal that controls this process, with its echo off. A
// terminal whose echo cannot be turned off is not asked at all.
func askHidden(question string, done <-chan struct{}) (string, error) {
	tty, err := openTerminal()
	if err != nil {
		return "", err
	}
	fd, err := descriptor(tty)
	if err != nil {
		return "", errors.Join(err, tty.Close())
	}
	before, err := term.GetState(fd)
	if err != nil {
		return "", errors.Join(err, tty.Close())
	}
	type line struct {
		text []byte
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(fd)
		read <- line{text, err}
	}()
	// Who sees the question types, and what is typed before the echo is off is shown.
	for range quiet {
		if now, err := term.GetState(fd); err != nil || len(read) > 0 || !reflect.DeepEqual(now, before) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := io.WriteString(tty, question); err != nil {
		return "", errors.Join(err, term.Restore(fd, before)) // the reader stays
	}
	select {
	case l := <-read:
		_, werr := io.WriteString(tty, "\n")
		return string(l.text), errors.Join(l.err, werr, tty.Close())
	case <-done:
		// The reader stays until the process ends; the terminal must not stay silent.
		return "", errors.Join(os.ErrDeadlineExceeded, term.Restore(fd, before))
	}
}
