package sandbox

import (
	"os"
	"path"
	"strings"
)

// The cache file holds a driver's name and, on the next line, what it was
// tried under. Whatever else it holds is as if it were not there, and a wrong
// name costs one failed start: only confining drivers have names.

// maxRemembered is beyond what remember writes.
const maxRemembered = 1024

// remembered is the driver that worked under the present conditions, or "".
func remembered(file string) string {
	if file == "" {
		return ""
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRemembered {
		return ""
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	name, key, _ := strings.Cut(string(b), "\n")
	if key == "" || key != conditions(name) {
		return ""
	}
	return name
}

// remember notes the driver. A failure to do so costs the next command a try.
func remember(file, name string) {
	if file == "" {
		return
	}
	f, err := os.CreateTemp(path.Dir(file), ".sandbox-*")
	if err != nil {
		return
	}
	_, err = f.WriteString(name + "\n" + conditions(name))
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
