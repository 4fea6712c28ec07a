package tooltests

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// toolsDir is laid out as every registry's: tools/<ab>/<name>/<version>/.
const toolsDir = "../tools"

// version is one version directory.
type version struct {
	dir, name, version string
	format             spec.Format // "" is Patch
}

func (v version) String() string { return v.name + "@" + v.version }

func (v version) main() string {
	return filepath.Join(v.dir, cmp.Or(v.format, spec.FormatPatch).MainFile())
}

// allVersions are those of Patch tools, which are run here; TestFormats looks at the
// others.
func allVersions(t *testing.T) []version {
	t.Helper()
	return slices.DeleteFunc(versionDirs(t), func(v version) bool {
		_, err := os.Stat(v.main())
		return err != nil
	})
}

func versionDirs(t *testing.T) []version {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(toolsDir, "*", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var out []version
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			out = append(out, version{dir, filepath.Base(filepath.Dir(dir)), filepath.Base(dir), ""})
		}
	}
	if len(out) == 0 {
		t.Fatalf("there are no tools in %s", toolsDir)
	}
	return out
}

// TestTools plays the cases of every tool without packages, on the Python that
// the product chooses. With PATCH_GIT_ALL_PYTHONS=1 also on the lowest and the
// highest one here.
func TestTools(t *testing.T) {
	t.Parallel()
	root := realDir(t)
	first := firstLane(t, root)
	lanes := []lane{first}
	if os.Getenv("PATCH_GIT_ALL_PYTHONS") == "1" {
		lanes = append(lanes, otherLanes(t, root, first)...)
	}
	for _, l := range lanes {
		t.Run(l.name, func(t *testing.T) {
			for _, v := range allVersions(t) {
				data, err := os.ReadFile(v.main())
				if err != nil {
					t.Error(err)
					continue
				}
				s, _, err := consume.Local(v.main(), data)
				if fault.ReasonOf(err) == "no_closure" {
					continue // TestPackages
				}
				if err != nil {
					t.Errorf("%s: %v", v, err)
					continue
				}
				t.Run(v.String(), func(t *testing.T) {
					for _, c := range casesOf(t, v.name, v.version) {
						t.Run(c.name, func(t *testing.T) {
							t.Parallel()
							c.play(t, l, s)
						})
					}
				})
			}
		})
	}
}
