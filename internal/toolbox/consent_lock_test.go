package toolbox_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/toolbox"
)

// What the other process is told: the state, and what it takes away there.
const (
	otherState = "PATCH_GIT_TEST_TOOLBOX"
	otherTakes = "PATCH_GIT_TEST_TOOLBOX_TAKES"
)

// TestOther is another process, which holds the toolbox until its input ends, and takes
// something away by then; without orders it is none.
func TestOther(t *testing.T) {
	root := os.Getenv(otherState)
	if root == "" {
		t.Skip("only for TestKeptUnderTheLock, which starts it")
	}
	unlock, err := durable.Lock(t.Context(), paths.Paths{Root: root}.Lock(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Fprintln(os.Stdout, "held")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		t.Fatal(err)
	}
	if what := os.Getenv(otherTakes); what != "" {
		if err := os.RemoveAll(what); err != nil {
			t.Fatal(err)
		}
	}
	unlock()
}

// TestKeptUnderTheLock: while another process writes, nobody records a yes or values;
// and of a tool that it removed nothing is recorded at all.
func TestKeptUnderTheLock(t *testing.T) {
	for name, keep := range map[string]func(*toolbox.Toolbox, toolbox.Receipt) error{
		"a yes":  func(b *toolbox.Toolbox, r toolbox.Receipt) error { return b.Agree(r, net, "", false) },
		"values": func(b *toolbox.Toolbox, r toolbox.Receipt) error { return b.KeepDeployed(r, toolbox.Deployed{}) },
	} {
		for _, removes := range []bool{true, false} { // the twin does not
			t.Run(fmt.Sprintf("%s, removed %v", name, removes), func(t *testing.T) {
				s := newScene(t)
				r := s.install("1.0.0")
				folder := filepath.Join(s.paths.Receipts(), string(r.Name))
				cmd := exec.Command(os.Args[0], "-test.run=^TestOther$")
				cmd.Env = append(os.Environ(), otherState+"="+s.paths.Root)
				if removes {
					cmd.Env = append(cmd.Env, otherTakes+"="+folder)
				}
				in, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				out, err := cmd.StdoutPipe()
				if err == nil {
					err = cmd.Start()
				}
				if err != nil {
					t.Fatal(err)
				}
				for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "held"; {
				}
				done := make(chan error, 1)
				go func() { done <- keep(s.box, r) }()
				select {
				case err := <-done:
					t.Fatalf("it did not wait: %v", err)
				case <-time.After(100 * time.Millisecond):
				}
				if err := in.Close(); err != nil {
					t.Fatal(err)
				}
				go func() { _, _ = io.Copy(io.Discard, out) }()
				err = <-done
				if werr := cmd.Wait(); werr != nil {
					t.Fatal(werr)
				}
				if removes {
					if _, serr := os.Stat(folder); fault.KindOf(err) != fault.NotFound || err == nil || !errors.Is(serr, fs.ErrNotExist) {
						t.Errorf("got %v, and the folder: %v", err, serr)
					}
				} else if err != nil {
					t.Errorf("the twin: %v", err)
				}
			})
		}
	}
}
