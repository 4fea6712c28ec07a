package host

import (
	"errors"
	"io"
	"os"

	"golang.org/x/term"
)

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
	if _, err := io.WriteString(tty, question); err != nil {
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
	select {
	case l := <-read:
		_, werr := io.WriteString(tty, "\n")
		return string(l.text), errors.Join(l.err, werr, tty.Close())
	case <-done:
		// The reader stays until the process ends; the terminal must not stay silent.
		return "", errors.Join(os.ErrDeadlineExceeded, term.Restore(fd, before))
	}
}
