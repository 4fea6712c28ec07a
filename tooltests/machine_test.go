package tooltests

import (
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// lowestPython is what this repository's tools without packages declare.
const lowestPython = "3.9"

// testHost is this machine as the program sees it, with the state of a user
// who lives in root. python is the interpreter that the user points at, if any.
func testHost(root, python string) *host.Host {
	h := host.System()
	h.Paths = paths.Paths{Root: root}
	h.Terminal = host.Terminal{} // nobody is asked
	if python != "" {
		getenv := h.Getenv
		h.Getenv = func(name string) string {
			if name == pyenv.Override {
				return python
			}
			return getenv(name)
		}
	}
	return h
}

// realDir is a fresh directory, spelled without links, as mounts must be.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func newClient(t *testing.T, h *host.Host) *consume.Client {
	t.Helper()
	c, err := consume.New(h)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// openBox opens the sandbox as the client does. Linux always has one; a
// machine of another kind that has none can run no tool at all.
func openBox(t *testing.T, h *host.Host) *sandbox.Sandbox {
	t.Helper()
	box, err := sandbox.Open(t.Context(), ahead.Options(h.Paths, h.Now))
	if fault.ReasonOf(err) == "sandbox_unavailable" && runtime.GOOS != "linux" {
		t.Skipf("no tool runs on %s: %v", runtime.GOOS, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// lane is one interpreter that cases run on.
type lane struct {
	name   string // "python3.12"
	client *consume.Client
	python string // what every run must report, "3.12.1"
}

// firstLane runs tools on the interpreter that the product chooses. Where
// there is none the test fails: to skip would be to pass without having run
// anything.
func firstLane(t *testing.T, root string) lane {
	t.Helper()
	h := testHost(root, "")
	in, err := pyenv.New(h, openBox(t, h)).Find(t.Context(), lowestPython, false)
	if err != nil {
		t.Fatalf("the tools of this repository need Python %s or newer to be tested: %v\n  %s", lowestPython, err, strings.Join(fault.HintsOf(err), "\n  "))
	}
	return lane{"python" + in.Minor(), newClient(t, h), in.Version}
}

// otherLanes are the lowest and the highest Python on this machine, without
// the one that the product chooses.
func otherLanes(t *testing.T, root string, chosen lane) []lane {
	t.Helper()
	h := testHost(root, "")
	all, _, err := pyenv.New(h, openBox(t, h)).Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byMinor := map[int]pyenv.Interpreter{}
	for _, in := range all {
		minor, err := strconv.Atoi(strings.TrimPrefix(in.Minor(), "3."))
		if err != nil {
			t.Fatal(err)
		}
		byMinor[minor] = in
	}
	minors := slices.Sorted(maps.Keys(byMinor))
	var out []lane
	for _, minor := range slices.Compact([]int{minors[0], minors[len(minors)-1]}) {
		if in := byMinor[minor]; "python"+in.Minor() != chosen.name {
			out = append(out, lane{"python" + in.Minor(), newClient(t, testHost(root, in.Path)), in.Version})
		}
	}
	return out
}
