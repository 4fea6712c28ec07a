package sandbox_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestBadJobs changes a job that runs in one point each, which no driver may
// accept.
func TestBadJobs(t *testing.T) {
	dir := realTemp(t)
	mkdir(t, dir+"/real")
	if err := os.Symlink(dir+"/real", dir+"/link"); err != nil {
		t.Fatal(err)
	}
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		if out := run(t, s, tool(t, "")); out.Exit != 0 {
			t.Fatalf("the good job: %+v", out)
		}
		mount := func(source, target string) func(*sandbox.Job) {
			return func(j *sandbox.Job) {
				j.Mounts = append(j.Mounts, sandbox.Mount{Source: source, Target: target})
			}
		}
		file := func(target string) func(*sandbox.Job) {
			return func(j *sandbox.Job) { j.Files = append(j.Files, sandbox.File{Target: target}) }
		}
		for _, c := range []struct {
			name   string
			change func(*sandbox.Job)
			reason string
			kind   fault.Kind
		}{
			{"no program", func(j *sandbox.Job) { j.Argv = nil }, "bad_job", fault.Usage},
			{"relative program", func(j *sandbox.Job) { j.Argv[0] = "python3" }, "bad_job", fault.Usage},
			{"zero byte", func(j *sandbox.Job) { j.Argv = append(j.Argv, "a\x00b") }, "bad_job", fault.Usage},
			{"environment", func(j *sandbox.Job) { j.Env = append(j.Env, "NOVALUE") }, "bad_job", fault.Usage},
			{"empty name", func(j *sandbox.Job) { j.Env = append(j.Env, "=x") }, "bad_job", fault.Usage},
			{"relative source", mount("data", "/data"), "bad_job", fault.Usage},
			{"dotdot source", mount(dir+"/real/../real", "/data"), "bad_job", fault.Usage},
			{"relative target", mount(dir+"/real", "data"), "bad_job", fault.Usage},
			{"dotdot target", mount(dir+"/real", "/data/../etc"), "bad_job", fault.Usage},
			{"whole host", mount("/", "/host"), "bad_job", fault.Usage},
			{"proc", mount("/proc", "/data"), "bad_job", fault.Usage},
			{"device", mount("/dev/mem", "/data"), "bad_job", fault.Usage},
			{"over root", mount(dir+"/real", "/"), "bad_job", fault.Usage},
			{"over proc", mount(dir+"/real", "/proc/self"), "bad_job", fault.Usage},
			{"over dev", mount(dir+"/real", "/dev"), "bad_job", fault.Usage},
			{"over etc", mount(dir+"/real", "/etc/ssl"), "bad_job", fault.Usage},
			{"over tmp", mount(dir+"/real", "/tmp"), "bad_job", fault.Usage},
			{"twice", func(j *sandbox.Job) { j.Mounts = append(j.Mounts, j.Mounts[0]) }, "bad_job", fault.Usage},
			{"file outside", file("/etc/passwd"), "bad_job", fault.Usage},
			{"file dotdot", file("/tmp/../etc/passwd"), "bad_job", fault.Usage},
			{"file twice", file("/tmp/tool.py"), "bad_job", fault.Usage},
			{"file in mount", func(j *sandbox.Job) { mount(dir+"/real", "/tmp/in")(j); file("/tmp/in/x")(j) }, "bad_job", fault.Usage},
			{"no such input", func(j *sandbox.Job) { j.StdinFile = "/tmp/none" }, "bad_job", fault.Usage},
			{"two inputs", func(j *sandbox.Job) { j.Stdin = []byte("x") }, "bad_job", fault.Usage},
			{"all of it early", func(j *sandbox.Job) { j.StdinFile, j.Late, j.Stdin, j.Early = "", true, []byte("x"), 1 }, "bad_job", fault.Usage},
			{"early, not late", func(j *sandbox.Job) { j.StdinFile, j.Stdin, j.Early = "", []byte("xy"), 1 }, "bad_job", fault.Usage},
			{"early below zero", func(j *sandbox.Job) { j.StdinFile, j.Late, j.Stdin, j.Early = "", true, []byte("xy"), -1 }, "bad_job", fault.Usage},
			{"woken before nothing", func(j *sandbox.Job) { j.StdinFile, j.Late, j.Stdin, j.Wake = "", true, []byte("xy"), []byte("w") }, "bad_job", fault.Usage},
			{"woken by much", func(j *sandbox.Job) {
				j.StdinFile, j.Late, j.Stdin, j.Early, j.Wake = "", true, []byte("xy"), 1, make([]byte, 513)
			}, "bad_job", fault.Usage},
			{"negative limit", func(j *sandbox.Job) { j.Limits.Memory = -1 }, "bad_job", fault.Usage},
			{"source is a link", mount(dir+"/link", dir+"/link"), "mount_source", fault.Denied},
			{"link on the way", mount("/proc/self/../../etc", "/data"), "bad_job", fault.Usage},
			{"no source", mount(dir+"/none", dir+"/none"), "mount_source", fault.Unavailable},
			{"no directory", func(j *sandbox.Job) { j.Dir = "/nowhere" }, "sandbox_setup", fault.Usage},
			{"no such program", func(j *sandbox.Job) { j.Argv[0] = "/usr/bin/nothing-here" }, "exec", fault.Unavailable},
			{"not a program", func(j *sandbox.Job) { j.Argv[0] = "/tmp/args.json" }, "exec", fault.Unavailable},
		} {
			job := tool(t, "print('ran')")
			c.change(&job)
			out, err := s.Run(t.Context(), job)
			if fault.ReasonOf(err) != c.reason || fault.KindOf(err) != c.kind || out.Exit != -1 {
				t.Errorf("%s: %v (%s, %v), want %s, %v", c.name, err, fault.ReasonOf(err), fault.KindOf(err), c.reason, c.kind)
			}
		}
		job := tool(t, "import sys; print(sys.stdin.read())")
		job.StdinFile, job.Late, job.Stdin, job.Early, job.Wake = "", true, []byte("xy"), 1, make([]byte, 512)
		if out := run(t, s, job); string(out.Stdout) != "xy\n" {
			t.Errorf("the twin of what is early: %+v", out)
		}
		job = tool(t, "print('ran')")
		mount(dir+"/real", dir+"/real")(&job)
		if out := run(t, s, job); string(out.Stdout) != "ran\n" {
			t.Errorf("the twin of the link: %+v", out)
		}
	})
	if files, _ := os.ReadDir(dir + "/real"); len(files) != 0 {
		t.Errorf("a refused job wrote %v", files)
	}
}

