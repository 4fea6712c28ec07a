package durable_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
)

// content reads a file that must be there.
func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// names lists a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

func TestWriteFile(t *testing.T) {
	for name, write := range map[string]func(string, []byte, fs.FileMode) error{
		"WriteFile": durable.WriteFile, "Replace": durable.Replace, "WriteImmutable": durable.WriteImmutable,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a", "b", "file")
			if err := write(path, []byte("one"), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := content(t, path); got != "one" {
				t.Errorf("content %q, want one", got)
			}
			if got := names(t, filepath.Dir(path)); len(got) != 1 {
				t.Errorf("directory holds %v, want the file alone", got)
			}
			for p, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700 | fs.ModeDir} {
				info, err := os.Stat(p)
				if err != nil {
					t.Fatal(err)
				}
				if info.Mode() != want && filepath.Separator == '/' {
					t.Errorf("%s has mode %v, want %v", p, info.Mode(), want)
				}
			}
		})
	}
}

func TestWriteFileReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, want := range []string{"a long first content", "short", ""} {
		if err := durable.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != want {
			t.Errorf("content %q, want %q", got, want)
		}
	}
}

func TestWriteFileReplacesLinkInsteadOfFollowing(t *testing.T) {
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "file")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, path); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := durable.WriteFile(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := content(t, victim); got != "precious" {
		t.Errorf("the link's target became %q", got)
	}
	if got := content(t, path); got != "new" {
		t.Errorf("content %q, want new", got)
	}
}

func TestWriteFileRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"", dir + "/", dir + "/..", dir + "/.", dir} {
		if err := durable.WriteFile(path, nil, 0o600); err == nil {
			t.Errorf("WriteFile(%q) succeeded", path)
		}
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestWriteImmutable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := durable.WriteImmutable(path, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"two", "on", "one ", ""} {
		err := durable.WriteImmutable(path, []byte(other), 0o600)
		if fault.ReasonOf(err) != "immutable" || fault.KindOf(err) != fault.NotVerified {
			t.Errorf("other content %q: %v, want immutable", other, err)
		}
	}
	if err := durable.WriteImmutable(path, []byte("one"), 0o600); err != nil {
		t.Errorf("same content: %v", err)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Error("the file was written again")
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("directory holds %v, want the file alone", got)
	}
}

func TestWriteImmutableRefusesLinkToSameContent(t *testing.T) {
	dir := t.TempDir()
	target, path := filepath.Join(dir, "target"), filepath.Join(dir, "file")
	if err := os.WriteFile(target, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := durable.WriteImmutable(path, []byte("one"), 0o600); fault.ReasonOf(err) != "immutable" {
		t.Errorf("got %v, want immutable: the link's target can change", err)
	}
}

// Of many writers with different bytes one wins, and its bytes stay whole.
func TestWriteImmutableRace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	var wg sync.WaitGroup
	var mu sync.Mutex
	var won []string
	for i := range 16 {
		wg.Go(func() {
			data := bytes.Repeat([]byte{byte('a' + i)}, 10_000)
			err := durable.WriteImmutable(path, data, 0o600)
			switch {
			case err == nil:
				mu.Lock()
				won = append(won, string(data))
				mu.Unlock()
			case fault.ReasonOf(err) != "immutable":
				t.Errorf("unexpected error: %v", err)
			}
		})
	}
	wg.Wait()
	if len(won) != 1 || content(t, path) != won[0] {
		t.Errorf("%d writers won, want 1 whose content is in the file", len(won))
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	old := ".patch-tmp-" + strings.Repeat("A", 26)
	young := ".patch-tmp-" + strings.Repeat("B", 26)
	keep := []string{young, "file", ".patch-tmp-", ".patch-tmp-" + strings.Repeat("a", 26), old + "x"}
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, name := range append([]string{old}, keep...) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		when := now.Add(-2 * time.Hour)
		if name == young {
			when = now.Add(-time.Minute)
		}
		if err := os.Chtimes(filepath.Join(dir, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	n, err := durable.Sweep(dir, time.Hour, now)
	if n != 1 || err != nil {
		t.Errorf("Sweep = %d, %v, want 1, nil", n, err)
	}
	if got := names(t, dir); len(got) != len(keep) {
		t.Errorf("left %v, want %v", got, keep)
	}
	if _, err := os.Lstat(filepath.Join(dir, old)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old temporary file is still there: %v", err)
	}
	if n, err := durable.Sweep(filepath.Join(dir, "missing"), 0, now); n != 0 || err != nil {
		t.Errorf("missing directory: %d, %v", n, err)
	}
}
