package pyenv

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/standalone"
	"github.com/patch-cat/patch-git/spec"
)

// tarball packs files, by name, as builds are packed; "name -> target" is a link.
func tarball(tb testing.TB, files map[string]string) []byte {
	tb.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	w := tar.NewWriter(packed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := tar.Header{Name: "python/" + name, Mode: 0o755, Size: int64(len(files[name])), Typeflag: tar.TypeReg}
		data := files[name]
		if from, to, isLink := strings.Cut(name, " -> "); isLink {
			h = tar.Header{Name: "python/" + from, Linkname: to, Typeflag: tar.TypeSymlink}
			data = ""
		}
		if err := w.WriteHeader(&h); err != nil {
			tb.Fatal(err)
		}
		if _, err := w.Write([]byte(data)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), packed.Close()); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// actorBuild is the archive of an interpreter that an actor plays.
func (s *stage) actorBuild(version string) []byte {
	s.t.Helper()
	program, err := os.ReadFile(s.self)
	if err != nil {
		s.t.Fatal(err)
	}
	_, minor := versionParts(version)
	return tarball(s.t, map[string]string{
		fmt.Sprintf("bin/python3.%d", minor):       string(program),
		fmt.Sprintf("lib/python3.%d/os.py", minor): "",
		"version": version,
	})
}

// embed gives the program of the stage an interpreter of its own.
func (s *stage) embed(version string) (path string) {
	s.t.Helper()
	content := s.actorBuild(version)
	var err error
	s.embedded, err = standalone.NewArchive(fmt.Sprintf("%s 20260610 linux/amd64 triple %s", version, spec.DigestOf(content).Hex()), string(content), "linux", "amd64")
	if err != nil {
		s.t.Fatal(err)
	}
	path = s.embeddedProgram()
	s.answers[path] = actorAnswer(version)
	return path
}

// downloaded puts an interpreter where downloads are kept.
func (s *stage) downloaded(version, date string) string {
	s.t.Helper()
	_, minor := versionParts(version)
	dir, err := filepath.Rel(s.dir, filepath.Join(s.host.Paths.Pythons(), version+"-"+date+"-0123456789ab"))
	if err != nil {
		s.t.Fatal(err)
	}
	return s.python(filepath.Join(dir, "bin", fmt.Sprintf("python3.%d", minor)), version)
}

func (s *stage) pin(want, which string) {
	s.t.Helper()
	if _, err := s.Pin(s.t.Context(), want, which); err != nil {
		s.t.Fatalf("pin %s to %s: %v", want, which, err)
	}
}

// Of one minor version: what was downloaded, the newest first, what is
// embedded, what the host has. Each is taken away, and the next one serves.
func TestOrder(t *testing.T) {
	s := newStage(t)
	host := s.python("bin/python3.12", "3.12.1")
	s.want("3.12", true, host, "") // and it is known from now on
	old := s.downloaded("3.12.9", "20250101")
	s.want("3.12", true, host, "") // nothing looks again as long as what is known is there
	if err := os.Remove(s.knownPath()); err != nil {
		t.Fatal(err)
	}
	s.want("3.12", true, old, "")
	newest := s.downloaded("3.12.14", "20260814")
	if _, err := s.pick(s.t.Context(), newest); err != nil { // as a download does at its end
		t.Fatal(err)
	}
	s.want("3.12", true, newest, "") // although the older one was known before
	if err := os.Remove(s.knownPath()); err != nil {
		t.Fatal(err)
	}
	s.want("3.12", true, newest, "")
	embedded := s.embed("3.12.13")
	s.want("3.12", true, newest, "")
	if exists(filepath.Dir(filepath.Dir(embedded))) {
		t.Error("the embedded interpreter was unpacked although nobody wanted it")
	}
	for _, gone := range []string{newest, old} {
		if err := os.RemoveAll(filepath.Dir(filepath.Dir(gone))); err != nil {
			t.Fatal(err)
		}
	}
	s.want("3.12", true, embedded, "") // although the host's was known
	asked := len(s.asked)
	s.want("3.12", true, embedded, "")
	if len(s.asked) != asked {
		t.Error("a warm search asked again")
	}
	// A release of this program with another interpreter, or with none, leaves
	// the old one alone: it may have the faults that the release was made for.
	before := s.embedded
	next := s.embed("3.12.14")
	s.want("3.12", true, next, "")
	s.embedded = nil
	s.want("3.12", true, host, "")
	s.embedded = before
	s.want("3.12", true, embedded, "")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// An embedded interpreter that is newer than a tool declares serves it where
// the host has nothing better, and packages need an exact one.
func TestEmbeddedNewer(t *testing.T) {
	s := newStage(t)
	embedded := s.embed("3.14.6")
	s.want("3.9", false, embedded, "Python 3.14.6 ran it")
	s.wantNone("3.12", true, "patch-git python install 3.12")
	p312 := s.python("bin/python3.12", "3.12.1")
	s.want("3.9", false, p312, "3.12.1")
	s.want("3.12", true, p312, "")
}

// Several at once unpack it once; what another release left goes after a day.
func TestEmbeddedTogether(t *testing.T) {
	s := newStage(t)
	path := s.embed("3.14.6")
	old := filepath.Join(s.host.Paths.Pythons(), "embedded-3.14.1-0123456789ab")
	young := filepath.Join(s.host.Paths.Pythons(), "embedded-3.14.5-0123456789ab")
	for _, dir := range []string{old, young} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Now(), time.Now().Add(-2*staleAfter)); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if err := s.unpackEmbedded(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if exists(old) || !exists(young) || !exists(path) {
		t.Errorf("old %v, young %v, new %v", exists(old), exists(young), exists(path))
	}
	if left, _ := os.ReadDir(s.staging()); len(left) != 0 {
		t.Errorf("left in staging: %v", left)
	}
}

// A disk that cannot take the embedded interpreter is no reason not to use
// another; where there is no other it is the reason. A damaged program is
// always one.
func TestEmbeddedWithoutDisk(t *testing.T) {
	s := newStage(t)
	s.embed("3.14.6")
	if err := os.MkdirAll(s.host.Paths.Pythons(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.embeddedDir(), nil, 0o600); err != nil { // its place is taken
		t.Fatal(err)
	}
	if _, err := s.Find(t.Context(), "3.14", false); fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != "store" {
		t.Errorf("got %v, want the fault of the disk", err)
	}
	host := s.python("bin/python3.14", "3.14.2")
	s.want("3.14", true, host, "")
	content := s.actorBuild("3.14.7")
	damaged, err := standalone.NewArchive(fmt.Sprintf("3.14.7 20260610 linux/amd64 triple %s", spec.DigestOf([]byte("other")).Hex()), string(content), "linux", "amd64")
	if err != nil {
		t.Fatal(err)
	}
	s.embedded = damaged
	if _, err := s.Find(t.Context(), "3.14", false); fault.ReasonOf(err) != "python_digest" {
		t.Errorf("got %v, want the damage told", err)
	}
}

func TestPin(t *testing.T) {
	s := newStage(t)
	first := s.python("bin/python3.12", "3.12.1")
	second := s.python("home/.pyenv/versions/3.12.9/bin/python3.12", "3.12.9")
	p313 := s.python("bin/python3.13", "3.13.1")
	s.want("3.12", true, first, "")
	s.pin("3.12", second)
	s.want("3.12", true, second, "")
	s.want("3.11", false, second, "3.12.9") // it serves the minor version for others, too
	if info, err := os.Stat(s.host.Paths.Pins()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the list has %v, %v", info.Mode(), err)
	}
	asked := len(s.asked)
	s.want("3.12", true, second, "")
	if len(s.asked) != asked {
		t.Error("a warm search asked again")
	}
	s.env[Override] = first
	s.want("3.12", true, first, "") // what the person points at for one command goes before
	delete(s.env, Override)
	s.pin("3.12", "3.12.1") // by version
	s.want("3.12", true, first, "")
	if err := s.Unpin(t.Context(), "3.12"); err != nil {
		t.Fatal(err)
	}
	if err := s.Unpin(t.Context(), "3.12"); fault.ReasonOf(err) != "not_pinned" || fault.KindOf(err) != fault.NotFound {
		t.Errorf("twice: got %v", err)
	}
	// What cannot serve cannot be pinned, and the list stays as it is.
	s.script("bin/shim")
	s.pin("3.13", p313)
	before, err := os.ReadFile(s.host.Paths.Pins())
	if err != nil {
		t.Fatal(err)
	}
	for which, reason := range map[string]string{
		p313: "python_minor", filepath.Join(s.dir, "bin", "shim"): "python_unusable", filepath.Join(s.dir, "bin", "none"): "no_file",
		"3.12.77": "no_version", "": "no_version",
	} {
		if _, err := s.Pin(t.Context(), "3.12", which); fault.ReasonOf(err) != reason {
			t.Errorf("pin to %q: got %v, want %s", which, err, reason)
		}
	}
	if _, err := s.Pin(t.Context(), "3.x", first); fault.ReasonOf(err) != "python_version" {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadFile(s.host.Paths.Pins()); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the list became %s, %v", after, err)
	}
}

// A pinned interpreter that is gone, broken or of another version is not
// replaced by another one in silence.
func TestPinBroken(t *testing.T) {
	s := newStage(t)
	host := s.python("bin/python3.12", "3.12.1")
	pinned := s.python("mine/bin/python3.12", "3.12.9")
	s.pin("3.12", pinned)
	good := s.answers[pinned]
	refused := func(what, why string) {
		t.Helper()
		for _, packages := range []bool{true, false} {
			_, err := s.Find(t.Context(), "3.12", packages)
			if fault.ReasonOf(err) != "python_pin" || fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: got %v, want a refusal that says %s", what, err, why)
			}
		}
	}
	s.touch(pinned)
	s.answers[pinned] = actorAnswer("3.11.2")
	refused("another version", "3.11.2")
	s.touch(pinned)
	delete(s.answers, pinned)
	refused("broken", "no such library")
	s.answers[pinned] = good
	s.touch(pinned)
	s.want("3.12", true, pinned, "")
	if err := os.Remove(pinned); err != nil {
		t.Fatal(err)
	}
	refused("gone", "not a program")
	s.want("3.13", false, s.python("bin/python3.13", "3.13.0"), "") // others are not concerned
	if err := s.Unpin(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	s.want("3.12", true, host, "")
}

// touch makes a program another file.
func (s *stage) touch(path string) {
	s.t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Now(), info.ModTime().Add(-time.Hour)); err != nil {
		s.t.Fatal(err)
	}
}

// A damaged list is told, not passed over; unpin --all mends it.
func TestPinsDamaged(t *testing.T) {
	const head = `{"schema":"patch-git/python-pins/v1","pins":`
	for name, text := range map[string]string{
		"empty": "", "cut": head, "other schema": strings.Replace(head, "v1", "v2", 1) + "{}}", "more": head + `{}} {}`,
		"relative": head + `{"3.12":"python3"}}`, "unclean": head + `{"3.12":"/usr/../bin/python3"}}`, "key": head + `{"3.12.1":"/usr/bin/python3"}}`,
		"unknown": head + `{},"pin":{}}`, "huge": head + `{}}` + strings.Repeat(" ", 70_000),
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			path := s.python("bin/python3.12", "3.12.1")
			if err := os.WriteFile(s.host.Paths.Pins(), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for what, err := range map[string]error{
				"find":  func() error { _, err := s.Find(t.Context(), "3.12", false); return err }(),
				"pin":   func() error { _, err := s.Pin(t.Context(), "3.12", path); return err }(),
				"unpin": s.Unpin(t.Context(), "3.12"),
				"list":  func() error { _, _, err := s.List(t.Context()); return err }(),
			} {
				if fault.ReasonOf(err) != "python_pins" || fault.KindOf(err) != fault.NotVerified {
					t.Errorf("%s: got %v", what, err)
				}
			}
			if err := s.Unpin(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			s.want("3.12", false, path, "")
			s.pin("3.12", path)
			s.want("3.12", false, path, "")
		})
	}
}

func FuzzPins(f *testing.F) {
	f.Add([]byte(`{"schema":"patch-git/python-pins/v1","pins":{"3.12":"/usr/bin/python3"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		pins, err := parsePins(b)
		for want, path := range pins {
			if err == nil && (!wantGrammar().MatchString(want) || !filepath.IsAbs(path)) {
				t.Errorf("%q: %s is %s", b, want, path)
			}
		}
	})
}

func TestList(t *testing.T) {
	s := newStage(t)
	host := s.python("bin/python3.12", "3.12.1")
	pyenv := s.python("home/.pyenv/versions/3.12.4/bin/python3.12", "3.12.4")
	uv := s.python("home/.local/share/uv/python/cpython-3.13/bin/python3.13", "3.13.1")
	own := s.downloaded("3.12.14", "20260814")
	embedded := s.embed("3.14.6")
	s.script("bin/python3.11")
	s.pin("3.13", uv)
	all, offered, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Listed{}
	for _, l := range all {
		got[l.Path] = l
	}
	shim := filepath.Join(s.dir, "bin", "python3.11")
	for _, want := range []Listed{
		{Path: host, From: OfHost, Version: "3.12.1", Works: true},
		{Path: pyenv, From: Pyenv, Version: "3.12.4", Works: true},
		{Path: uv, From: UV, Version: "3.13.1", Works: true, Serves: "3.13", Pinned: true},
		{Path: own, From: Installed, Version: "3.12.14", Works: true, Serves: "3.12"},
		{Path: embedded, From: Embedded, Version: "3.14.6", Works: true, Serves: "3.14"},
		{Path: shim, From: OfHost, Why: "a script, as the shims of version managers are; they are never run"},
	} {
		if got[want.Path] != want {
			t.Errorf("got %+v, want %+v", got[want.Path], want)
		}
	}
	if len(offered) != 5 || offered[0].Minor != "3.14" || offered[0].Installed {
		t.Errorf("got %+v", offered)
	}
}

func TestRemove(t *testing.T) {
	s := newStage(t)
	host := s.python("bin/python3.12", "3.12.1")
	own := s.downloaded("3.12.14", "20260814")
	s.want("3.12", true, own, "")
	s.pin("3.12", own)
	if _, err := s.Remove(t.Context(), "3.12"); fault.ReasonOf(err) != "pinned" || fault.KindOf(err) != fault.Denied || !exists(own) {
		t.Errorf("pinned: got %v", err)
	}
	if err := s.Unpin(t.Context(), "3.12"); err != nil {
		t.Fatal(err)
	}
	for _, none := range []string{"3.13", "3.12.1", "", "..", "3.12.14-20260814"} {
		if _, err := s.Remove(t.Context(), none); fault.ReasonOf(err) != "not_installed" || !exists(own) || !exists(host) {
			t.Errorf("%q: got %v", none, err)
		}
	}
	gone, err := s.Remove(t.Context(), "3.12.14")
	if err != nil || !slices.Equal(gone, []string{"3.12.14"}) || exists(filepath.Dir(filepath.Dir(own))) {
		t.Errorf("got %v, %v", gone, err)
	}
	s.want("3.12", true, host, "")
	if left, _ := os.ReadDir(s.staging()); len(left) != 0 {
		t.Errorf("left in staging: %v", left)
	}
}
