package notes

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/taint"
)

// settled is how old a file is when another one in its place has another time.
const settled = 2 * time.Second

// Reader applies notes to one history, each once. It is for one goroutine.
type Reader struct {
	box   *Box
	since time.Time
	next  uint64 // number of the first note that was not looked at; 0 at the beginning
	heard fs.FileInfo
}

// Reader begins with the notes of the last hour.
func (b *Box) Reader() *Reader { return b.Since(b.now().Add(-limits.NoteBefore)) }

// Since begins with the notes from a time on, that at which a conversation began.
func (b *Box) Since(t time.Time) *Reader { return &Reader{box: b, since: t} }

// Apply adds what came since the last time. A note that cannot be believed, and one
// whose place was taken before it was read, is an error of kind Unavailable and
// reason "note_lost"; the history then counts as one that forgot, and the others
// are applied all the same. A folder that is not there is no note.
func (r *Reader) Apply(h *taint.History) error {
	// Looking at one file keeps a call fast. It is looked at before the notes, so
	// that what comes meanwhile is found the next time.
	bell, err := os.Lstat(r.box.bell())
	if err == nil && r.heard != nil && os.SameFile(bell, r.heard) && bell.ModTime().Equal(r.heard.ModTime()) {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) && r.next == 0 {
		if _, err := os.Lstat(r.box.dir); errors.Is(err, fs.ErrNotExist) {
			return nil // nobody ever wrote one
		}
	}
	// One that rang just now may ring again and look the same.
	if r.heard = nil; err == nil && r.box.now().Sub(bell.ModTime()) > settled {
		r.heard = bell
	}
	head := r.box.head()
	lost := 0
	switch {
	case head.Next == 0: // nothing there, or nothing for so long that all notes have ended
		return nil
	case r.next == 0:
		r.next = head.oldest()
	case head.Next < r.next: // made anew, by a clock that went back
		lost++
		r.next = head.oldest()
	case r.next < head.First: // forgotten on purpose, or begun anew
		r.next = head.First
	}
	if oldest := head.oldest(); r.next < oldest {
		lost += int(oldest - r.next)
		r.next = oldest
	}
	for ; r.next < head.Next; r.next++ {
		n, ok := r.box.load(r.next)
		if !ok {
			if now := r.box.head(); r.next < now.First {
				continue // forgotten meanwhile
			}
			lost++
			continue
		}
		if n.At.Before(r.since) {
			continue
		}
		source := taint.Source{Run: "note " + n.ID, Tool: n.From}
		if n.Kind == Prompt {
			h.TrustedText(n.Text)
			continue
		}
		h.Untrusted(source, []byte(n.Text)) // which is as it stands where it is no JSON
		if n.Cut {
			h.Lost(source)
		}
	}
	if lost == 0 {
		return nil
	}
	h.Lost(taint.Source{Run: "note"})
	return fault.New(fault.Unavailable, "note_lost", "%d note(s) of what was read elsewhere cannot be read", lost).
		Hint("patch-git taint show")
}
