//go:build linux

package acttest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

const (
	actVersion = "v0.2.89"
	// cacheFolder is the variable with the folder that act is kept in.
	cacheFolder = "PATCH_GIT_ACT_CACHE"
)

// errOffline says that the Go proxy did not answer at all. One that says no is
// another matter.
var errOffline = errors.New("the package registry cannot be reached")

var offline = regexp.MustCompile(`dial tcp|no such host|server misbehaving|network is unreachable|i/o timeout|TLS handshake timeout|module lookup disabled by GOPROXY=off`)

// build puts act and the program of this repository, as it is released, into a
// folder.
func build(dir string) error {
	act, err := cachedAct()
	if err != nil {
		return err
	}
	if err := os.Symlink(act, filepath.Join(dir, "act")); err != nil {
		return err
	}
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, "patch-git"), "../../cmd/patch-git")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return nil
}

// cachedAct is the file of act, built now or earlier.
func cachedAct() (string, error) {
	root := os.Getenv(cacheFolder)
	if root == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		root = filepath.Join(user, "patch-git-act")
	}
	dir := filepath.Join(root, "act@"+actVersion)
	file := filepath.Join(dir, "act")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	// Beside it, so that it can be renamed: complete or not there at all.
	fresh := filepath.Join(root, fmt.Sprintf(".making-%d", os.Getpid()))
	if err := os.MkdirAll(fresh, 0o755); err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	began := time.Now()
	c := exec.Command("go", "install", "-ldflags=-s -w", "github.com/nektos/act@"+actVersion)
	c.Dir, c.Env = fresh, append(os.Environ(), "GOBIN="+fresh, "GOWORK=off", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := c.CombinedOutput(); offline.Match(out) {
		return "", fmt.Errorf("%w: %.400s", errOffline, out)
	} else if err != nil {
		return "", fmt.Errorf("build act: %w\n%s", err, out)
	}
	fmt.Fprintf(os.Stderr, "acttest: built act in %.0f s\n", time.Since(began).Seconds())
	// Somebody else may have been faster.
	if err := os.Rename(fresh, dir); err != nil {
		if _, there := os.Stat(file); there != nil {
			return "", err
		}
	}
	return file, nil
}
