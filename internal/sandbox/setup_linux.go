package sandbox

import (
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// step is a point at which the set-up of a sandbox can fail. The numbers
// travel from the helper to the caller's side of the same program.
type step byte

const (
	stepStart step = iota // clone, with the namespaces
	stepNames             // the user namespace's user
	stepOrder
	stepParent // the caller died
	stepPrivate
	stepSource // a mount's source: the job's doing
	stepSame   // a source, or what is hidden, is not what was judged
	stepClone
	stepRoot
	stepTarget // a mount's target: the job's doing
	stepDevice
	stepProc
	stepFile
	stepPivot
	stepLandlock
	stepLimit
	stepCaps
	stepSeal // no_new_privs, descriptors
	stepFilter
	stepDir
	stepUplink // the link to the job's uplink
	stepExec   // the program itself
	stepShape  // a root that another program built is not as it was asked for
	steps      // how many there are
)

// Each step says what it does and what a failure of it means.
var stepTable = [steps]struct {
	does  string
	means fault.Kind
	// host: another driver may do without this step.
	host bool
}{
	stepStart:    {"make namespaces", fault.Denied, true},
	stepNames:    {"name the user of the namespace", fault.Denied, true},
	stepOrder:    {"read the order", fault.Internal, false},
	stepParent:   {"stay with the caller", fault.Interrupted, false},
	stepPrivate:  {"take the mounts apart", fault.Denied, true},
	stepSource:   {"open", fault.Denied, false},
	stepSame:     {"find again", fault.Denied, false},
	stepClone:    {"clone the mount of", fault.Denied, true},
	stepRoot:     {"build the root", fault.Denied, true},
	stepTarget:   {"mount on", fault.Usage, false},
	stepDevice:   {"mount the device", fault.Denied, true},
	stepProc:     {"mount proc", fault.Denied, true},
	stepFile:     {"write", fault.Unavailable, false},
	stepPivot:    {"change the root", fault.Denied, true},
	stepLandlock: {"apply landlock", fault.Denied, true},
	stepLimit:    {"set the limit", fault.Denied, false},
	stepCaps:     {"drop capabilities", fault.Denied, true},
	stepSeal:     {"seal the process", fault.Denied, true},
	stepFilter:   {"apply seccomp", fault.Denied, true},
	stepDir:      {"enter", fault.Usage, false},
	stepUplink:   {"make a network", fault.Denied, false},
	stepExec:     {"start", fault.Unavailable, false},
	stepShape:    {"trust the root", fault.Denied, true},
}

// setupError is a failed step.
type setupError struct {
	step  step
	errno unix.Errno
	what  string // the path or the limit, "" when the step says it all
}

func (e *setupError) Error() string {
	s := stepTable[e.step].does
	if e.what != "" {
		s += " " + spec.Quote(e.what)
	}
	return s + ": " + e.errno.Error()
}

func (e *setupError) Unwrap() error { return e.errno }

// failed makes the error of a step; err must hold an Errno, or it is EIO.
func failed(s step, what string, err error) *setupError {
	errno, ok := errors.AsType[unix.Errno](err)
	if !ok {
		errno = unix.EIO
	}
	return &setupError{s, errno, what}
}

// classify turns a failed step into the error that callers branch on.
func (e *setupError) classify() error {
	row := stepTable[e.step]
	switch {
	case e.errno == unix.ENOMEM || e.errno == unix.EAGAIN || e.errno == unix.EMFILE || e.errno == unix.ENFILE:
		// The host is short of something at this moment.
		return fault.New(fault.Unavailable, "sandbox_setup", "sandbox: %w", e)
	case e.step == stepSame:
		return e.changed()
	case row.host:
		return &hostRefusal{fault.New(row.means, "sandbox_unavailable", "%w", e)}
	case e.step == stepSource && e.errno == unix.ENOENT:
		return fault.New(fault.Unavailable, "mount_source", "sandbox: %w", e)
	case e.step == stepSource && (e.errno == unix.ELOOP || e.errno == unix.EXDEV):
		return fault.New(fault.Denied, "mount_source", "sandbox: mount source %s leads through a symbolic link", spec.Quote(e.what))
	case e.step == stepSource && e.errno == errNoFile:
		return fault.New(fault.Denied, "mount_source", "sandbox: %s is neither a file nor a folder", spec.Quote(e.what))
	case e.step == stepSource:
		return fault.New(fault.Denied, "mount_source", "sandbox: %w", e)
	case e.step == stepTarget:
		return fault.New(row.means, "mount_target", "sandbox: %w", e)
	case e.step == stepUplink:
		return noUplink(e.Error())
	case e.step == stepExec:
		return fault.New(row.means, "exec", "sandbox: %w", e)
	}
	return fault.New(row.means, "sandbox_setup", "sandbox: %w", e)
}

// What the helper writes to the status pipe: any number of notes, then either
// the word that the program is about to start or a failure. Every exit of the
// helper but execve writes a failure, so a pipe that ends with started says
// that the program ran.
const (
	statusNoPidMax byte = 'p' // the pid namespace could not be bounded
	statusNoIPv6   byte = '4' // the uplink carries IPv4 alone
	statusStarted  byte = 's'
	statusFailed   byte = 'f' // then step, errno (4 bytes), what
	statusLine     byte = 'l' // of a plan: then line, errno (4 bytes each), step
)

// maxStatus is beyond what a helper writes.
const maxStatus = 64 << 10

func (e *setupError) encode() []byte {
	b := []byte{statusFailed, byte(e.step)}
	b = binary.BigEndian.AppendUint32(b, uint32(e.errno))
	return append(b, e.what...)
}

// errBrokenStatus is what no process of ours says.
var errBrokenStatus = errors.New("sandbox helper sent a broken status")

// readStatus reads what the helper wrote until it ended or became the program.
func readStatus(b []byte, p *plan) (noPidMax bool, err error) {
	started := false
	for i, c := range b {
		switch c {
		case statusNoPidMax:
			noPidMax = true
		case statusNoIPv6: // a kernel without it has none to filter
		case statusStarted:
			started = true
		case statusFailed:
			rest := b[i+1:]
			if len(rest) < 5 || rest[0] >= byte(steps) {
				return noPidMax, errBrokenStatus
			}
			return noPidMax, &setupError{step(rest[0]), unix.Errno(binary.BigEndian.Uint32(rest[1:])), string(rest[5:])}
		case statusLine:
			rest := b[i+1:]
			if len(rest) != 9 || rest[8] >= byte(steps) {
				return noPidMax, errBrokenStatus
			}
			return noPidMax, &setupError{step(rest[8]), unix.Errno(binary.BigEndian.Uint32(rest[4:])), p.what(binary.BigEndian.Uint32(rest))}
		default:
			return noPidMax, errBrokenStatus
		}
	}
	if !started {
		return noPidMax, fault.New(fault.Unavailable, "sandbox_setup", "%w", errNoStart)
	}
	return noPidMax, nil
}
