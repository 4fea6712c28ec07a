package sandbox

import (
	"os"
	"path"
	"strings"
)

// The cache file holds a driver's name, on the next line what it was tried
// under, and then what was found about control groups: in each line the group
// that this program was started in, and where it may make groups of its own,
// or nothing. Whatever else it holds is as if it were not there. A wrong name
// costs one failed start: only confining drivers have names. A wrong place for
// groups is none, or one where this user may limit his own processes.

const (
	maxRemembered = 8 << 10 // beyond what remember writes
	maxPlaces     = 16      // lines about control groups: terminals, services
)

// notes are what the cache file says under the present conditions.
type notes struct {
	driver string
	places []string // as in the file, newest first
}

func readNotes(file string) (n notes) {
	if file == "" {
		return n
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRemembered {
		return n
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return n
	}
	lines := strings.Split(string(b), "\n")
	if len(lines) < 2 || lines[1] == "" || lines[1] != conditions(lines[0]) {
		return n
	}
	return notes{lines[0], lines[2:min(len(lines), 2+maxPlaces)]}
}

// place looks up where groups of ours may be; ok tells that this is known.
func (n notes) place(own string) (g *groups, ok bool) {
	for _, line := range n.places {
		from, dir, ok := strings.Cut(line, "\t")
		if !ok || from != own {
			continue
		}
		if g = (&groups{dir}); dir == "" || !cleanAbsolute(dir) || !g.real() {
			g = nil
		}
		return g, g != nil || dir == ""
	}
	return nil, false
}

// remembered is the driver that worked under the present conditions, or "",
// and the place for control groups, or nil. A place that is not known yet, as
// in a new terminal, is looked for.
func remembered(file string) (string, *groups) {
	n := readNotes(file)
	if n.driver == "" {
		return "", nil
	}
	table, _ := os.ReadFile("/proc/self/cgroup")
	g, ok := n.place(ownGroup(table))
	if !ok {
		g, _ = findGroups("")
		remember(file, n.driver, g)
	}
	return n.driver, g
}

// remember notes the driver and the place. A failure to do so costs the next
// command a try.
func remember(file, name string, g *groups) {
	if file == "" {
		return
	}
	table, _ := os.ReadFile("/proc/self/cgroup")
	own, dir := ownGroup(table), ""
	if g != nil {
		dir = g.dir
	}
	lines := []string{name, conditions(name), own + "\t" + dir}
	for _, old := range readNotes(file).places {
		if len(lines) < 2+maxPlaces && !strings.HasPrefix(old, own+"\t") && old != "" {
			lines = append(lines, old)
		}
	}
	text := strings.Join(lines, "\n")
	if strings.Count(text, "\t") != len(lines)-2 || len(text) > maxRemembered {
		return
	}
	f, err := os.CreateTemp(path.Dir(file), ".sandbox-*")
	if err != nil {
		return
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}

// conditions are what a driver was tried under: the boot, and for those that
// live on a program of the system that program.
func conditions(driver string) string {
	if driver == "bubblewrap" || driver == "container" {
		return bootKey() + " " + programsKey(systemPlaces[:])
	}
	return bootKey()
}

func forget(file string) {
	if file != "" {
		_ = os.Remove(file)
	}
}
