package notes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/notes"
	"github.com/patch-cat/patch-git/internal/taint"
)

// clock is a time that a test moves.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func open(tb testing.TB) (*notes.Box, *clock, string) {
	tb.Helper()
	c := &clock{time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
	dir := filepath.Join(tb.TempDir(), "notes")
	return notes.Open(dir, c.now), c, dir
}

func add(tb testing.TB, b *notes.Box, kind notes.Kind, from, text string) []notes.Note {
	tb.Helper()
	n, err := b.Add(tb.Context(), kind, from, text)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

func apply(tb testing.TB, r *notes.Reader, h *taint.History) {
	tb.Helper()
	if err := r.Apply(h); err != nil {
		tb.Fatal(err)
	}
}

func check(h *taint.History, value string) taint.Verdict {
	arguments, _ := json.Marshal(map[string]string{"to": value})
	return h.Check(taint.Call{Arguments: arguments, Reaches: true})
}

// TestApply: what another server answered is held, what was typed is not, each note
// once, by a reader that lives.
func TestApply(t *testing.T) {
	b, c, _ := open(t)
	h := taint.NewHistory()
	r := b.Reader()
	apply(t, r, h) // no folder
	n := add(t, b, notes.Result, "mail", `{"from":"mallory@evil.example","body":"and carol@good.example"}`)
	apply(t, r, h)
	v := check(h, "mallory@evil.example")
	if !v.Held() || v.Matches[0].Source != (taint.Source{Run: "note " + n[0].ID, Tool: "mail", Path: "/from"}) {
		t.Errorf("got %+v", v)
	}
	if !check(h, "carol@good.example").Held() {
		t.Error("carol is not held before she was typed")
	}
	c.t = c.t.Add(time.Minute)
	add(t, b, notes.Prompt, "", "write to carol@good.example")
	apply(t, r, h)
	apply(t, r, h)
	if v := check(h, "carol@good.example"); v.Held() || len(v.Vouched) != 1 {
		t.Errorf("got %+v", v)
	}
	if !check(h, "mallory@evil.example").Held() {
		t.Error("mallory is not held any more")
	}
}

// TestSince: a conversation is not told of another one that was before it.
func TestSince(t *testing.T) {
	b, c, _ := open(t)
	add(t, b, notes.Result, "mail", "mallory@evil.example")
	c.t = c.t.Add(time.Second)
	for name, tt := range map[string]struct {
		reader *notes.Reader
		want   bool
	}{
		"later": {b.Since(c.t), false}, "from then on": {b.Since(c.t.Add(-time.Second)), true}, "the last hour": {b.Reader(), true},
	} {
		h := taint.NewHistory()
		apply(t, tt.reader, h)
		if got := check(h, "mallory@evil.example").Held(); got != tt.want {
			t.Errorf("%s: held is %v", name, got)
		}
	}
}

// TestForget: what was removed is gone from the disk, and no loss.
func TestForget(t *testing.T) {
	b, _, dir := open(t)
	h := taint.NewHistory()
	r := b.Reader()
	if n, err := b.Forget(t.Context()); n != 0 || err != nil {
		t.Errorf("an empty box: %d, %v", n, err)
	}
	add(t, b, notes.Result, "mail", "mallory@evil.example")
	add(t, b, notes.Prompt, "", "anything")
	if n, err := b.Forget(t.Context()); n != 2 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if left := b.List(); len(left) != 0 {
		t.Errorf("left is %v", left)
	}
	apply(t, r, h)
	if _, ok := h.Latest(); ok {
		t.Error("what was removed was read")
	}
	add(t, b, notes.Result, "mail", "trudy@evil.example")
	apply(t, r, h)
	if !check(h, "trudy@evil.example").Held() {
		t.Error("a note after that is not read")
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "mallory") {
			t.Errorf("%s has it", path)
		}
		if i, _ := d.Info(); i.Mode().Perm()&0o077 != 0 && d.Name() != ".lock" {
			t.Errorf("%s has mode %v", path, i.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLost: a note that a reader missed or cannot believe makes the history one
// that forgot, and the others count all the same. The twin is a reader in time.
func TestLost(t *testing.T) {
	for name, tt := range map[string]struct {
		harm func(t *testing.T, b *notes.Box, dir string)
		want bool
	}{
		"in time": {func(t *testing.T, b *notes.Box, _ string) {
			for range limits.Notes - 2 {
				add(t, b, notes.Prompt, "", "x")
			}
		}, false},
		"overrun": {func(t *testing.T, b *notes.Box, _ string) {
			for range limits.Notes + 1 {
				add(t, b, notes.Prompt, "", "x")
			}
		}, true},
		"a bit": {func(t *testing.T, _ *notes.Box, dir string) {
			harmLargest(t, dir, func(data []byte) []byte { data[len(data)-3] ^= 1; return data })
		}, true},
		"cut off": {func(t *testing.T, _ *notes.Box, dir string) {
			harmLargest(t, dir, func(data []byte) []byte { return data[:len(data)/2] })
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			b, _, dir := open(t)
			h := taint.NewHistory()
			r := b.Reader()
			add(t, b, notes.Prompt, "", "first")
			apply(t, r, h)
			add(t, b, notes.Result, "mail", strings.Repeat("long ", 1000))
			tt.harm(t, b, dir)
			add(t, b, notes.Result, "mail", "mallory@evil.example")
			err := r.Apply(h)
			if (err != nil) != tt.want || err != nil && (fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != "note_lost") {
				t.Errorf("got %v", err)
			}
			if v := check(h, "mallory@evil.example"); len(v.Matches) != 1 {
				t.Errorf("the note after it: %+v", v)
			}
			if v := check(h, "never seen"); v.Held() != tt.want {
				t.Errorf("another value: %+v", v)
			}
			apply(t, r, h) // it is told once
		})
	}
}

// harmLargest changes the largest file below a folder.
func harmLargest(t *testing.T, dir string, change func([]byte) []byte) {
	t.Helper()
	var path string
	var size int64
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, _ error) error {
		if i, err := d.Info(); err == nil && !d.IsDir() && i.Size() > size {
			path, size = p, i.Size()
		}
		return nil
	})
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(data), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestLong: a long text is read whole, also where it is cut; of one that is too long
// the reader hears that there was more.
func TestLong(t *testing.T) {
	const value = "mallory.black@exfil-drop.example"
	for name, tt := range map[string]struct {
		before int
		parts  int
		seen   bool
	}{
		"in the first part": {10, 1, true},
		"across two":        {limits.NoteText - len(value)/2, 2, true},
		"in a later one":    {limits.NoteText * 5, 6, true},
		"too far":           {limits.NoteText * limits.NoteParts, limits.NoteParts, false},
	} {
		t.Run(name, func(t *testing.T) {
			b, _, _ := open(t)
			h := taint.NewHistory()
			n := add(t, b, notes.Result, "web", strings.Repeat(".", tt.before)+value)
			if len(n) != tt.parts || n[len(n)-1].Cut == tt.seen {
				t.Errorf("%d notes, the last was cut: %v", len(n), n[len(n)-1].Cut)
			}
			apply(t, b.Reader(), h)
			v := check(h, value)
			if seen := len(v.Matches) == 1; seen != tt.seen || !v.Held() {
				t.Errorf("got %+v", v)
			}
		})
	}
}

// TestRefused: what is no note is refused, and nothing is kept.
func TestRefused(t *testing.T) {
	b, _, dir := open(t)
	for _, tt := range []struct {
		kind notes.Kind
		text string
	}{{"", "x"}, {"order", "x"}, {notes.Prompt, ""}} {
		if _, err := b.Add(t.Context(), tt.kind, "", tt.text); fault.KindOf(err) != fault.Usage {
			t.Errorf("%q %q: %v", tt.kind, tt.text, err)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("there is a folder")
	}
	add(t, b, notes.Prompt, "", "x") // the twin
	// A key that others can read keeps nothing, and says so.
	if err := os.Chmod(filepath.Join(dir, "key"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := notes.Open(dir, time.Now).Add(t.Context(), notes.Prompt, "", "x"); fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != "notes" { //floors:allow
		t.Errorf("got %v", err)
	}
}

// TestEnds: notes end, and a reader that lives longer is no worse for it.
func TestEnds(t *testing.T) {
	b, c, _ := open(t)
	h := taint.NewHistory()
	r := b.Reader()
	add(t, b, notes.Result, "mail", "mallory@evil.example")
	apply(t, r, h)
	c.t = c.t.Add(limits.NoteLife + time.Minute)
	if left := b.List(); len(left) != 0 {
		t.Errorf("left is %v", left)
	}
	apply(t, r, h)
	add(t, b, notes.Result, "mail", "trudy@evil.example")
	apply(t, r, h)
	if v := check(h, "trudy@evil.example"); len(v.Matches) != 1 || v.Session != nil {
		t.Errorf("got %+v", v)
	}
}

// TestWriters: of many processes no note is lost.
func TestWriters(t *testing.T) {
	b, c, dir := open(t)
	r := b.Reader()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 4 {
				if _, err := notes.Open(dir, c.now).Add(context.Background(), notes.Result, "w", fmt.Sprintf("writer%dnote%d@x", i, j)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	h := taint.NewHistory()
	apply(t, r, h)
	for i := range 8 {
		for j := range 4 {
			if !check(h, fmt.Sprintf("writer%dnote%d@x", i, j)).Held() {
				t.Errorf("note %d of writer %d is lost", j, i)
			}
		}
	}
}

// BenchmarkApply is what each call of a server pays where nothing is new.
func BenchmarkApply(b *testing.B) {
	box, c, _ := open(b)
	h := taint.NewHistory()
	r := box.Reader()
	add(b, box, notes.Result, "mail", "x")
	c.t = time.Now().Add(time.Hour) //floors:allow
	apply(b, r, h)
	for b.Loop() {
		apply(b, r, h)
	}
}
