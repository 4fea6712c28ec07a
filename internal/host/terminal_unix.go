//go:build unix

package host

import (
	"io"
	"os"
)

// openTerminal opens the terminal that controls this process, which is there
// even if all standard streams are redirected, and not there in a service.
func openTerminal() (io.ReadWriteCloser, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }
