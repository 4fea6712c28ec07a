package verdicts_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/verdicts"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/verify"
)

// sigstore stands in for the verifier, and counts how often it is asked.
type sigstore struct {
	mu    sync.Mutex
	asked int
	err   error
}

func (s *sigstore) Open(bundle []byte, subject string) ([]byte, ledger.Identity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.err != nil {
		return nil, ledger.Identity{}, s.err
	}
	return append([]byte("payload of "+subject+" "), bundle...), ledger.GitHubIdentity("acme/tools"), nil
}

// scene is one user's cache over a counting verifier.
type scene struct {
	t     *testing.T
	dir   string
	clock time.Time
	inner sigstore
	opens int
}

func newScene(t *testing.T) *scene {
	return &scene{t: t, dir: filepath.Join(t.TempDir(), "verdicts"), clock: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
}

// over is what a new process sees.
func (s *scene) over(verifier, root string) verify.Sigstore {
	return verdicts.Open(s.dir, func() time.Time { return s.clock }).Over(verifier, []byte(root), func() (verify.Sigstore, error) {
		s.opens++
		return &s.inner, nil
	})
}

// ask opens one bundle and tells whether the verifier was asked.
func (s *scene) ask(verifier, root, bundle, subject string) bool {
	s.t.Helper()
	before := s.inner.asked
	payload, signer, err := s.over(verifier, root).Open([]byte(bundle), subject)
	if err != nil || string(payload) != "payload of "+subject+" "+bundle || signer != ledger.GitHubIdentity("acme/tools") {
		s.t.Errorf("%q, %+v, %v", payload, signer, err)
	}
	return s.inner.asked > before
}

// entries are the files of verdicts.
func (s *scene) entries() []string {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.dir, "??", "*"))
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}

func TestRemembers(t *testing.T) {
	s := newScene(t)
	if !s.ask("1", "root", "bundle", "subject") {
		t.Error("known before it was asked")
	}
	opens := s.opens
	if s.ask("1", "root", "bundle", "subject") || s.opens != opens {
		t.Error("asked again, or the trusted root read again")
	}
	for name, again := range map[string]func() bool{
		"another verifier":     func() bool { return s.ask("2", "root", "bundle", "subject") },
		"another trusted root": func() bool { return s.ask("1", "root2", "bundle", "subject") },
		"another bundle":       func() bool { return s.ask("1", "root", "bundle2", "subject") },
		"another subject":      func() bool { return s.ask("1", "root", "bundle", "subject2") },
		"other frames":         func() bool { return s.ask("1root", "", "bundle", "subject") },
	} {
		if !again() {
			t.Errorf("%s: not asked", name)
		}
	}
	s.clock = s.clock.Add(24 * time.Hour)
	if s.ask("1", "root", "bundle", "subject") {
		t.Error("asked again within the day")
	}
	s.clock = s.clock.Add(2 * time.Second)
	if !s.ask("1", "root", "bundle", "subject") {
		t.Error("a verdict of the day before yesterday")
	}
	s.clock = s.clock.Add(-time.Hour)
	if !s.ask("1", "root", "bundle", "subject") {
		t.Error("a verdict of the future")
	}
}

// TestForgetsRefusals: only successes are kept.
func TestForgetsRefusals(t *testing.T) {
	s := newScene(t)
	s.inner.err = errors.New("no")
	for range 2 {
		if _, _, err := s.over("1", "root").Open([]byte("bundle"), "subject"); err == nil {
			t.Error("accepted")
		}
	}
	if s.inner.asked != 2 || len(s.entries()) != 0 {
		t.Errorf("asked %d times, kept %q", s.inner.asked, s.entries())
	}
	// Nor what is too large to be asked about.
	s.inner.err = nil
	large := strings.Repeat("x", 300<<10)
	for range 2 {
		if !s.ask("1", "root", large, "subject") {
			t.Error("a bundle beyond all bounds is remembered")
		}
	}
}

// TestPoisoned: an entry that somebody else wrote, or that was touched, is as
// if it were not there. In each case the twin, untouched, is believed.
func TestPoisoned(t *testing.T) {
	edit := func(change func(b []byte) []byte) func(s *scene) {
		return func(s *scene) {
			for _, f := range s.entries() {
				b, err := os.ReadFile(f)
				if err == nil {
					err = os.WriteFile(f, change(b), 0o600)
				}
				if err != nil {
					s.t.Fatal(err)
				}
			}
		}
	}
	for name, poison := range map[string]func(s *scene){
		"an edited value": edit(func(b []byte) []byte { return bytes.Replace(b, []byte(`acme/tools`), []byte(`evil/tools`), 1) }),
		"an edited time":  edit(func(b []byte) []byte { b[sha256.Size+7] ^= 1; return b }),
		"an edited code":  edit(func(b []byte) []byte { b[0] ^= 1; return b }),
		"cut short":       edit(func(b []byte) []byte { return b[:20] }),
		"nothing":         edit(func([]byte) []byte { return nil }),
		"far too much":    edit(func(b []byte) []byte { return append(b, make([]byte, 1<<20)...) }),
		"another user's key": func(s *scene) {
			if err := os.WriteFile(filepath.Join(s.dir, "key"), []byte(strings.Repeat("00", 32)), 0o600); err != nil {
				s.t.Fatal(err)
			}
		},
		"another entry's value": func(s *scene) {
			s.ask("1", "root", "second", "subject")
			files := s.entries()
			b, err := os.ReadFile(files[0])
			if err == nil {
				err = os.WriteFile(files[1], b, 0o600)
			}
			c, err2 := os.ReadFile(files[1])
			if err != nil || err2 != nil || !bytes.Equal(b, c) {
				s.t.Fatal(err, err2)
			}
			_ = os.Remove(files[0])
		},
		"a link in its place": func(s *scene) {
			f := s.entries()[0]
			if err := os.Rename(f, f+"x"); err != nil {
				s.t.Fatal(err)
			}
			if err := os.Symlink(f+"x", f); err != nil {
				s.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.ask("1", "root", "bundle", "subject")
			if s.ask("1", "root", "bundle", "subject") {
				t.Error("the untouched twin is not believed")
			}
			poison(s)
			if !s.ask("1", "root", "bundle", "subject") {
				t.Error("believed")
			}
		})
	}
}

// TestKey: a key that is not the user's own secret is not used, and not mended.
func TestKey(t *testing.T) {
	good := strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		ok   bool
	}{
		"good":                {good, 0o600, true},
		"readable by others":  {good, 0o644, false},
		"readable by a group": {good, 0o640, false},
		"too short":           {good[2:], 0o600, false},
		"too long":            {good + "ab", 0o600, false},
		"empty":               {"", 0o600, false},
		"not in hexadecimal":  {strings.Repeat("xy", 32), 0o600, false},
		"with a line's end":   {good + "\n", 0o600, false},
	} {
		s := newScene(t)
		path := filepath.Join(s.dir, "key")
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(c.text), c.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		s.ask("1", "root", "bundle", "subject")
		if again := s.ask("1", "root", "bundle", "subject"); again == c.ok {
			t.Errorf("%s: remembered is %v", name, !again)
		}
		if b, _ := os.ReadFile(path); string(b) != c.text {
			t.Errorf("%s: the key was replaced", name)
		}
	}
}

// TestManyAtOnce: processes that start together agree on one key.
func TestManyAtOnce(t *testing.T) {
	s := newScene(t)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			c := verdicts.Open(s.dir, func() time.Time { return s.clock })
			v := c.Over("1", []byte("root"), func() (verify.Sigstore, error) { return &s.inner, nil })
			if _, _, err := v.Open([]byte("bundle"), "subject"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if s.ask("1", "root", "bundle", "subject") {
		t.Error("nothing that was written is believed")
	}
}

// TestUnwritable: a disk that takes nothing costs time only.
func TestUnwritable(t *testing.T) {
	s := newScene(t)
	if err := os.WriteFile(s.dir, nil, 0o600); err != nil { // a file where the folder would be
		t.Fatal(err)
	}
	for range 2 {
		if !s.ask("1", "root", "bundle", "subject") {
			t.Error("remembered, nowhere")
		}
	}
}

// TestSweep: what is too old goes.
func TestSweep(t *testing.T) {
	s := newScene(t)
	s.ask("1", "root", "bundle", "subject")
	dir := filepath.Dir(s.entries()[0])
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "fresh")
	for f, at := range map[string]time.Time{old: s.clock.Add(-25 * time.Hour), fresh: s.clock.Add(-time.Hour)} {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(f, at, at); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Remove(s.entries()[0]) // written again, into the same folder
	for _, f := range s.entries() {
		if f != old && f != fresh {
			_ = os.Remove(f)
		}
	}
	s.ask("1", "root", "bundle", "subject")
	if _, err := os.Stat(old); err == nil {
		t.Error("an entry of the day before yesterday is kept")
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error("an entry of this day is gone")
	}
}

func BenchmarkKnown(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "verdicts")
	now := time.Now
	bundle, root := bytes.Repeat([]byte("x"), 8<<10), bytes.Repeat([]byte("y"), 7<<10)
	open := func() (verify.Sigstore, error) { return &sigstore{}, nil }
	name := "pkg:patch-git/acme/tools/echo_text@1.0.0"
	if _, _, err := verdicts.Open(dir, now).Over("1", root, open).Open(bundle, name); err != nil {
		b.Fatal(err)
	}
	never := func() (verify.Sigstore, error) { return nil, errors.New("asked") }
	for b.Loop() { // as each process does, with the key read anew
		if _, _, err := verdicts.Open(dir, now).Over("1", root, never).Open(bundle, name); err != nil {
			b.Fatal(err)
		}
	}
}
