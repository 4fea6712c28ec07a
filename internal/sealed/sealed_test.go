package sealed_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sealed"
)

// What happens to files that somebody else touched is held by package
// verdicts, which was here first.
func TestFolder(t *testing.T) {
	dir, now := filepath.Join(t.TempDir(), "x"), time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	open := func() *sealed.Folder { return sealed.Open(dir, func() time.Time { return now }, time.Hour, 10) }
	name := sealed.Name("a", "b")
	if got := open().Load(name); got != nil {
		t.Errorf("got %q before anything was kept", got)
	}
	open().Save(name, []byte("answer"))
	if got := open().Load(name); string(got) != "answer" {
		t.Errorf("got %q", got)
	}
	files, err := filepath.Glob(filepath.Join(dir, "??", "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if i, err := os.Stat(files[0]); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", i.Mode(), err)
	}
	for _, other := range [][]string{{"ab"}, {"a", "b", ""}, {"", "a", "b"}, {"a"}, nil} {
		if got := open().Load(sealed.Name(other...)); got != nil {
			t.Errorf("%q has the answer of another name", other)
		}
	}
	open().Save(sealed.Name("c"), bytes.Repeat([]byte("x"), 11))
	if got := open().Load(sealed.Name("c")); got != nil {
		t.Errorf("got %d bytes, allowed are 10", len(got))
	}
	now = now.Add(time.Hour)
	if got := open().Load(name); got == nil {
		t.Error("it is forgotten before its time")
	}
	now = now.Add(time.Second)
	if got := open().Load(name); got != nil {
		t.Error("it is believed after its time")
	}
	now = now.Add(-2 * time.Hour)
	if got := open().Load(name); got != nil {
		t.Error("one of the future is believed")
	}
}
