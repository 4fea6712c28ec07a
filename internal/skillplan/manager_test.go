package skillplan

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestManager: a shim of a manager of versions is asked with the manager's folder in
// sight. The twins differ in one thing, and nothing beyond their own folder is shown.
func TestManager(t *testing.T) {
	for name, c := range map[string]struct {
		shims, beside, home string
		want                string
	}{
		"of pyenv":              {".pyenv/shims", ".pyenv/versions", "", ".pyenv"},
		"of asdf":               {".asdf/shims", ".asdf/installs", "", ".asdf"},
		"nothing beside them":   {".pyenv/shims", ".pyenv/plugins", "", ""},
		"of another name":       {".pyenv/bin", ".pyenv/versions", "", ""},
		"in the home":           {"home/shims", "home/versions", "home", ""},
		"above the home":        {"above/shims", "above/versions", "above/home", ""},
		"of nobody with a home": {".pyenv/shims", ".pyenv/versions", "none", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			top := filepath.Dir(w.repo)
			w.env["HOME"] = filepath.Join(top, c.home, "me")
			switch c.home {
			case "home", "above/home":
				w.env["HOME"] = filepath.Join(top, c.home)
			case "none":
				delete(w.env, "HOME")
			}
			shims := filepath.Join(top, c.shims)
			write(t, filepath.Join(shims, "prog"), "x", 0o755)
			write(t, filepath.Join(shims, "other"), "x", 0o755)
			if err := os.MkdirAll(filepath.Join(top, c.beside), 0o755); err != nil {
				t.Fatal(err)
			}
			w.env["PATH"] = shims
			w.plan(t)
			if len(w.box.jobs) == 0 {
				t.Fatal("nothing was asked")
			}
			shown := func(dir string) bool {
				return slices.ContainsFunc(w.box.jobs[0].Mounts, func(m sandbox.Mount) bool { return m.Target == dir && !m.Write })
			}
			if !shown(shims) {
				t.Error("its own folder is not shown")
			}
			if got := shown(filepath.Dir(shims)); got != (c.want != "") {
				t.Errorf("the folder above is shown: %v", got)
			}
		})
	}
}
