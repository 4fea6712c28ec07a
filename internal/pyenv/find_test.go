package pyenv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
)

// actors is a sandbox in which each program plays the Python that it was made
// for: what it answers is found by its path.
type actors struct {
	answers map[string]answer
	asked   []string
	fail    error
}

func (a *actors) Run(_ context.Context, job sandboxJob) (sandboxOutcome, error) {
	a.asked = append(a.asked, job.Argv[0])
	if a.fail != nil {
		return sandboxOutcome{Exit: -1}, a.fail
	}
	answer, ok := a.answers[job.Argv[0]]
	if !ok {
		return sandboxOutcome{Exit: 127, Stderr: []byte("no such library\x1b[31m\n")}, nil
	}
	b, _ := json.Marshal(answer)
	return sandboxOutcome{Stdout: b}, nil
}

// stage is a home with interpreters that actors play. They are copies of this
// test's own program, so that they are programs of this system.
type stage struct {
	*Pythons
	*actors
	t    *testing.T
	env  map[string]string
	dir  string
	self string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	env := map[string]string{}
	h := testHost(t, env)
	h.GOOS, h.GOARCH = "linux", "amd64"
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h.Home = filepath.Join(dir, "home")
	if err := os.MkdirAll(h.Home, 0o755); err != nil {
		t.Fatal(err)
	}
	a := &actors{answers: map[string]answer{}}
	env["PATH"] = filepath.Join(dir, "bin")
	return &stage{Pythons: New(h, a), actors: a, t: t, env: env, dir: dir, self: smallProgram(t)}
}

// smallProgram is a program of this system that is cheap to copy.
func smallProgram(t *testing.T) string {
	t.Helper()
	for _, p := range []string{"/bin/true", "/usr/bin/true"} {
		if isELF(p) == nil {
			return p
		}
	}
	t.Skip("no small ELF program to copy")
	return ""
}

