package consume

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
)

const readerTool = `# ---
# name: read_text
# version: 1.0.0
# description: Return what a file says.
# inputs:
#   - name: source_path
#     type: string
#     description: The file to read.
#     required: true
# outputs:
#   type: string
#   description: The text.
# capabilities:
#   network: false
#   filesystem: read-only
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# ---

import json
import sys


def main(source_path):
    with open(source_path, encoding="utf-8") as file:
        return file.read()


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
`

// TestRace exchanges a file, and the folder around it, for links to a secret,
// over and over, while runs are granted the path. None may read the secret.
func TestRace(t *testing.T) {
	h := host.System()
	h.Paths = paths.Paths{Root: filepath.Join(t.TempDir(), "state")}
	h.Terminal = host.Terminal{}
	client, err := New(h)
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := yard(t, map[string]string{
		"up/in/file": "given", "up/in/linkfile": "../../.ssh/file", "up/linkin": "../.ssh", ".ssh/file": "secret",
	})
	s, _, err := Local("tool.py", []byte(readerTool))
	if err != nil {
		t.Fatal(err)
	}
	args := arguments(t, map[string]string{"source_path": filepath.Join(dir, "up/in/file")})
	run := func() (string, error) {
		ran, err := client.Run(t.Context(), s, args, RunOptions{Agree: true})
		var text string
		if err == nil {
			err = json.Unmarshal(ran.Result, &text)
		}
		return text, err
	}
	text, err := run()
	if fault.KindOf(err) == fault.Unavailable || fault.ReasonOf(err) == "sandbox_unavailable" {
		t.Skipf("no tool runs here: %v", err)
	}
	if err != nil || text != "given" {
		t.Fatalf("the twin, where nothing is exchanged: %q, %v", text, err)
	}
	done := make(chan struct{})
	var ended sync.WaitGroup
	// By descriptors, because by paths the two would meet, and would carry the
	// secret itself to the place that is granted.
	for name, link := range map[string]string{"up/in/file": "linkfile", "up/in": "linkin"} {
		at, err := unix.Open(filepath.Join(dir, filepath.Dir(name)), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Close(at) }()
		ended.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					_ = unix.Renameat2(at, filepath.Base(name), at, link, unix.RENAME_EXCHANGE)
					time.Sleep(100 * time.Microsecond)
				}
			}
		})
	}
	defer ended.Wait()
	defer close(done)
	seen := map[string]int{}
	begin := time.Now()
	racing := func() bool { // a busy machine needs longer to see both
		since := time.Since(begin)
		return since < time.Second || (seen["ran"] == 0 || len(seen) < 2) && since < 20*time.Second
	}
	for racing() {
		text, err := run()
		var why *fault.Error
		switch {
		case strings.Contains(text, "secret"):
			t.Fatal("a run read the secret")
		case err == nil:
			seen["ran"]++
		case errors.As(err, &why) && why.Kind == fault.Denied:
			seen[why.Reason]++
		case fault.KindOf(err) == fault.ToolFailed || fault.ReasonOf(err) == "path":
			seen["other"]++ // the path was a moment's, and nobody found it
		default:
			t.Fatalf("%v (%s)", err, fault.ReasonOf(err))
		}
	}
	t.Logf("%v", seen)
	if seen["ran"] == 0 || len(seen) < 2 {
		t.Errorf("%v is no race", seen)
	}
}
