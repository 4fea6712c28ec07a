package sandbox

import (
	"path"
	"strconv"

	"golang.org/x/sys/unix"
)

// The user that the program is, inside: nobody's name, no rights, and a home
// that is the scratch.
const (
	innerID  = 1000
	userName = "tool"
)

// stubs are the files that libraries look up to name users and hosts. The
// order's own files come after them, so that a job with network can bring the
// host's resolver.
func stubFiles(uid int) []File {
	id := strconv.Itoa(uid)
	return []File{
		{Target: "/etc/passwd", Data: []byte(userName + ":x:" + id + ":" + id + "::" + ScratchDir + ":/bin/false\n")},
		{Target: "/etc/group", Data: []byte(userName + ":x:" + id + ":\n")},
		{Target: "/etc/hosts", Data: []byte("127.0.0.1 localhost\n::1 localhost\n")},
		{Target: "/etc/nsswitch.conf", Data: []byte("passwd: files\ngroup: files\nhosts: files dns\n")},
	}
}

func (r *root) stubs() *setupError { return r.writeAll(stubFiles(innerID)) }

// files writes the job's files, before anything can look.
func (r *root) files() *setupError { return r.writeAll(r.o.job.Files) }

func (r *root) writeAll(files []File) *setupError {
	for _, f := range files {
		if err := r.write(f); err != nil {
			return failed(stepFile, f.Target, err)
		}
	}
	return nil
}

func (r *root) write(f File) error {
	dir := r.fd
	name := path.Base(f.Target)
	for _, d := range parents(f.Target) {
		next, err := r.step(dir, d, false)
		if dir != r.fd {
			_ = unix.Close(dir)
		}
		if err != nil {
			return err
		}
		dir = next
	}
	if dir != r.fd {
		defer func() { _ = unix.Close(dir) }()
	}
	mode := uint32(f.Mode.Perm())
	if mode == 0 {
		mode = 0o444
	}
	// A stub gives way to the host's own file.
	if err := unix.Unlinkat(dir, name, 0); err != nil && err != unix.ENOENT {
		return err
	}
	fd, err := unix.Openat(dir, name, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, mode)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	return writeAll(fd, f.Data)
}

// parents are the directories on the way to a clean absolute path.
func parents(p string) []string {
	var names []string
	for d := path.Dir(p); d != "/"; d = path.Dir(d) {
		names = append([]string{path.Base(d)}, names...)
	}
	return names
}

// scopedSignals is the Landlock ABI from which a domain keeps signals to itself.
const scopedSignals = 6

// wall is Landlock behind the mounts: were one of them wrong, it would still
// be read-only. A kernel without it has the mounts alone.
func (r *root) wall() *setupError {
	abi := landlockABI()
	if abi == 0 {
		return nil
	}
	rules, err := newRuleset(abi, r.o.job.Network)
	if err != nil {
		return failed(stepLandlock, "", err)
	}
	readable := r.o.readable
	if len(readable) == 0 {
		readable = []string{"/"}
	}
	for _, p := range readable {
		if err := rules.allowPath(p, llRead); err != nil {
			return failed(stepLandlock, p, err)
		}
	}
	writable := []string{ScratchDir, "/dev/shm"}
	for _, m := range r.o.job.Mounts {
		if m.Write {
			writable = append(writable, m.Target)
		}
	}
	for _, p := range writable {
		if err := rules.allowPath(p, rules.writable()); err != nil {
			return failed(stepLandlock, p, err)
		}
	}
	for _, d := range devices {
		if err := rules.allowPath("/dev/"+d, llDevice); err != nil {
			return failed(stepLandlock, d, err)
		}
	}
	if err := rules.enforce(); err != nil {
		return failed(stepLandlock, "", err)
	}
	return nil
}