// TestMountSourceKinds refuses doors that have the shape of a file.
func TestMountSourceKinds(t *testing.T) {
	dir := realTemp(t)
	if err := syscall.Mkfifo(dir+"/pipe", 0o666); err != nil {
		t.Fatal(err)
	}
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		job := tool(t, "")
		job.Mounts = append(job.Mounts, ro(dir+"/pipe"))
		if _, err := s.Run(t.Context(), job); fault.ReasonOf(err) != "mount_source" {
			t.Errorf("got %v", err)
		}
	})
}

// TestNestedMounts puts a mount inside another one: it never makes anything in
// a directory of the host, and no link in it leads elsewhere.
func TestNestedMounts(t *testing.T) {
	dir := realTemp(t)
	for _, d := range []string{"/outer/there", "/inner"} {
		mkdir(t, dir+d)
	}
	if err := os.WriteFile(dir+"/inner/file", []byte("inner"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", dir+"/outer/trap"); err != nil {
		t.Fatal(err)
	}
	s, err := sandbox.Open(t.Context(), sandbox.Options{Now: time.Now, Driver: "namespaces"})
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		at     string
		reason string
	}{{"/outer/there", ""}, {"/outer/missing", "mount_target"}, {"/outer/trap", "mount_target"}} {
		job := tool(t, "print(open('"+dir+c.at+"/file').read())")
		job.Mounts = append(job.Mounts, rw(dir+"/outer"), sandbox.Mount{Source: dir + "/inner", Target: dir + c.at})
		out, err := s.Run(t.Context(), job)
		if fault.ReasonOf(err) != c.reason || (c.reason == "" && string(out.Stdout) != "inner\n") {
			t.Errorf("%s: %v %s %s", c.at, err, out.Stdout, out.Stderr)
		}
	}
	if files, _ := filepath.Glob(dir + "/outer/*"); len(files) != 2 {
		t.Errorf("the host's directory holds %v", files)
	}
}

