package host

import (
	"errors"
	"io"
	"os"
)

// console joins the two devices that a Windows console has.
type console struct {
	io.Reader
	io.Writer
	in, out *os.File
}

// openTerminal opens the console, which is there even if all standard streams
// are redirected, and not there in a service.
func openTerminal() (io.ReadWriteCloser, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return &console{Reader: in, Writer: out, in: in, out: out}, nil
}

func (c *console) Close() error { return errors.Join(c.in.Close(), c.out.Close()) }

// openScreen is nil: a console that is read key by key has no way of being
// asked to stop reading.
var openScreen func() (Screen, error)

// descriptor is that of the console's input.
func descriptor(tty io.ReadWriteCloser) (int, error) {
	if c, ok := tty.(*console); ok {
		return int(c.in.Fd()), nil
	}
	return -1, errors.New("not a console")
}
