//go:build linux

package acttest

import (
	"bytes"
	"encoding/json"
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
	if err := product(filepath.Join(dir, "patch-git")); err != nil {
		return err
	}
	lenient, err := lenientRules(dir)
	if err != nil {
		return err
	}
	return product(filepath.Join(dir, "patch-git-lenient"), "-overlay="+lenient)
}

// product builds the program of this repository.
func product(file string, flags ...string) error {
	c := exec.Command("go", append(append([]string{"build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w"}, flags...), "-o", file, "../../cmd/patch-git")...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return nil
}

// lenientRules is a file for the compiler by which the program is an earlier
// edition of itself: one to which work at import is not worth an error.
func lenientRules(dir string) (string, error) {
	rules, err := filepath.Abs("../../quarantine/rules_python.go")
	if err != nil {
		return "", err
	}
	src, err := os.ReadFile(rules)
	if err != nil {
		return "", err
	}
	const strict = `ID: "PY-002", Severity: bad, `
	if bytes.Count(src, []byte(strict)) != 1 {
		return "", fmt.Errorf("%s has no single %s", rules, strict)
	}
	earlier := filepath.Join(dir, "rules_python.go")
	if err := os.WriteFile(earlier, bytes.Replace(src, []byte(strict), []byte(`ID: "PY-002", Severity: warn, `), 1), 0o600); err != nil {
		return "", err
	}
	doc, err := json.Marshal(map[string]any{"Replace": map[string]string{rules: earlier}})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, doc, 0o600)
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
