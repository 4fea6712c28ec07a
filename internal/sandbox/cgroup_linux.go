package sandbox

import (
	"bytes"
	"errors"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// groups is a directory of cgroup v2 in which this process may make groups
// with limits on memory and processes. nil is a host that has none for us.
type groups struct{ dir string }

// place is a directory that may turn out to be one.
type place struct {
	dir string
	// alone: this process is the only member, and stands in the way of its own
	// children: a group with members cannot limit what is below it.
	alone bool
}

// controllers are what a run's group needs of the hierarchy.
var controllers = [...]string{"memory", "pids"}

// callerGroup is where a process goes that steps aside for its children.
const callerGroup = groupPrefix + "caller"

// findGroups looks for a place and tries it, and says why there is none. root
// comes before every path that is read, "" for the real ones.
func findGroups(root string) (*groups, error) {
	all, err := places(root)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		g := &groups{p.dir}
		if err = g.open(p.alone); err == nil {
			return g, nil
		}
	}
	return nil, err
}

// places lists where groups of ours would not be among what belongs to
// others, best first.
func places(root string) ([]place, error) {
	table, err := os.ReadFile(root + "/proc/self/cgroup")
	if err != nil {
		return nil, noGroups("it is not to be seen which group this process is in")
	}
	mounts, err := os.ReadFile(root + "/proc/self/mountinfo")
	if err != nil {
		return nil, noGroups("the mounts are not to be seen")
	}
	own := ownGroup(table)
	if own == "" {
		return nil, noGroups("this process is in no group of cgroup v2 that it can see")
	}
	top, rest, ok := groupMount(mounts, own)
	if !ok {
		return nil, noGroups("cgroup v2 is not mounted, to be written to, where the group of this process is")
	}
	dir := root + path.Join(top, rest)
	if !has(dir, "cgroup.controllers") {
		return nil, noGroups("its hierarchy has no controllers for memory and processes")
	}
	var found []place
	switch kind := read(dir, "cgroup.type"); {
	case kind == "" && os.Getuid() == 0: // the root of all groups, for which no rule about members holds
		found = append(found, place{dir, false})
	case kind == "domain" && given(dir, own == "/"):
		found = append(found, place{dir, read(dir, "cgroup.procs") == strconv.Itoa(os.Getpid())})
	}
	// The group above, when the whole of it was handed to this user, as
	// systemd does with a user's own services.
	if above := path.Dir(dir); rest != "" && read(above, "cgroup.type") == "domain" && given(above, path.Dir(own) == "/") {
		found = append(found, place{above, false})
	}
	if len(found) == 0 {
		return nil, noGroups("the group of this process is not its own to divide")
	}
	return found, nil
}

// given tells whether a group was handed to this process to divide. To root
// nothing is forbidden, so root asks for more: that whoever made the group
// says so, or that it is all there is in this container. The others are asked
// by the kernel.
func given(dir string, outermost bool) bool {
	var mark [1]byte
	for _, name := range []string{"user.delegate", "trusted.delegate"} {
		if n, err := unix.Getxattr(dir, name, mark[:]); n == 1 && err == nil && mark[0] == '1' {
			return true
		}
	}
	if os.Getuid() == 0 {
		return outermost
	}
	return unix.Access(dir, unix.W_OK) == nil
}

// ownGroup reads the group of cgroup v2 out of /proc/self/cgroup; "" when there
// is none in sight of this process' cgroup namespace.
func ownGroup(table []byte) string {
	for line := range bytes.Lines(table) {
		if own, ok := bytes.CutPrefix(bytes.TrimSuffix(line, []byte("\n")), []byte("0::")); ok && cleanAbsolute(string(own)) {
			return string(own)
		}
	}
	return ""
}

