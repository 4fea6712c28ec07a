package sandbox

import (
	"encoding/binary"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// librariesShown is a note of drivers that start the helper in the new root:
// one that was not linked statically needs the system's libraries there.
const librariesShown = "hidden paths: the system's libraries can be read, because this program was not linked statically"

// newBoxOrder is the order for a helper whose root another program builds.
func newBoxOrder(j Job, rehearsal bool) (*order, error) {
	j.Mounts = slices.Clone(j.Mounts)
	if j.Network {
		j.Mounts = append(j.Mounts, certificates()...)
	}
	if linked() {
		for _, m := range HostLibraries() {
			if !slices.ContainsFunc(j.Mounts, func(o Mount) bool { return below(m.Target, o.Target) || below(o.Target, m.Target) }) {
				j.Mounts = append(j.Mounts, m)
			}
		}
	}
	apart, err := hostSpaces(j.Network)
	if err != nil {
		return nil, err
	}
	o := &order{job: j, rehearsal: rehearsal, shape: shape{apart: apart, room: scratchRoom(j)}}
	o.sortMounts()
	return o, nil
}

// sortMounts puts what lies in another mount after it.
func (o *order) sortMounts() {
	slices.SortFunc(o.job.Mounts, func(a, b Mount) int { return strings.Compare(a.Target, b.Target) })
}

// look opens the source of each mount, without following a link, and notes
// which files they are.
func (o *order) look() ([]source, error) {
	all, err := openSources(o.job.Mounts)
	if err != nil {
		return nil, err
	}
	for i, s := range all {
		o.shape.seen = append(o.shape.seen, s.identity())
		// Whoever builds the root makes what is missing of a target. In the
		// mount that lies around it that would be made on the host.
		for k := i - 1; k >= 0; k-- {
			rest, inside := strings.CutPrefix(s.Target, all[k].Target+"/")
			if !inside {
				continue
			}
			if err := there(all[k].fd, rest, s.dir); err != nil {
				closeSources(all)
				return nil, failed(stepTarget, s.Target, err).classify()
			}
			break // the nearest hides those further out
		}
	}
	return all, nil
}

// there tells whether a path is in a directory, of the kind and with no link
// on its way.
func there(in int, name string, dir bool) error {
	fd, err := unix.Openat2(in, name, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if (st.Mode&unix.S_IFMT == unix.S_IFDIR) != dir {
		return unix.ENOTDIR
	}
	return nil
}

// etcFiles are all of /etc in such a root, for a program that is this user.
func etcFiles(uid int, network bool) []File {
	files := stubFiles(uid)
	if !network {
		return files
	}
	for _, f := range networkFiles() {
		if i := slices.IndexFunc(files, func(s File) bool { return s.Target == f.Target }); i >= 0 {
			files[i] = f
			continue
		}
		files = append(files, f)
	}
	return files
}

// linked tells whether this program needs a dynamic loader: its program
// headers name one. What cannot be read counts as such.
func linked() bool {
	f, err := os.Open(self)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 4096)
	n, _ := f.ReadAt(head, 0)
	return needsLoader(head[:n])
}

// needsLoader reads the beginning of a 64-bit ELF file: is there a PT_INTERP?
func needsLoader(b []byte) bool {
	const interp, headSize, least = 3, 64, 56
	if len(b) < headSize {
		return true
	}
	little := binary.LittleEndian // as both architectures are
	at, size, n := int64(little.Uint64(b[32:])), int64(little.Uint16(b[54:])), int64(little.Uint16(b[56:]))
	for i := range n {
		p := at + i*size
		if size < least || p < 0 || p+4 > int64(len(b)) {
			return true
		}
		if little.Uint32(b[p:]) == interp {
			return true
		}
	}
	return n == 0
}
