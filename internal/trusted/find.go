package trusted

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/spec"
)

// Find looks for a program on PATH. A folder that is not absolute is wherever the
// person happens to be, which may be a stranger's checkout.
func Find(h *host.Host, name string) (string, error) {
	if name == "" || strings.ContainsAny(name, "/\\\x00") { // it would lead out of those folders
		return "", fault.New(fault.NotFound, "no_program", "%s is no name of a program", spec.Quote(name))
	}
	if h.GOOS == "windows" {
		name += ".exe"
	}
	for _, dir := range filepath.SplitList(h.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fault.New(fault.NotFound, "no_program", "there is no %s on PATH", name)
}