// TestMountBelowALink: the links at the top of the root are no directories, and
// it is the job that asks for the impossible, not the host that refuses.
func TestMountBelowALink(t *testing.T) {
	if to, err := os.Readlink("/bin"); err != nil || filepath.IsAbs(to) {
		t.Skip("/bin is no such link here")
	}
	s, err := sandbox.Open(t.Context(), sandbox.Options{Now: time.Now, Driver: "namespaces"})
	if err != nil {
		t.Skip(err)
	}
	job := tool(t, "")
	job.Mounts = append(job.Mounts, sandbox.Mount{Source: realTemp(t), Target: "/bin/below"})
	if _, err := s.Run(t.Context(), job); fault.ReasonOf(err) != "mount_target" || fault.KindOf(err) != fault.Usage {
		t.Errorf("got %v", err)
	}
}

func TestOpenRefusals(t *testing.T) {
	if _, err := sandbox.Open(t.Context(), sandbox.Options{}); err == nil {
		t.Error("options without a clock were accepted")
	}
	_, err := sandbox.Open(t.Context(), sandbox.Options{Now: time.Now, Driver: "none"})
	if fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != "unknown_driver" || !strings.Contains(err.Error(), "namespaces, landlock") {
		t.Errorf("the driver that protects nothing by its name: %v", err)
	}
	_, err = sandbox.Open(t.Context(), sandbox.Options{Now: time.Now, Driver: "seatbelt"})
	if fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != "sandbox_unavailable" || len(fault.HintsOf(err)) == 0 {
		t.Errorf("the driver of another system: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sandbox.Open(ctx, sandbox.Options{Now: time.Now}); fault.KindOf(err) != fault.Interrupted {
		t.Errorf("a cancelled opening: %v", err)
	}
}

// withoutNamespaces is the actor of TestFallback, in a user namespace of its
// own, whose limit it sets to none after a first choice was made.
func withoutNamespaces() {
	cache := os.Getenv("CACHE")
	before := actorOpen("", cache)
	fmt.Fprintln(os.Stdout, "before", before.Driver())
	if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0o644); err != nil {
		die(err)
	}
	fmt.Fprintln(os.Stdout, "after", actorOpen("", cache).Driver())
	job := sandbox.Job{Argv: []string{"/usr/bin/true"}, Mounts: append(sandbox.HostLibraries(), ro("/usr/bin/true"))}
	out, err := before.Run(context.Background(), job)
	fmt.Fprintln(os.Stdout, "ran", out.Driver, out.Exit, len(out.NotEnforced) > 0, err)
	_, err = sandbox.Open(context.Background(), sandbox.Options{Now: time.Now, Driver: "namespaces", Cache: cache})
	fmt.Fprintln(os.Stdout, "only", fault.ReasonOf(err), fault.KindOf(err))
	for _, r := range sandbox.Probe(context.Background(), sandbox.Options{Now: time.Now}) {
		if r.Name == "container" {
			continue // made by somebody else, who has namespaces
		}
		fmt.Fprintln(os.Stdout, "probe", r.Name, r.Works, r.Reason != "", len(r.NotEnforced) > 0)
	}
}

// TestFallback takes the namespaces away from a process that had them.
func TestFallback(t *testing.T) {
	for _, r := range sandbox.Probe(t.Context(), sandbox.Options{Now: time.Now}) {
		if !r.Works && (r.Name == "namespaces" || r.Name == "landlock") {
			t.Skipf("%s does not work here: %s", r.Name, r.Reason)
		}
	}
	users := 1
	if os.Getuid() == 0 {
		users = 1 << 16 // root runs tools as another user, who has to be there
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{"SANDBOX_TEST_ACTOR=no-userns", "CACHE=" + realTemp(t) + "/driver"}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:                 syscall.CLONE_NEWUSER,
		UidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: users}},
		GidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: users}},
		GidMappingsEnableSetgroups: users > 1,
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	got, err := cmd.Output()
	if err != nil {
		t.Skipf("no user namespace to take away: %v %s", err, stderr.String())
	}
	want := `before namespaces
after landlock
ran landlock 0 true <nil>
only sandbox_unavailable denied
probe namespaces false true false
probe landlock true false true
probe bubblewrap false true false
`
	if string(got) != want {
		t.Errorf("got\n%swant\n%s%s", got, want, stderr.String())
	}
}

