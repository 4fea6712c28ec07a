//go:build unix

package provision

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// victimVariable makes this binary an installer that ends by its own SIGKILL.
const victimVariable = "PATCH_GIT_TEST_PROVISION_VICTIM"

type victim struct {
	Root   string
	Tool   spec.Tool
	Step   int  // the change on disk after which it dies
	Remove bool // what is installed, in place of installing
}

var killed = release("killed")

// TestKilledChild is the process that is killed; without orders it is none.
func TestKilledChild(t *testing.T) {
	order := os.Getenv(victimVariable)
	if order == "" {
		t.Skip("only for TestKilled, which starts it")
	}
	var v victim
	if err := json.Unmarshal([]byte(order), &v); err != nil {
		t.Fatal(err)
	}
	p := newProvisioner(t, http.DefaultClient)
	p.Host.Paths.Root = v.Root
	p.after = func(string) {
		if v.Step--; v.Step == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way
		}
	}
	p.Progress = func(string, int64, int64) { p.after("progress") }
	var err error
	if v.Remove {
		err = p.Remove(t.Context(), killed)
	} else {
		_, err = p.Install(t.Context(), Request{Tool: &v.Tool, Release: killed})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestKilled kills whoever installs, or removes, after each change on disk. What is
// found then is whole or not there; the same once more ends as if nothing had happened.
func TestKilled(t *testing.T) {
	// In many pieces, so that some die with half of the file written.
	long := program + strings.Repeat("# padding\n", 20_000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(long)) }))
	defer s.Close()
	repo := newRepository(t)
	sha := repo.commit(map[string]string{"run.sh*": "#!/bin/sh\necho hello\n", "lib/a.txt": "aaaa", "link@": "lib/a.txt"})
	for name, tool := range map[string]*spec.Tool{
		"url": toolOf(spec.Deployment{Install: spec.Artifact{Method: "url", URL: s.URL + "/mail", SHA256: sumOf(long)}, Command: []string{"mail"}}),
		"git": gitTool("file://"+repo.dir, sha, "", "./run.sh"),
	} {
		t.Run(name, func(t *testing.T) {
			r := Request{Tool: tool, Release: killed}
			want := newProvisioner(t, s.Client())
			if _, err := want.Install(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			whole := contents(t, want)
			for _, remove := range []bool{false, true} {
				kills, before := 0, 0
				for step := 1; ; step++ {
					p := newProvisioner(t, s.Client())
					if remove {
						if _, err := p.Install(t.Context(), r); err != nil {
							t.Fatal(err)
						}
					}
					died := kill(t, victim{p.Host.Paths.Root, *tool, step, remove})
					_, err := p.Load(killed)
					switch there := err == nil; {
					case !there && fault.ReasonOf(err) != "not_provisioned":
						t.Errorf("step %d: what was left is loaded: %v", step, err)
					case there:
						if got := contents(t, p); !slices.Equal(got, whole) {
							t.Errorf("step %d: half of it is loaded: %q", step, got)
						}
					}
					if (err == nil) == remove {
						before++ // the old state still stands
					}
					if _, err := p.Install(t.Context(), r); err != nil {
						t.Fatalf("step %d: once more: %v", step, err)
					}
					if got := contents(t, p); !slices.Equal(got, whole) {
						t.Errorf("step %d: once more ends in %q, want %q", step, got, whole)
					}
					if left, _ := filepath.Glob(filepath.Join(p.Host.Paths.Prefixes(), "*"+stageMark+"*")); len(left) != 0 {
						t.Errorf("step %d: left: %q", step, left)
					}
					if err := p.Remove(t.Context(), killed); err != nil || tree(t, p.Host.Paths.Root) != "" {
						t.Errorf("step %d: removed: %v, left %s", step, err, tree(t, p.Host.Paths.Root))
					}
					if kills++; !died {
						kills--
						break
					}
				}
				if least := map[bool]int{false: 5, true: 2}[remove]; kills < least {
					t.Errorf("removing %v: only %d kills", remove, kills)
				}
				t.Logf("removing %v: %d kills, %d of them before it was done", remove, kills, before)
			}
		})
	}
}

// contents are the files of the installed artifact, with what they hold.
func contents(t *testing.T, p *Provisioner) (all []string) {
	t.Helper()
	dir := filepath.Join(p.dir(killed), rootDir)
	names, err := listed(dir)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := treeDigest(dir, names)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		all = append(all, strings.TrimPrefix(n, dir))
	}
	return append(all, digest.String())
}

// kill tells whether the child died by its own hand; it came to its end otherwise.
func kill(t *testing.T, v victim) bool {
	t.Helper()
	order, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
	cmd.Env = append(os.Environ(), victimVariable+"="+string(order))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !ws.Signaled() || ws.Signal() != syscall.SIGKILL {
		t.Fatalf("the child was not killed at step %d: %v\n%s", v.Step, err, out)
	}
	return true
}
