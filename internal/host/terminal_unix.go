//go:build unix

package host

import (
	"errors"
	"io"
	"os"
)

// openTerminal opens the terminal that controls this process, which is there
// even if all standard streams are redirected, and not there in a service.
func openTerminal() (io.ReadWriteCloser, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }

// descriptor is that of an open terminal.
func descriptor(tty io.ReadWriteCloser) (int, error) {
	if f, ok := tty.(*os.File); ok {
		return int(f.Fd()), nil
	}
	return -1, errors.New("not a terminal")
}