// python puts an interpreter at a path below the stage's directory, with a
// standard library beside it, and says what it answers.
func (s *stage) python(path, version string) string {
	s.t.Helper()
	path = filepath.Join(s.dir, path)
	major, minor := versionParts(version)
	lib := filepath.Join(filepath.Dir(filepath.Dir(path)), "lib", fmt.Sprintf("python%d.%d", major, minor))
	for _, dir := range []string{filepath.Dir(path), lib} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	b, err := os.ReadFile(s.self)
	if err != nil {
		s.t.Fatal(err)
	}
	for file, content := range map[string][]byte{path: b, filepath.Join(lib, "os.py"): nil} {
		if err := os.WriteFile(file, content, 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	s.answers[path] = actorAnswer(version)
	return path
}

// actorAnswer is what an interpreter of a version says.
func actorAnswer(version string) answer {
	major, minor := versionParts(version)
	return answer{
		Implementation: "cpython", Version: version, Release: "final", Cache: fmt.Sprintf("cpython-%d%d", major, minor),
		Magic: "cb0d0d0a", Build: []string{version}, Libc: "glibc 2.36",
	}
}

// script puts a shim at a path: a shell script, as version managers make.
func (s *stage) script(path string) {
	s.t.Helper()
	path = filepath.Join(s.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec evil\n"), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// Everything of these tests lies below the stage; what the machine has in
// /usr/bin plays no part, because no actor answers for it.
func (s *stage) want(version string, packages bool, path, note string) {
	s.t.Helper()
	in, err := s.Find(s.t.Context(), version, packages)
	if err != nil {
		s.t.Fatalf("find %s: %v", version, err)
	}
	if in.Path != path || strings.Contains(in.Note, "declares") != (note != "") || !strings.Contains(in.Note, note) {
		s.t.Errorf("find %s: got %s with note %q, want %s with %q in the note", version, in.Path, in.Note, path, note)
	}
}

func (s *stage) wantNone(version string, packages bool, hint string) {
	s.t.Helper()
	in, err := s.Find(s.t.Context(), version, packages)
	if fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != "no_python" {
		s.t.Fatalf("find %s: got %v, %v, want no_python", version, in, err)
	}
	if all := strings.Join(fault.HintsOf(err), "\n"); !strings.Contains(all, hint) {
		s.t.Errorf("find %s: got hints %s, want %q in them", version, all, hint)
	}
}

func TestFindChooses(t *testing.T) {
	s := newStage(t)
	p311 := s.python("home/.pyenv/versions/3.11.9/bin/python3.11", "3.11.9")
	p313 := s.python("bin/python3.13", "3.13.1")
	p314 := s.python("home/.local/share/uv/python/cpython-3.14/bin/python3.14", "3.14.0")
	s.want("3.13", false, p313, "")
	s.want("3.13", true, p313, "")
	s.want("3.11", true, p311, "")
	s.want("3.12", false, p313, "Python 3.13.1 ran it") // the lowest newer one
	s.wantNone("3.12", true, "uv python install 3.12")  // wheels are built for one version
	s.want("3.14", false, p314, "")
	s.want("3.9", false, p311, "3.9")
	s.wantNone("3.15", false, "uv python install 3.15") // never an older one
	s.wantNone("3.8", true, "3.8")
}

func TestFindNeverRunsShims(t *testing.T) {
	s := newStage(t)
	s.script("bin/python3.12")
	s.script("bin/python3")
	s.wantNone("3.12", false, "a script, as the shims of version managers are")
	for _, path := range s.asked {
		if strings.HasPrefix(path, s.dir) {
			t.Errorf("ran %s, want no shim run", path)
		}
	}
}

// A link is followed to the program before it is tried, so that a virtual
// environment is not mistaken for an interpreter of its own.
func TestFindFollowsLinks(t *testing.T) {
	s := newStage(t)
	real := s.python("base/bin/python3.12", "3.12.4")
	if err := os.MkdirAll(filepath.Join(s.dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, filepath.Join(s.dir, "bin", "python3")); err != nil {
		t.Fatal(err)
	}
	s.want("3.12", true, real, "")
}

func TestFindOverride(t *testing.T) {
	s := newStage(t)
	p312 := s.python("bin/python3.12", "3.12.1")
	mine := s.python("mine/bin/python3.13", "3.13.2")
	old := s.python("old/bin/python3.10", "3.10.1")
	s.env[Override] = mine
	s.want("3.12", false, mine, "3.13.2") // the person's own comes first where it can serve
	s.want("3.12", true, p312, "")        // and is passed over where it can't
	s.env[Override] = old
	s.want("3.12", false, p312, "")
	s.env[Override] = "python3.13" // not absolute: means something else in each directory
	s.want("3.12", false, p312, "")
}

// What an interpreter says decides, not what it is called.
func TestFindRefusesAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*answer)
		hint   string
	}{
		"other implementation": {func(a *answer) { a.Implementation = "pypy" }, "not CPython"},
		"free-threaded":        {func(a *answer) { a.Flags = "t" }, "build of the kind"},
		"pre-release":          {func(a *answer) { a.Release = "candidate" }, "pre-release"},
		"older than its name":  {func(a *answer) { a.Version = "3.11.4" }, "it is Python 3.11.4"},
		"no magic":             {func(a *answer) { a.Magic = "../../../x" }, "readable answer"},
		"odd cache tag":        {func(a *answer) { a.Cache = "../evil" }, "readable answer"},
		"odd version":          {func(a *answer) { a.Version = "3.12.1\nx" }, "readable answer"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			path := s.python("bin/python3.12", "3.12.1")
			good := s.answers[path]
			bad := good
			tt.change(&bad)
			s.answers[path] = bad
			s.wantNone("3.12", true, tt.hint)
			twin := newStage(t)
			path = twin.python("bin/python3.12", "3.12.1")
			twin.want("3.12", true, path, "")
		})
	}
}

// An interpreter that would need the whole home shown is none.
func TestFindHome(t *testing.T) {
	s := newStage(t)
	s.python("home/bin/python3.12", "3.12.1")
	path := filepath.Join(s.dir, "home", "lib", "python3.12")
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "home", "os.py"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(s.dir, "home"), path); err != nil {
		t.Fatal(err)
	}
	s.host.Getenv = func(name string) string {
		return map[string]string{"PATH": filepath.Join(s.dir, "home", "bin")}[name]
	}
	s.wantNone("3.12", false, "need all of")
}

