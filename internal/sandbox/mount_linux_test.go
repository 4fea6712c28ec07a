package sandbox_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// judged is a mount of what lies at a path now; whatever comes later is refused.
func judged(t *testing.T, path string) sandbox.Mount {
	t.Helper()
	src, err := sandbox.Hold(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return sandbox.Mount{Source: path, Target: path, Is: src.Is()}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// reader is a tool that says what it can read at a path.
func reader(t *testing.T, path string) sandbox.Job {
	t.Helper()
	return tool(t, "try: print(open("+strconv.Quote(path)+").read())\nexcept OSError as e: print(e.strerror)")
}

// TestMountChanged puts something else where a mount's source was judged, in
// every way that there is, before the sandbox is built.
func TestMountChanged(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		for name, swap := range map[string]func(t *testing.T, dir string){
			"another file": func(t *testing.T, dir string) {
				rename(t, dir+"/secret", dir+"/up/given/file")
			},
			"a link to another file": func(t *testing.T, dir string) {
				rename(t, dir+"/up/given/file", dir+"/old")
				link(t, dir+"/secret", dir+"/up/given/file")
			},
			"a link to the file itself": func(t *testing.T, dir string) {
				rename(t, dir+"/up/given/file", dir+"/old")
				link(t, dir+"/old", dir+"/up/given/file")
			},
			"a folder": func(t *testing.T, dir string) {
				rename(t, dir+"/up/given/file", dir+"/old")
				mkdir(t, dir+"/up/given/file")
			},
			"nothing": func(t *testing.T, dir string) { rename(t, dir+"/up/given/file", dir+"/old") },
			"another parent": func(t *testing.T, dir string) {
				rename(t, dir+"/up/given", dir+"/old")
				mkdir(t, dir+"/up/given")
				rename(t, dir+"/secret", dir+"/up/given/file")
			},
			"a link to another parent": func(t *testing.T, dir string) {
				rename(t, dir+"/up", dir+"/old")
				mkdir(t, dir+"/other/given")
				rename(t, dir+"/secret", dir+"/other/given/file")
				link(t, dir+"/other", dir+"/up")
			},
			"a file for its parent": func(t *testing.T, dir string) {
				rename(t, dir+"/up/given", dir+"/old")
				write(t, dir+"/up/given", "x")
			},
		} {
			dir := realTemp(t)
			mkdir(t, dir+"/up/given")
			write(t, dir+"/up/given/file", "given")
			write(t, dir+"/secret", "secret")
			job := reader(t, dir+"/up/given/file")
			job.Mounts = append(job.Mounts, judged(t, dir+"/up/given/file"))
			if out := run(t, s, job); string(out.Stdout) != "given\n" {
				t.Fatalf("the twin of %s: %s%s", name, out.Stdout, out.Stderr)
			}
			swap(t, dir)
			out, err := s.Run(t.Context(), job)
			if fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != "mount_changed" || out.Exit != -1 {
				t.Errorf("%s: %v (%s), %+v", name, err, fault.ReasonOf(err), out)
			}
		}
		// The other twin: the content may change, it is the same file.
		dir := realTemp(t)
		write(t, dir+"/file", "given")
		job := reader(t, dir+"/file")
		job.Mounts = append(job.Mounts, judged(t, dir+"/file"))
		write(t, dir+"/file", "written")
		if out := run(t, s, job); string(out.Stdout) != "written\n" {
			t.Errorf("a file that was written: %s%s", out.Stdout, out.Stderr)
		}
	})
}

// TestSwapAfterMount puts something else in a source's place when the sandbox
// is built and the program has not started: it sees what was judged, or nothing.
func TestSwapAfterMount(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		dir := realTemp(t)
		mkdir(t, dir+"/given")
		write(t, dir+"/given/file", "given")
		write(t, dir+"/secret", "secret")
		for _, path := range []string{dir + "/given/file", dir + "/given"} {
			job := reader(t, dir+"/given/file")
			job.Mounts = append(job.Mounts, judged(t, path))
			job.Gate = func() error {
				time.Sleep(200 * time.Millisecond) // the sandbox is built by now
				if err := os.Rename(path, dir+"/old"); err != nil {
					return err
				}
				return os.Symlink(dir+"/secret", path)
			}
			out, err := s.Run(t.Context(), job)
			if err != nil || strings.Contains(string(out.Stdout), "secret") {
				t.Errorf("%s: %v %s%s", path, err, out.Stdout, out.Stderr)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			rename(t, dir+"/old", path)
		}
	})
}

