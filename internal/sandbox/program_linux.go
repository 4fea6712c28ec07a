package sandbox

import (
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
)

// systemPlaces are where a program of the system is looked for. The user's
// PATH is not asked: whoever can write to a directory of it would be the
// sandbox.
var systemPlaces = [...]string{"/usr/bin", "/bin", "/usr/local/bin"}

// systemProgram opens a program of the system, which is looked at and executed
// as this one file, whatever its name leads to meanwhile. It must be root's,
// and nobody else may write to it. Tests have a place of their own.
func systemProgram(name, place string) (*os.File, error) {
	places := systemPlaces[:]
	if place != "" {
		places = []string{place}
	}
	for _, dir := range places {
		fd, err := unix.Open(path.Join(dir, name), unix.O_PATH|unix.O_CLOEXEC, 0)
		if err == unix.ENOENT {
			continue
		}
		f := os.NewFile(uintptr(fd), path.Join(dir, name))
		var st unix.Stat_t
		if err == nil {
			err = unix.Fstat(fd, &st)
		}
		why := ""
		switch {
		case err != nil:
			why = err.Error()
		case st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mode&0o111 == 0:
			why = "it is no program"
		case st.Uid != 0:
			why = "it does not belong to root"
		case st.Mode&0o022 != 0:
			why = "others than its owner can write to it"
		default:
			return f, nil
		}
		_ = f.Close()
		return nil, refusal("%s is not trusted: %s", path.Join(dir, name), why)
	}
	return nil, refusal("there is no %s in %s", name, strings.Join(places, ", "))
}

// refusal is a host's no to one driver.
func refusal(format string, args ...any) *hostRefusal {
	return &hostRefusal{fault.New(fault.Denied, "sandbox_unavailable", format, args...)}
}

// by is the command executed as an opened program, until done is called. The
// descriptor for that lies far above those that the fork moves about to put
// the files of the child at their numbers.
func (c command) by(f *os.File) (_ command, done func(), err error) {
	for _, apart := range []int{4096, 512} { // who may have no more than 1024 gets the second
		var fd int
		if fd, err = unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, apart); err == nil {
			c.path = "/proc/self/fd/" + strconv.Itoa(fd)
			return c, func() { _ = unix.Close(fd) }, nil
		}
	}
	return c, nil, failed(stepStart, f.Name(), err).classify()
}

// programsKey names the programs of the system that drivers live on, as they
// are now.
func programsKey(places []string) string {
	var key []string
	for _, name := range []string{"bwrap", "docker", "podman"} {
		for _, dir := range places {
			var st unix.Stat_t
			if unix.Stat(path.Join(dir, name), &st) == nil {
				key = append(key, name, decimal(st.Dev), decimal(st.Ino), decimal(st.Size), decimal(st.Ctim.Nano()))
			}
		}
	}
	return strings.Join(key, " ")
}
