package pyenv

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/standalone"
	"github.com/patch-cat/patch-git/internal/standalone/repack"
)

// made is an archive in the layout of a build, of this machine's own
// interpreter: the project's archives cannot be had everywhere tests run.
type made struct {
	version string
	archive []byte
	err     error
}

var hostBuild = sync.OnceValue(func() made {
	ctx := context.Background()
	python, err := repack.Find(ctx)
	if err != nil {
		return made{err: err}
	}
	dir, err := os.MkdirTemp("", "patch-git-build-")
	if err != nil {
		return made{err: err}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	version, err := repack.Host(ctx, python, dir)
	if err != nil {
		return made{err: err}
	}
	var out bytes.Buffer
	err = repack.Pack(&out, dir, gzip.BestSpeed)
	return made{version, out.Bytes(), err}
})

// mirror serves archives below the folders of a mirror and remembers what it
// was asked.
type mirror struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string][]byte
	asked []string // "path range"
	cut   int      // so many answers break off in the middle
}

func newMirror(t *testing.T) *mirror {
	t.Helper()
	m := &mirror{files: map[string][]byte{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Range")))
	data, ok := m.files[r.URL.Path]
	switch {
	case !ok:
		http.NotFound(w, r)
	case m.cut > 0:
		m.cut--
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		_, _ = w.Write(data[:len(data)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}
}

// offer makes an archive the one build that can be installed, and serves it.
func (m *mirror) offer(t *testing.T, version string, archive []byte) standalone.Build {
	t.Helper()
	b := repack.Entry(version, archive)
	before := standalone.For(runtime.GOOS, runtime.GOARCH)
	repack.Offer([]standalone.Build{b})
	t.Cleanup(func() { repack.Offer(before) })
	m.mu.Lock() // who asks may be another process
	m.files["/"+b.Date+"/"+b.File()] = archive
	m.mu.Unlock()
	return b
}

// market is a user, a mirror, and a build of this machine's own interpreter.
func market(t *testing.T) (*Pythons, *mirror, standalone.Build) {
	t.Helper()
	built := hostBuild()
	if built.err != nil {
		t.Skipf("this machine has no Python to make a build of: %v", built.err)
	}
	p := real(t)
	m := newMirror(t)
	return p, m, m.offer(t, built.version, built.archive)
}

func (p *Pythons) brought(t *testing.T, m *mirror, version string) *Interpreter {
	t.Helper()
	in, _, err := p.Download(t.Context(), version, DownloadOptions{Mirror: m.URL})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// leftovers lists what a refused download must not leave.
func leftovers(t *testing.T, p *Pythons) []string {
	t.Helper()
	var out []string
	for _, dir := range []string{p.host.Paths.Pythons(), p.staging()} {
		list, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, e := range list {
			if e.Name() != ".lock" {
				out = append(out, e.Name())
			}
		}
	}
	return out
}

// A build comes, is compiled whole, works, and serves before those of the
// host; the second time nobody is asked.
func TestDownload(t *testing.T) {
	p, m, b := market(t)
	var steps []string
	in, fresh, err := p.Download(t.Context(), b.Minor(), DownloadOptions{Mirror: m.URL + "/", Progress: func(g Progress) {
		if len(steps) == 0 || steps[len(steps)-1] != g.Step {
			steps = append(steps, g.Step)
		}
	}})
	if err != nil || !fresh {
		t.Fatalf("got %v, fresh %v", err, fresh)
	}
	if want := []string{"download", "unpack", "compile"}; !slices.Equal(steps, want) {
		t.Errorf("steps %v, want %v", steps, want)
	}
	dir := filepath.Join(p.host.Paths.Pythons(), b.ID())
	if in.Version != b.Version || !within(in.Path, dir) {
		t.Errorf("got %s at %s", in.Version, in.Path)
	}
	if n, err := repack.Compiled(dir); err != nil || n < 50 {
		t.Errorf("%d modules: %v", n, err)
	}
	if got := leftovers(t, p); !slices.Equal(got, []string{b.ID()}) {
		t.Errorf("left: %v", got)
	}
	found, err := p.Find(t.Context(), b.Minor(), true)
	if err != nil || found.Path != in.Path {
		t.Errorf("%s is served by %v, %v", b.Minor(), found, err)
	}
	out := run(t, p, found, "import json, sys\nprint(json.dumps([sys.version.split()[0], json.__file__, json.__cached__]))\n", Call{Args: []byte("{}")})
	if !strings.Contains(string(out.Stdout), dir) || !strings.Contains(string(out.Stdout), ".pyc") || out.Exit != 0 {
		t.Errorf("a tool said %s %s", out.Stdout, out.Stderr)
	}
	again, fresh, err := p.Download(t.Context(), b.Version, DownloadOptions{Mirror: m.URL})
	if err != nil || fresh || again.Path != in.Path || len(m.asked) != 1 {
		t.Errorf("again: got %v, %v, fresh %v, asked %v", again, err, fresh, m.asked)
	}
}

// A connection that breaks is gone on from, also by the next command.
func TestDownloadResumes(t *testing.T) {
	p, m, b := market(t)
	m.cut = 3
	_, _, err := p.Download(t.Context(), b.Minor(), DownloadOptions{Mirror: m.URL})
	if fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != "python_download" {
		t.Fatalf("got %v", err)
	}
	if got := leftovers(t, p); len(got) != 1 || !strings.HasPrefix(got[0], partPrefix) {
		t.Errorf("left: %v", got)
	}
	m.asked = nil
	p.brought(t, m, b.Minor())
	if len(m.asked) != 1 || !strings.HasSuffix(m.asked[0], fmt.Sprintf(" bytes=%d-", len(hostBuild().archive)/2)) {
		t.Errorf("asked %v", m.asked)
	}
}

// What had come and is not the beginning of the file costs one more request.
func TestDownloadRestarts(t *testing.T) {
	archive := []byte(strings.Repeat("an archive ", 10_000))
	for name, size := range map[string]int{"other": 1000, "too long": len(archive) + 10} {
		m := newMirror(t)
		b := m.offer(t, "3.12.1", archive)
		part, err := os.Create(filepath.Join(t.TempDir(), "part"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		d := &archiveDownload{client: http.DefaultClient, build: b, part: part, told: func(Progress) {}}
		if err := d.all(t.Context(), b.URL(m.URL)); err != nil || len(m.asked) != 2 {
			t.Errorf("%s: got %v, asked %v", name, err, m.asked)
		}
		if got, err := os.ReadFile(part.Name()); err != nil || !bytes.Equal(got, archive) {
			t.Errorf("%s: got %d bytes, %v", name, len(got), err)
		}
		if err := part.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Each refusal leaves nothing; the twin of all is TestDownload.
func TestDownloadRefuses(t *testing.T) {
	built := hostBuild()
	if built.err != nil {
		t.Skip(built.err)
	}
	flipped := bytes.Clone(built.archive)
	flipped[len(flipped)/2] ^= 1
	program, err := os.ReadFile(smallProgram(t))
	if err != nil {
		t.Fatal(err)
	}
	minor := standalone.Build{Version: built.version}.Minor()
	lib := "lib/python" + minor + "/os.py"
	for name, c := range map[string]struct {
		listed, served []byte
		kind           fault.Kind
		reason         string
	}{
		"flipped":         {built.archive, flipped, fault.NotVerified, "python_digest"},
		"longer":          {built.archive, append(bytes.Clone(built.archive), 0), fault.NotVerified, "python_digest"},
		"empty":           {built.archive, nil, fault.NotVerified, "python_digest"},
		"absent":          {built.archive, []byte("absent"), fault.Unavailable, "python_download"},
		"hostile":         {nil, tarball(t, map[string]string{lib: "", "../../escape": "x"}), fault.NotVerified, "python_unsafe"},
		"hostile link":    {nil, tarball(t, map[string]string{lib: "", "bin/python -> ../../../escape": ""}), fault.NotVerified, "python_unsafe"},
		"no archive":      {nil, []byte("hello"), fault.NotVerified, "python_unsafe"},
		"no interpreter":  {nil, tarball(t, map[string]string{lib: ""}), fault.Unavailable, "python_unusable"},
		"says nothing":    {nil, tarball(t, map[string]string{lib: "", "bin/python" + minor: string(program)}), fault.Unavailable, "python_unusable"},
		"is a script":     {nil, tarball(t, map[string]string{lib: "", "bin/python" + minor: "#!/bin/sh\necho evil >/tmp/evil\n"}), fault.Unavailable, "python_unusable"},
		"another version": {nil, built.archive, fault.Unavailable, "python_unusable"},
	} {
		t.Run(name, func(t *testing.T) {
			p := real(t)
			m := newMirror(t)
			version := built.version
			if name == "another version" {
				version = minor + ".99"
			}
			if c.listed == nil {
				c.listed = c.served
			}
			b := m.offer(t, version, c.listed)
			m.files["/"+b.Date+"/"+b.File()] = c.served
			if name == "absent" {
				m.files = nil
			}
			_, _, err := p.Download(t.Context(), minor, DownloadOptions{Mirror: m.URL})
			if fault.KindOf(err) != c.kind || fault.ReasonOf(err) != c.reason {
				t.Errorf("got %v (%v %s), want %v %s", err, fault.KindOf(err), fault.ReasonOf(err), c.kind, c.reason)
			}
			left := slices.DeleteFunc(leftovers(t, p), func(s string) bool {
				return c.kind == fault.Unavailable && strings.HasPrefix(s, partPrefix) // may serve the next attempt
			})
			if len(left) > 0 || exists(filepath.Join(p.host.Paths.Root, "escape")) {
				t.Errorf("left: %v", left)
			}
			if in, err := p.Find(t.Context(), minor, true); err == nil && within(in.Path, p.host.Paths.Root) {
				t.Errorf("%s serves", in.Path)
			}
		})
	}
}

func TestDownloadUsage(t *testing.T) {
	p := New(testHost(t, map[string]string{Mirror: "http://someone:secret@127.0.0.1:1/"}), noBox{t})
	for version, reason := range map[string]string{"3.9": "no_build", "4.0": "no_build", "": "no_build", "3.12": "python_download"} {
		_, _, err := p.Download(t.Context(), version, DownloadOptions{})
		if fault.ReasonOf(err) != reason {
			t.Errorf("%q: got %v, want %s", version, err, reason)
		}
		if all := err.Error() + strings.Join(fault.HintsOf(err), " "); strings.Contains(all, "secret") {
			t.Errorf("tells the password: %s", all)
		}
	}
	for _, address := range []string{"mirror.example.org", "file:///srv", "ftp://x/", "https://", "://"} {
		if _, _, err := p.Download(t.Context(), "3.12", DownloadOptions{Mirror: address}); fault.ReasonOf(err) != "mirror" || fault.KindOf(err) != fault.Usage {
			t.Errorf("%q: got %v", address, err)
		}
	}
}

// Killed at any sign of life, an installation leaves the whole interpreter or
// none, and the next one succeeds.
func TestDownloadKilled(t *testing.T) {
	p, m, b := market(t)
	root := p.host.Paths.Root
	final := filepath.Join(p.host.Paths.Pythons(), b.ID())
	finished := false
	every := 3 // each one in the lane that has time
	if os.Getenv("PATCH_GIT_NETWORK_TESTS") == "1" {
		every = 1
	}
	for step := 1; !finished; step += every {
		if step > 60 {
			t.Fatal("the installation never came to its end")
		}
		err := kill(t, victim{Root: root, Mirror: m.URL, Step: step, Build: &b})
		finished = err == nil
		if !exists(final) {
			continue
		}
		if _, err := repack.Compiled(final); err != nil {
			t.Fatalf("step %d left a part: %v", step, err)
		}
		if err := os.RemoveAll(final); err != nil {
			t.Fatal(err)
		}
	}
	p.brought(t, m, b.Minor())
}

// Killed at any time while the embedded interpreter is unpacked for the first
// time, the next run has it whole.
func TestEmbeddedKilled(t *testing.T) {
	_, _, b := market(t)
	facts := fmt.Sprintf("%s %s %s/%s %s %s", b.Version, b.Date, b.GOOS, b.GOARCH, b.Triple, b.SHA256.Hex())
	file := filepath.Join(t.TempDir(), "python.tar.gz")
	if err := os.WriteFile(file, hostBuild().archive, 0o600); err != nil {
		t.Fatal(err)
	}
	p := real(t)
	var err error
	if p.embedded, err = standalone.NewArchive(facts, string(hostBuild().archive), runtime.GOOS, runtime.GOARCH); err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	if err := p.unpackEmbedded(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole, took := files(t, p.embeddedDir()), time.Since(started)
	for i := range 6 {
		if err := os.RemoveAll(p.embeddedDir()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), took*time.Duration(i+1)/6)
		cmd := victimOf(ctx, t, victim{Root: p.host.Paths.Root, Facts: facts, Archive: file})
		_ = cmd.Run() // killed by the end of ctx, or done
		cancel()
		if got := files(t, p.embeddedDir()); got != 0 && got != whole {
			t.Errorf("killed at %d/6: %d files of %d", i+1, got, whole)
		}
	}
	if in, err := p.Find(t.Context(), b.Minor(), true); err != nil || !within(in.Path, p.embeddedDir()) || files(t, p.embeddedDir()) != whole {
		t.Errorf("got %v, %v", in, err)
	}
}

// files counts the files below a folder.
func files(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return nil
	})
	return n
}

// victimOf is a process that does what v says.
func victimOf(ctx context.Context, t *testing.T, v victim) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), victimVariable+"="+string(text))
	return cmd
}

// kill runs a victim and tells how it ended: nil when it came to its end.
func kill(t *testing.T, v victim) error {
	t.Helper()
	out, err := victimOf(t.Context(), t, v).CombinedOutput()
	if err != nil && !strings.Contains(err.Error(), "killed") {
		t.Fatalf("step %d: the victim said %v: %s", v.Step, err, out)
	}
	return err
}

// download is what a victim does that installs an interpreter.
func (v victim) download(ctx context.Context, h *host.Host, box *sandbox.Sandbox, sign func()) error {
	if v.Archive != "" {
		content, err := os.ReadFile(v.Archive)
		if err != nil {
			return err
		}
		p := New(h, box)
		if p.embedded, err = standalone.NewArchive(v.Facts, string(content), runtime.GOOS, runtime.GOARCH); err != nil {
			return err
		}
		return p.unpackEmbedded(ctx)
	}
	repack.Offer([]standalone.Build{*v.Build})
	step := ""
	_, _, err := New(h, signing{box, sign}).Download(ctx, v.Build.Version, DownloadOptions{Mirror: v.Mirror, Progress: func(g Progress) {
		if g.Step != step || g.Done == g.Total {
			step = g.Step
			sign()
		}
	}})
	sign()
	return err
}