// TestLinkInMount: a link below a mount leads nowhere that was not given.
func TestLinkInMount(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		dir := realTemp(t)
		mkdir(t, dir+"/given")
		write(t, dir+"/secret", "secret")
		write(t, dir+"/given/file", "given")
		link(t, "../secret", dir+"/given/out")
		link(t, "file", dir+"/given/in")
		for path, want := range map[string]bool{"/given/out": false, "/given/in": true} {
			job := reader(t, dir+path)
			job.Mounts = append(job.Mounts, judged(t, dir+"/given"))
			if out := run(t, s, job); (string(out.Stdout) == "given\n") != want || strings.Contains(string(out.Stdout), "secret") {
				t.Errorf("%s: %s%s", path, out.Stdout, out.Stderr)
			}
		}
	})
}

// hiding is a folder with things that a job is to hide, and the job.
func hiding(t *testing.T, source string) (dir string, job sandbox.Job) {
	t.Helper()
	dir = realTemp(t)
	mkdir(t, dir+"/given/sub/.keys/deep")
	for _, f := range []string{"/given/sub/.env", "/given/sub/.keys/key", "/given/sub/.keys/deep/key"} {
		write(t, dir+f, "secret")
	}
	write(t, dir+"/given/sub/plain", "plain")
	job = tool(t, "import os, sys\nos.chdir("+strconv.Quote(dir+"/given")+")\n"+source)
	m := judged(t, dir+"/given")
	for _, p := range []string{"/given/sub/.env", "/given/sub/.keys"} {
		m.Hide = append(m.Hide, sandbox.Hidden{Path: dir + p, Is: judged(t, dir+p).Is})
	}
	job.Mounts = append(job.Mounts, m)
	return dir, job
}

func namespaces(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	elsewhere(t, "namespaces")
	s, err := sandbox.Open(t.Context(), sandbox.Options{Now: time.Now, Driver: "namespaces"})
	if err != nil {
		t.Skip(err)
	}
	return s
}

// TestHidden tries to get at what a mount hides.
func TestHidden(t *testing.T) {
	s := namespaces(t)
	for source, want := range map[string]string{
		"print(open('sub/plain').read(), repr(open('sub/.env').read()), os.listdir('sub/.keys'), sorted(os.listdir('sub')))": "plain '' [] ['.env', '.keys', 'plain']\n",
		// The twins of what follows: a file that nobody hides.
		"os.rename('sub/plain', 'sub/x'); print(open('sub/x').read())": "plain\n",
		"os.link('sub/plain', 'y'); print(open('y').read())":           "plain\n",
		tries("os.rename('sub/.env', 'x')"):                            "Device or resource busy\n",
		tries("os.rename('sub/.keys', 'x')"):                           "Device or resource busy\n",
		tries("os.link('sub/.env', 'x')"):                              "Invalid cross-device link\n",
		tries("os.unlink('sub/.env')"):                                 "Device or resource busy\n",
		tries("open('sub/.env', 'w')"):                                 "Read-only file system\n",
		tries("open('sub/.keys/key')"):                                 "No such file or directory\n",
		tries("os.chmod('sub/.env', 0o777)"):                           "Read-only file system\n",
		tries("print(os.listdir('/.hidden'))"):                         "Permission denied\n",
		// The folder above can be moved, and takes the masks along.
		"os.rename('sub', 'moved'); print(repr(open('moved/.env').read()), os.listdir('moved/.keys'))": "'' []\n",
		"import ctypes\nl = ctypes.CDLL(None, use_errno=True)\n" +
			"print([l.umount2(p, 2) for p in (b'sub/.env', b'sub/.keys')], repr(open('sub/.env').read()))": "[-1, -1] ''\n",
	} {
		_, job := hiding(t, source)
		job.Mounts[len(job.Mounts)-1].Write = true
		if out := run(t, s, job); string(out.Stdout) != want {
			t.Errorf("%s\ngot %s%s, want %s", source, out.Stdout, out.Stderr, want)
		}
	}
}

func tries(code string) string {
	return "try: " + code + "\nexcept OSError as e: print(e.strerror)"
}

// TestHiddenButNamed: what was named by itself is there, though it lies in what
// is hidden, and nothing beside it.
func TestHiddenButNamed(t *testing.T) {
	dir, job := hiding(t, "print(open('sub/.keys/deep/key').read(), os.listdir('sub/.keys'), os.listdir('sub/.keys/deep'))")
	job.Mounts = append(job.Mounts, judged(t, dir+"/given/sub/.keys/deep/key"))
	if out := run(t, namespaces(t), job); string(out.Stdout) != "secret ['deep'] ['key']\n" {
		t.Errorf("%s%s", out.Stdout, out.Stderr)
	}
}

