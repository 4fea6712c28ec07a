package notes

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sealed"
	"github.com/patch-cat/patch-git/spec"
)

// Kind is what a note reports.
type Kind string

// The kinds: a prompt vouches for the values in it, a result makes them tainted.
const (
	Prompt Kind = "prompt"
	Result Kind = "result"
)

// Note is one thing that a host reports.
type Note struct {
	ID   string    `json:"id"` // random, of our making: the Run of a taint.Source
	Kind Kind      `json:"kind"`
	From string    `json:"from,omitempty"` // the server or tool that answered, as the host says
	At   time.Time `json:"at"`
	Text string    `json:"text"`
	Cut  bool      `json:"cut,omitempty"` // there was more of it

	Number uint64 `json:"number"` // of all that were ever written
}

// head is how far the notes have come.
type head struct {
	Next  uint64 `json:"next"`  // number of the next note
	First uint64 `json:"first"` // of the first that was not forgotten on purpose
}

// Box is where the notes of one user lie: a ring of slots, so that old notes make
// room for new ones. It is safe for concurrent use, also by many processes.
type Box struct {
	dir    string
	now    func() time.Time
	sealed *sealed.Folder
}

// Open returns the box in a folder, which is made when it is first needed.
func Open(dir string, now func() time.Time) *Box {
	// JSON writes one byte as six at most.
	return &Box{dir: dir, now: now, sealed: sealed.Open(dir, now, limits.NoteLife, 6*limits.NoteText+limits.KiB)}
}

func headName() spec.Digest { return sealed.Name("notes", "head") }

func slotName(number uint64) spec.Digest {
	return sealed.Name("notes", fmt.Sprint(number%limits.Notes))
}

// head reads how far the notes have come. One that is not there, or was there too
// long ago, is that of an empty box.
func (b *Box) head() head {
	var h head
	if data := b.sealed.Load(headName()); data == nil || json.Unmarshal(data, &h) != nil {
		return head{}
	}
	return h
}

// save writes a value and reads it back, because sealed says nothing when it cannot.
func (b *Box) save(name spec.Digest, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	b.sealed.Save(name, data)
	if got := b.sealed.Load(name); string(got) != string(data) {
		return fault.New(fault.Unavailable, "notes", "the note cannot be kept in %s", spec.Quote(b.dir)).
			Hint("look at the folder: it, and the file key in it, must be yours alone")
	}
	return nil
}

func (b *Box) lock(ctx context.Context) (func(), error) {
	if err := durable.MkdirAll(b.dir); err != nil {
		return nil, err
	}
	return durable.Lock(ctx, filepath.Join(b.dir, ".lock"), limits.LockWait)
}

// Add keeps what a host reports. A long text becomes several notes; of one that is
// longer than all notes together may be, what is left out is told to whoever reads
// it. A kind that there is not and an empty text are errors of kind Usage.
func (b *Box) Add(ctx context.Context, kind Kind, from, text string) ([]Note, error) {
	if kind != Prompt && kind != Result {
		return nil, fault.New(fault.Usage, "usage", "a note is a prompt or a result")
	}
	if text == "" {
		return nil, fault.New(fault.Usage, "usage", "the note is empty")
	}
	unlock, err := b.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	h := b.head()
	if h.Next == 0 { // others may have read further before the head was lost
		h.Next = uint64(b.now().UnixNano())
		h.First = h.Next
	}
	var out []Note
	for parts := 0; text != ""; parts++ {
		part := text[:min(len(text), limits.NoteText)]
		n := Note{ID: rand.Text(), Kind: kind, From: from, At: b.now().UTC(), Text: part, Number: h.Next}
		// The next part begins before the end of this one, for what stands across.
		text = text[len(part):]
		if overlap := min(len(part)/2, limits.NoteOverlap); text != "" {
			text = part[len(part)-overlap:] + text
		}
		if parts == limits.NoteParts-1 && text != "" {
			n.Cut, text = true, ""
		}
		if err := b.save(slotName(n.Number), n); err != nil {
			return out, err
		}
		h.Next++
		// The head comes last: a note is there, or it was never written.
		if err := b.save(headName(), h); err != nil {
			return out, err
		}
		out = append(out, n)
	}
	return out, b.ring()
}

// bell is the file that is new whenever the notes are. Readers look at nothing else
// as long as it is the same; nothing is believed of what it says.
func (b *Box) bell() string { return filepath.Join(b.dir, "changed") }

func (b *Box) ring() error {
	return durable.Replace(b.bell(), []byte(b.now().UTC().Format(time.RFC3339Nano)), 0o600)
}

// load reads the note of a number; false is one that cannot be believed, or whose
// place another one has taken.
func (b *Box) load(number uint64) (Note, bool) {
	var n Note
	data := b.sealed.Load(slotName(number))
	return n, data != nil && json.Unmarshal(data, &n) == nil && n.Number == number
}

// oldest is the number of the oldest note that may still be there.
func (h head) oldest() uint64 {
	if h.Next > h.First+limits.Notes {
		return h.Next - limits.Notes
	}
	return h.First
}

// List returns the notes that are there, the oldest first.
func (b *Box) List() []Note {
	h := b.head()
	var out []Note
	for i := h.oldest(); i < h.Next; i++ {
		if n, ok := b.load(i); ok {
			out = append(out, n)
		}
	}
	return out
}

// Forget removes the notes and tells how many there were. What a live server has
// read of them it keeps.
func (b *Box) Forget(ctx context.Context) (int, error) {
	unlock, err := b.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	notes := b.List()
	h := b.head()
	if h.Next == 0 {
		return 0, nil
	}
	h.First = h.Next
	if err := b.save(headName(), h); err != nil {
		return 0, err
	}
	for _, n := range slices.Backward(notes) {
		if err := b.save(slotName(n.Number), Note{}); err != nil {
			return 0, err
		}
	}
	return len(notes), b.ring()
}
