package realtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	// lane is the variable that asks for these tests; "0" asks for none.
	lane = "PATCH_GIT_SIGSTORE_TESTS"
	// cacheFolder is the variable with the folder that programs are kept in.
	cacheFolder = "PATCH_GIT_SIGSTORE_CACHE"
)

// program is one that is built from a Go module of a fixed version, once.
type program struct {
	name, path, version string
	toolchain           string // as in GOTOOLCHAIN
	module              string // of those that are built as a dependency; see gh
}

// The real thing, built by the Go that is here unless it is too old for it. The
// go.mod of timestamp-server asks for 1.27.
var (
	fulcio = program{name: "fulcio", path: "github.com/sigstore/fulcio", version: "v1.8.8", toolchain: "auto"}
	tsa    = program{name: "timestamp-server", path: "github.com/sigstore/timestamp-authority/v2/cmd/timestamp-server", version: "v2.1.5", toolchain: "go1.27.0"}
	rekor  = program{name: "posix", path: "github.com/sigstore/rekor-tiles/v2/cmd/rekor-server/posix", version: "v2.3.0", toolchain: "auto"}
	cosign = program{name: "cosign", path: "github.com/sigstore/cosign/v3/cmd/cosign", version: "v3.1.3", toolchain: "auto"}
	// What the action asks about attestations. go install wants to know all versions
	// of a module, and not every proxy has the list of this one.
	gh = program{name: "gh", path: "github.com/cli/cli/v2/cmd/gh", version: "v2.83.0", toolchain: "auto", module: "github.com/cli/cli/v2"}
)

// packages are of the npm registry, for a second opinion by other authors.
var packages = []string{"@sigstore/verify@4.1.3", "@sigstore/bundle@5.0.1", "@sigstore/protobuf-specs@0.5.2"}

// buildTime is plenty for the largest on a busy machine.
const buildTime = 20 * time.Minute

// wanted skips a test that nobody asked for.
func wanted(t *testing.T) {
	t.Helper()
	if v := os.Getenv(lane); v == "" || v == "0" {
		t.Skipf("%s=%q: the real services of Sigstore are not asked for; see make test-sigstore", lane, v)
	}
}

// cached returns a folder of the cache that make has filled, now or earlier. It
// skips the test where make says that the network is not there.
func cached(t *testing.T, name string, fill func(ctx context.Context, dir string) error) string {
	t.Helper()
	root := os.Getenv(cacheFolder)
	if root == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		root = filepath.Join(user, "patch-git-sigstore")
	}
	dir := filepath.Join(root, name)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	// Beside it, so that it can be renamed.
	fresh := filepath.Join(root, fmt.Sprintf(".making-%d", os.Getpid()))
	if err := os.MkdirAll(fresh, 0o755); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	ctx, cancel := context.WithTimeout(t.Context(), buildTime)
	defer cancel()
	began := time.Now()
	if err := fill(ctx, fresh); errors.Is(err, errOffline) {
		t.Skipf("%s is not in the cache and cannot be fetched: %v", name, err)
	} else if err != nil {
		t.Fatalf("make %s: %v", name, err)
	}
	t.Logf("made %s in %.0f s", name, time.Since(began).Seconds())
	// Complete or not there at all. Somebody else may have been faster.
	if err := os.Rename(fresh, dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// errOffline says that no registry answered at all. A registry that says no is
// another matter.
var errOffline = errors.New("the package registry cannot be reached")

var offline = regexp.MustCompile(`dial tcp|no such host|server misbehaving|network is unreachable|i/o timeout|TLS handshake timeout|module lookup disabled by GOPROXY=off|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT`)

// fetching runs a command that fetches packages.
func fetching(c *exec.Cmd) error {
	text, err := output(c)
	if err == nil {
		return nil
	}
	if offline.MatchString(text) {
		err = errOffline
	}
	return fmt.Errorf("%w\n%s", err, text[max(0, len(text)-4000):])
}

// built returns the file of a program.
func (p program) built(t *testing.T) string {
	t.Helper()
	dir := cached(t, p.name+"@"+p.version, func(ctx context.Context, dir string) error {
		c := exec.CommandContext(ctx, "go", "install", "-ldflags=-s -w", p.path+"@"+p.version)
		if p.module != "" {
			mod := "module built\n\ngo 1.25.0\n\nrequire " + p.module + " " + p.version + "\n"
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644); err != nil {
				return err
			}
			c = exec.CommandContext(ctx, "go", "install", "-mod=mod", "-ldflags=-s -w", p.path)
		}
		c.Dir = dir
		c.Env = append(os.Environ(), "GOBIN="+dir, "GOTOOLCHAIN="+p.toolchain, "GOWORK=off")
		return fetching(c)
	})
	return filepath.Join(dir, p.name)
}

// modules returns the folder with node's modules, or "" and why there is none.
func modules(t *testing.T) (dir, why string) {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", "there is no " + tool
		}
	}
	t.Run("install", func(t *testing.T) {
		dir = cached(t, strings.NewReplacer("/", "-", "@sigstore", "js").Replace(strings.Join(packages, "+")), func(ctx context.Context, dir string) error {
			c := exec.CommandContext(ctx, "npm", append([]string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir}, packages...)...)
			c.Dir = dir
			return fetching(c)
		})
	})
	if dir == "" {
		return "", "it could not be installed"
	}
	return filepath.Join(dir, "node_modules"), ""
}
