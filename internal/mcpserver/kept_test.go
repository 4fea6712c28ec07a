package mcpserver

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

// TestKept: the next server finds what this one verified, word by word, and what was
// tampered with is nothing.
func TestKept(t *testing.T) {
	h := &host.Host{Paths: paths.Paths{Root: t.TempDir()}, Now: time.Now}
	a := toolNamed(t, "alpha", nil)
	a.stamp, a.glimpse, a.trust = [32]byte{1}, [32]byte{2}, spec.Digest{3}
	b := toolNamed(t, "bravo", func(c *consume.Card) {
		c.Tool.Output = spec.Output{Type: spec.TypeString}
		c.Tool.Extensions = map[string]json.RawMessage{"x-media": json.RawMessage(`"image/png"`)}
		c.Irreversible = true
	})
	tool := kitOf(t)
	tool.stamp = [32]byte{4}
	text := skillNamed(t, "work_log", "SKILL.md", "scripts/log.sh")
	broken := &entry{ref: spec.Ref{Name: "broken"}, err: bytes.ErrTooLarge}
	keptAt(h).save([]*entry{a, broken, b, tool, text})
	got := keptAt(h).load()
	if len(got) != 4 {
		t.Fatalf("%d entries", len(got))
	}
	for _, want := range []*entry{a, b, tool, text} {
		e := got[want.ref.Name]
		if e == nil || e.ref != want.ref || e.stamp != want.stamp || e.glimpse != want.glimpse || e.trust != want.trust || e.media != want.media || e.tags != want.tags || !e.known("x").same(want.known("x")) ||
			e.format != want.format || !reflect.DeepEqual(e.skill, want.skill) || !slices.EqualFunc(e.parts, want.parts, (*entry).same) || e.called() != want.called() {
			t.Errorf("%+v\nbecame\n%+v", want, e)
		}
		if !bytes.Equal(keptAt(h).summaries().of(e), want.summary) {
			t.Error("the summary is another")
		}
	}
	// One without its summary in memory keeps it in the file.
	keptAt(h).save([]*entry{got["alpha"], got["bravo"]})
	if s := keptAt(h).summaries(); !bytes.Equal(s[b.ref.Digest], b.summary) {
		t.Error("a summary was lost")
	}
	// Another user's file, or a tool's, is not believed: it has no code.
	other := &host.Host{Paths: paths.Paths{Root: t.TempDir()}, Now: time.Now}
	if n := len(keptAt(other).load()); n != 0 {
		t.Errorf("%d entries of nobody", n)
	}
}

// FuzzKept: no bytes make the reader panic, and what it reads is written again as
// it was.
func FuzzKept(f *testing.F) {
	e := toolNamed(f, "alpha", nil)
	whole := appendEntry(nil, e)
	f.Add(whole)
	f.Add(appendEntry(nil, kitOf(f)))
	f.Add(appendEntry(nil, skillNamed(f, "work_log", "SKILL.md")))
	f.Add(whole[:len(whole)/2])
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := reader{slices.Clone(data)}
		for len(r.rest) > 0 {
			e := r.entry()
			if e == nil {
				return
			}
			again := reader{appendEntry(nil, e)}
			if o := again.entry(); o == nil || !o.same(e) || o.ref != e.ref || len(again.rest) > 0 || !slices.EqualFunc(o.parts, e.parts, (*entry).same) || !reflect.DeepEqual(o.skill, e.skill) {
				t.Fatalf("%+v became %+v", e, o)
			}
		}
	})
}
