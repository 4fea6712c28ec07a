// Package vmtest boots a kernel whose control groups are all of version 2, in a
// machine that qemu emulates, and runs the tests of package sandbox there. It
// holds tests alone. The lane is slow and fetches Debian's packages, so it runs
// only when it is asked for, see the Makefile.
package vmtest

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	// lane is the variable that asks for these tests.
	lane = "PATCH_GIT_CGROUP_TESTS"
	// cacheFolder is the variable with the folder that packages are kept in.
	cacheFolder = "PATCH_GIT_CGROUP_CACHE"
	// otherKernel is the variable with a kernel to boot instead of Debian's.
	otherKernel = "PATCH_GIT_CGROUP_KERNEL"
)

// patience is how long all scenes may take; a busy machine takes two minutes.
const patience = 12 * time.Minute

// TestMain becomes the first process of the machine where it is that.
func TestMain(m *testing.M) {
	if os.Getpid() == 1 {
		boot()
	}
	if os.Getenv("VM_SHELL") != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	os.Exit(m.Run())
}

// TestControlGroups runs every scene in one machine.
func TestControlGroups(t *testing.T) {
	if os.Getenv(lane) != "1" {
		t.Skipf("boots a machine; %s=1 asks for it", lane)
	}
	d := debian(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tests := filepath.Join(t.TempDir(), "sandbox.test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", tests, "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the tests: %v\n%s", err, out)
	}
	image := filepath.Join(t.TempDir(), "initramfs")
	d.image(t, image, map[string]string{"init": "/proc/self/exe", "sandbox.test": tests})
	said := d.qemu(ctx, t, image)
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			log, ended := between(said, sceneBegins+s.name, sceneEnds+s.name)
			t.Logf("%s", summary(log))
			if !ended {
				t.Fatalf("the machine stopped before the end:\n%s", tail(said))
			}
			if !bytes.Contains(log, []byte("\nPASS")) || bytes.Contains(log, []byte("--- FAIL")) {
				t.Errorf("failed:\n%s", log)
			}
		})
	}
}

// between returns what the machine said from one line to another, and whether
// it came to the second.
func between(said []byte, begins, ends string) ([]byte, bool) {
	_, after, _ := bytes.Cut(said, []byte(begins+"\n"))
	log, _, ended := bytes.Cut(after, []byte(ends+"\n"))
	return log, ended
}

var resultLine = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP)`)

// summary is how each test ended.
func summary(log []byte) string {
	var out strings.Builder
	lines := bufio.NewScanner(bytes.NewReader(log))
	for lines.Scan() {
		if line := lines.Text(); resultLine.MatchString(line) || strings.HasPrefix(line, "vm: ") || strings.Contains(line, "_test.go:") {
			out.WriteString("\n" + line)
		}
	}
	return out.String()
}

func tail(b []byte) []byte { return b[max(0, len(b)-4000):] }