// TestCache sees that what the file holds can only choose among drivers.
func TestCache(t *testing.T) {
	file := realTemp(t) + "/driver"
	options := sandbox.Options{Now: time.Now, Cache: file}
	s, err := sandbox.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(good), s.Driver()+"\n") {
		t.Fatalf("the file holds %q, %v", good, err)
	}
	_, key, _ := strings.Cut(string(good), "\n")
	for name, content := range map[string]string{
		"empty": "", "no key": "landlock", "other boot": "landlock\nother", "no driver": "none\n" + key,
		"rubbish": strings.Repeat("\x00", 5000), "long": string(good) + strings.Repeat(" ", 2000),
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := sandbox.Open(t.Context(), options)
		if err != nil || again.Driver() != s.Driver() {
			t.Errorf("%s: %v %v", name, again, err)
		}
		if now, _ := os.ReadFile(file); string(now) != string(good) {
			t.Errorf("%s: the file holds %q afterwards", name, now)
		}
	}
	options.Cache = file + "/impossible"
	if _, err := sandbox.Open(t.Context(), options); err != nil {
		t.Errorf("a file that cannot be: %v", err)
	}
}

// TestHelperByHand starts the helpers as a person could. They must notice and
// do nothing: as root, the first one could mount over the host.
func TestHelperByHand(t *testing.T) {
	for _, argv := range [][]string{{"/.patch-git"}, {"/.patch-git", "relay"}} {
		name := strings.Join(argv, " ")
		cmd := exec.Command("/proc/self/exe")
		cmd.Args = argv
		cmd.Env = []string{}
		cmd.SysProcAttr = &syscall.SysProcAttr{}
		if os.Getuid() == 0 {
			cmd.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
		}
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != 126 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnsafe(t *testing.T) {
	s, err := sandbox.OpenUnsafe(sandbox.Options{Now: time.Now, Temp: realTemp(t)})
	if err != nil {
		t.Fatal(err)
	}
	job := tool(t, "import os,sys\nprint(sys.stdin.read(), sorted(os.listdir(os.environ['TMPDIR'])), sorted(os.environ), os.path.exists('/etc/passwd'))")
	out := run(t, s, job)
	if want := "{} ['args.json', 'tool.py'] ['HOME', 'LANG', 'PATH', 'TMPDIR'] True\n"; string(out.Stdout) != want {
		t.Errorf("got %s %s", out.Stdout, out.Stderr)
	}
	if out.Driver != "none" || len(out.NotEnforced) < 5 || !slices.ContainsFunc(out.NotEnforced, func(s string) bool { return strings.HasPrefix(s, "network") }) {
		t.Errorf("got %q %q", out.Driver, out.NotEnforced)
	}
	dir := realTemp(t)
	life := newLifeline(t, dir)
	job = tool(t, "import os,sys,time\nl=os.open(sys.argv[1]+'/life',1)\nif os.fork()==0: time.sleep(100)\nos.write(l,b'x')\nwhile True: time.sleep(100)")
	job.Argv = append(job.Argv, dir)
	job.Mounts = append(job.Mounts, rw(dir))
	job.Limits.Wall = 300 * time.Millisecond
	if out = run(t, s, job); !out.TimedOut {
		t.Errorf("got %+v", out)
	}
	life.ended(t)
	if _, err := sandbox.OpenUnsafe(sandbox.Options{}); err == nil {
		t.Error("options without a clock were accepted")
	}
}

// asNobody tells whether this is what TestAsNobody runs.
func asNobody() bool { return os.Getenv("SANDBOX_TEST_AS_NOBODY") != "" }

// TestAsNobody runs the whole suite once more without root's rights.
func TestAsNobody(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("already an ordinary user")
	}
	if os.Getenv("PATCH_GIT_NOBODY_TESTS") == "" {
		t.Skip("takes as long as all other tests together: make test-nobody")
	}
	// The pool is the same code for whoever runs it.
	cmd := exec.Command("/proc/self/exe", "-test.timeout=8m", "-test.skip=^TestPool|^TestSpawnAmidGo$")
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=/tmp", "SANDBOX_TEST_AS_NOBODY=1"}
	if list := strings.ReplaceAll(os.Getenv("PATCH_GIT_TEST_DRIVERS")+",", "container,", ""); list != "," {
		// The service of containers is not open to nobody.
		cmd.Env = append(cmd.Env, "PATCH_GIT_TEST_DRIVERS="+strings.TrimSuffix(list, ","))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