// A warm search asks nothing; a changed file is asked again; a refusal is
// believed for an hour.
func TestFindRemembers(t *testing.T) {
	s := newStage(t)
	path := s.python("bin/python3.12", "3.12.1")
	s.want("3.12", false, path, "")
	asked := len(s.asked)
	s.want("3.12", false, path, "")
	s.want("3.12", true, path, "")
	if len(s.asked) != asked {
		t.Fatalf("asked %v, want nothing asked again", s.asked[asked:])
	}
	if err := os.Chtimes(path, time.Now(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	s.want("3.12", false, path, "")
	if len(s.asked) != asked+1 {
		t.Errorf("asked %v, want the changed program asked again", s.asked[asked:])
	}
	// Damage to the cache costs a question, no more.
	if err := os.WriteFile(s.knownPath(), []byte(`{"schema":"patch-git/pythons/v1","tried":[{"path":`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.want("3.12", false, path, "")
	// A program that is gone is not chosen from memory.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.wantNone("3.12", false, "install Python 3.12")

	broken := s.python("bin/python3.13", "3.13.1")
	good := s.answers[broken]
	delete(s.answers, broken)
	s.wantNone("3.13", false, `no such library\x1b[31m`) // and what it says is printed safely
	s.answers[broken] = good
	s.wantNone("3.13", false, "no such library")
	later := time.Now().Add(2 * refusedFor)
	s.host.Now = func() time.Time { return later }
	s.want("3.13", false, broken, "")
}

// When the sandbox runs nothing, that is no statement about any Python.
func TestFindWithoutSandbox(t *testing.T) {
	s := newStage(t)
	path := s.python("bin/python3.12", "3.12.1")
	s.fail = fault.New(fault.Denied, "sandbox_unavailable", "nothing here confines")
	if _, err := s.Find(t.Context(), "3.12", false); fault.ReasonOf(err) != "sandbox_unavailable" {
		t.Errorf("got %v, want the sandbox's own error", err)
	}
	s.fail = nil
	s.want("3.12", false, path, "")
}

func TestFindUsage(t *testing.T) {
	s := newStage(t)
	for _, version := range []string{"", "3", "2.7", "3.12.1", "4.0", "3.x", "3.123", "3.12 "} {
		if _, err := s.Find(t.Context(), version, false); fault.KindOf(err) != fault.Usage {
			t.Errorf("%q: got %v, want a usage error", version, err)
		}
	}
}

// The libraries of an interpreter that lie where only the host's loader cache
// knows them are named to its loader; those of system directories come with
// the directory.
func TestNeededLibraries(t *testing.T) {
	objects, err := needed(triplet("amd64"), smallProgram(t))
	if err != nil {
		t.Fatal(err)
	}
	if objects.loader == "" || len(objects.dirs)+len(objects.files) == 0 {
		t.Errorf("got %+v, want a loader and the C library", objects)
	}
	if _, err := needed(triplet("amd64"), filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want a missing file reported", err)
	}
	garbage := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(garbage, []byte("\x7fELF garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := needed(triplet("amd64"), garbage); err == nil {
		t.Error("got no error for a file that is no program")
	}
}

// Every interpreter of this machine that starts says something believable.
func TestKnown(t *testing.T) {
	p := real(t)
	good, refused, err := p.Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range good {
		if _, err := parseTarget(in.Target); err != nil && in.Target != "" {
			t.Errorf("%s: %v", in.Path, err)
		}
		for _, m := range in.Mounts {
			if m.Source == p.host.Home || m.Source == "/usr" || m.Source == "/" {
				t.Errorf("%s: shows all of %s", in.Path, m.Source)
			}
		}
		t.Log(in.Path, in.Version, in.Target)
	}
	for _, r := range refused {
		t.Log("refused", r)
	}
}