// groupMount finds, in /proc/self/mountinfo, where the hierarchy is mounted
// that a group is in, to be written to: the mount, and the way from there to
// the group. A later mount may lie over an earlier one.
func groupMount(mounts []byte, own string) (top, rest string, found bool) {
	for line := range bytes.Lines(mounts) {
		before, after, _ := bytes.Cut(line, []byte(" - "))
		f, kind := bytes.Fields(before), bytes.Fields(after)
		if len(f) < 6 || len(kind) < 3 || string(kind[0]) != "cgroup2" || among(f[5], "ro") || among(kind[2], "ro") {
			continue
		}
		from, at := unescape(f[3]), unescape(f[4])
		if !cleanAbsolute(from) || !cleanAbsolute(at) || !below(own, from) {
			continue
		}
		if from == "/" {
			from = ""
		}
		if top, rest = at, own[len(from):]; rest == "/" {
			rest = ""
		}
		found = true
	}
	return top, rest, found
}

// only tells whether a comma-separated list has a word.
func among(list []byte, word string) bool {
	for w := range bytes.SplitSeq(list, []byte(",")) {
		if string(w) == word {
			return true
		}
	}
	return false
}

// unescape undoes what the kernel does to spaces in a list of mounts: a
// backslash and three octal digits.
func unescape(b []byte) string {
	var out []byte
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' && i+3 < len(b) {
			if n, err := strconv.ParseUint(string(b[i+1:i+4]), 8, 8); err == nil {
				out = append(out, byte(n))
				i += 3
				continue
			}
		}
		out = append(out, b[i])
	}
	return string(out)
}

// open makes the place ready, tries it with a group that nobody enters, and
// clears away what callers left who were killed.
func (g *groups) open(alone bool) error {
	if !g.real() {
		return noGroups(g.dir + " is not of cgroup v2")
	}
	g.sweep()
	if err := g.enable(); err != nil && alone {
		err = g.stepAside()
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	r, err := g.make(Limits{Memory: leastGroup, Processes: 1})
	r.remove()
	if err != nil {
		return noGroups("a group in " + g.dir + ": " + err.Error())
	}
	return nil
}

// real tells whether the directory is of cgroup v2, and no look-alike.
func (g *groups) real() bool {
	var fs unix.Statfs_t
	return unix.Statfs(g.dir, &fs) == nil && fs.Type == unix.CGROUP2_SUPER_MAGIC
}

// enable hands the controllers on to what is below.
func (g *groups) enable() error {
	if !has(g.dir, "cgroup.controllers", controllers[:]...) {
		return noGroups(g.dir + " has no controllers for memory and processes")
	}
	for _, c := range controllers {
		if has(g.dir, "cgroup.subtree_control", c) {
			continue
		}
		if err := write(g.dir, "cgroup.subtree_control", "+"+c); err != nil {
			return noGroups("the controller for " + c + " cannot be handed on in " + g.dir + ": " + err.Error())
		}
	}
	return nil
}

// stepAside moves this process, the only member, one group down. It moves back
// when that does not help.
func (g *groups) stepAside() error {
	aside, self := g.dir+"/"+callerGroup, strconv.Itoa(os.Getpid())
	if err := unix.Mkdir(aside, 0o755); err != nil && err != unix.EEXIST {
		return noGroups("a group in " + g.dir + ": " + err.Error())
	}
	err := write(aside, "cgroup.procs", self)
	if err == nil {
		err = g.enable()
	}
	if err != nil {
		_ = write(g.dir, "cgroup.procs", self)
		_ = unix.Rmdir(aside)
	}
	return err
}

// noGroups says why the kernel's own limits over a tree are not to be had.
func noGroups(why string) error { return errors.New(why) }

// has tells whether a file of a group has all these words, or any at all.
func has(dir, file string, words ...string) bool {
	list := strings.Fields(read(dir, file))
	for _, w := range words {
		if !slices.Contains(list, w) {
			return false
		}
	}
	return len(list) > 0
}

// read is what a file of a group holds, without the line's end; "" for
// whatever cannot be read.
func read(dir, file string) string {
	b, err := os.ReadFile(dir + "/" + file)
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(b))
}

// write gives a file of a group one value; the kernel takes it at once or not
// at all.
func write(dir, file, value string) error {
	fd, err := unix.Open(dir+"/"+file, unix.O_WRONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	_, err = unix.Write(fd, []byte(value))
	return err
}