// TestHiddenChanged: where something else lies in the place of what was to be
// hidden, that lies somewhere else.
func TestHiddenChanged(t *testing.T) {
	s := namespaces(t)
	for name, swap := range map[string]func(t *testing.T, dir string){
		"moved":         func(t *testing.T, dir string) { rename(t, dir+"/given/sub/.env", dir+"/given/sub/env") },
		"moved with up": func(t *testing.T, dir string) { rename(t, dir+"/given/sub", dir+"/given/other") },
		"another": func(t *testing.T, dir string) {
			rename(t, dir+"/given/sub/.env", dir+"/given/sub/env")
			write(t, dir+"/given/sub/.env", "x")
		},
		"a link": func(t *testing.T, dir string) {
			rename(t, dir+"/given/sub/.env", dir+"/given/sub/env")
			link(t, "env", dir+"/given/sub/.env")
		},
		"a link above": func(t *testing.T, dir string) {
			rename(t, dir+"/given/sub", dir+"/given/other")
			link(t, "other", dir+"/given/sub")
		},
	} {
		dir, job := hiding(t, "print('ran')")
		if out := run(t, s, job); string(out.Stdout) != "ran\n" {
			t.Fatalf("the twin: %s%s", out.Stdout, out.Stderr)
		}
		swap(t, dir)
		if out, err := s.Run(t.Context(), job); fault.ReasonOf(err) != "mount_changed" || out.Exit != -1 {
			t.Errorf("%s: %v, %+v", name, err, out)
		}
	}
}

// TestCannotHide: a driver that gives all of a folder or nothing refuses.
func TestCannotHide(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		_, job := hiding(t, "print('ran')")
		out, err := s.Run(t.Context(), job)
		if s.Driver() != "namespaces" {
			if fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != "cannot_hide" || out.Exit != -1 || len(fault.HintsOf(err)) == 0 {
				t.Errorf("%v, %+v", err, out)
			}
		} else if err != nil {
			t.Error(err)
		}
		job.Mounts[len(job.Mounts)-1].Hide = nil
		if out := run(t, s, job); string(out.Stdout) != "ran\n" {
			t.Errorf("the twin: %s%s", out.Stdout, out.Stderr)
		}
	})
}

// TestOfKernel: the kernel's own file systems are known wherever they are.
func TestOfKernel(t *testing.T) {
	for path, want := range map[string]bool{"/proc/self": true, realTemp(t): false} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := sandbox.OfKernel(f); got != want {
			t.Errorf("%s: %v", path, got)
		}
		_ = f.Close()
	}
	if _, err := sandbox.Hold("/proc/self/status"); fault.ReasonOf(err) != "mount_source" {
		t.Errorf("a file of the kernel: %v", err)
	}
}

// TestHideNonsense refuses to hide what is not in the mount, or what nobody
// looked at.
func TestHideNonsense(t *testing.T) {
	s := namespaces(t)
	for _, change := range []func(h *sandbox.Hidden, dir string){
		func(h *sandbox.Hidden, dir string) { h.Path = dir + "/given" },
		func(h *sandbox.Hidden, dir string) { h.Path = dir },
		func(h *sandbox.Hidden, dir string) { h.Path = dir + "/given/../x" },
		func(h *sandbox.Hidden, _ string) { h.Path = "sub/.env" },
		func(h *sandbox.Hidden, _ string) { h.Is = sandbox.Identity{} },
	} {
		dir, job := hiding(t, "print('ran')")
		if out := run(t, s, job); string(out.Stdout) != "ran\n" {
			t.Fatalf("the twin: %s%s", out.Stdout, out.Stderr)
		}
		m := &job.Mounts[len(job.Mounts)-1]
		m.Hide = slices.Clone(m.Hide)
		change(&m.Hide[0], dir)
		if out, err := s.Run(t.Context(), job); fault.ReasonOf(err) != "bad_job" || out.Exit != -1 {
			t.Errorf("%+v: %v", m.Hide[0], err)
		}
	}
}

// TestHiddenAndMounted: one of the two would win, and nobody said which.
func TestHiddenAndMounted(t *testing.T) {
	dir, job := hiding(t, "print('ran')")
	job.Mounts = append(job.Mounts, judged(t, dir+"/given/sub/.keys"))
	if _, err := namespaces(t).Run(t.Context(), job); fault.ReasonOf(err) != "bad_job" {
		t.Errorf("got %v", err)
	}
}
