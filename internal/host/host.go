// Package host holds the Host value: what a program may know of and do to the
// machine around it. main makes one; nobody below it reads the environment,
// the clock, the standard streams or the default HTTP client by itself.
package host

import (
	"io"
	"net/http"
	"os"
	"time"

	"github.com/patch-cat/patch-git/internal/paths"
)

// Host is made once, in main or in a test, and handed down.
type Host struct {
	Stdin  io.Reader
	Stdout io.Writer // the answer
	Stderr io.Writer // the talk

	Getenv func(string) string
	// LookupEnv tells a variable that is set to nothing from one that is not set; nil
	// where nobody needs that.
	LookupEnv func(string) (string, bool)
	Now       func() time.Time
	Dir       string // working directory, absolute
	GOOS      string
	GOARCH    string
	Home      string // the user's home directory; "" when there is none
	Paths     paths.Paths
	HTTP      func() *http.Client // made on first use

	// Executable is the path of this program, for re-execution and for the
	// commands written into hosts' configurations.
	Executable string

	Terminal Terminal

	// StartedBy are the processes above this one, the nearest first, as far as
	// the system tells of them; errors.ErrUnsupported where it tells nothing.
	StartedBy func() ([]Process, error)
}

// Terminal says which streams a person is looking at.
type Terminal struct {
	Stdin, Stdout, Stderr bool
	Width                 int // columns of stderr; 0 when unknown
	// Open opens the terminal device for a prompt, apart from stdin and
	// stdout; nil or an error means that nobody can be asked.
	Open func() (io.ReadWriteCloser, error)
	// Screen takes the terminal device over until it is closed; nil where this
	// program cannot.
	Screen func() (Screen, error)
	// Hidden asks at the terminal device for what nobody may see; nil where nobody can
	// be asked.
	Hidden Hidden
}

// Screen is the terminal of a person with all that it does by itself turned
// off: keys come as they are pressed, Ctrl-C among them, and are not shown.
type Screen interface {
	// Read waits for keys. It ends with an error after Close.
	// Close gives the terminal back as it was. What was typed and not read is
	// thrown away, so that it answers no question that comes later.
	io.ReadWriteCloser
	// Size is how many characters fit on it; 80 by 24 where it does not say.
	Size() (columns, rows int)
	// Resized hears of another size.
	Resized() <-chan os.Signal
}

// Hidden asks for one line that is not shown while it is typed, and returns it without
// its end. It ends early, with the terminal as it was, when done is closed.
type Hidden func(question string, done <-chan struct{}) (string, error)
