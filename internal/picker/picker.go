package picker

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Item is one of what can be chosen. Its texts are as they came.
type Item interface {
	// Row is the item in one line: what it is, and what stands at the right
	// end of the line as far as there is room.
	Row() (what, right Line)
	// Card is all there is to say, in paragraphs that are still to be wrapped.
	Card() []Paragraph
}

// Paragraph is a line of a card with how far its later lines are moved in.
type Paragraph struct {
	Line   Line
	Indent int
}

// Found is the answer to a query: the items, best first, and what is to be said
// beside them. An item that is nil is not allowed.
type Found struct {
	Items []Item
	Total int // of what was found, where Items are the first of it; less is as many as Items
	Notes []Line
}

// Options say what is to be picked from.
type Options struct {
	Query string // what stands in the line at first
	Color bool
	// Find is asked anew after every change of the query, "" at first, if
	// nothing stands there. It is to answer at once; an error ends the picking.
	Find func(ctx context.Context, query string) (Found, error)
}

// Screen is a terminal that does nothing of its own: keys come as they are
// pressed and are not shown.
type Screen interface {
	io.ReadWriter
	// Size is how much fits on it.
	Size() (columns, rows int)
	// Resized hears of another size.
	Resized() <-chan os.Signal
}

// escapeAfter is how long an ESC must be alone to be the key of that name. The
// bytes of one key come together, over a slow line nearly so.
const escapeAfter = 50 * time.Millisecond

// What is asked of a terminal in the beginning, and taken back in the end: its
// other page, no line that goes on in the next one, and pasted text in brackets.
const (
	begin  = "\x1b[?1049h\x1b[?7l\x1b[?2004h"
	finish = "\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l"
)

// Pick shows what Find finds and returns what the person chose; nil where they
// left without choosing. Ctrl-C is a fault of kind Interrupted. The screen is in
// the end as it was, whatever happened. What is read after the choice is lost.
func Pick(ctx context.Context, s Screen, o Options) (Item, error) {
	m := &model{find: o.Find}
	for _, r := range o.Query {
		m.press(event{letter, r})
	}
	if err := m.search(ctx); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(s, begin); err != nil {
		return nil, lost(err)
	}
	defer func() { _, _ = io.WriteString(s, finish) }()
	return m.run(ctx, s, o.Color)
}

func lost(err error) error {
	return fault.New(fault.Unavailable, "terminal", "the terminal is gone: %w", err)
}

func (m *model) run(ctx context.Context, s Screen, color bool) (Item, error) {
	done := make(chan struct{})
	defer close(done)
	input := readAll(s, done)
	var d decoder
	for {
		columns, rows := s.Size()
		if _, err := io.WriteString(s, m.frame(columns, rows, color)); err != nil {
			return nil, lost(err)
		}
		var late <-chan time.Time
		if len(d.rest) > 0 {
			late = time.After(escapeAfter)
		}
		var events []event
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.Resized():
		case <-late:
			events = d.idle()
		case data, ok := <-input:
			if !ok {
				return nil, lost(io.ErrUnexpectedEOF)
			}
			events = d.feed(data)
		}
		anew := false
		for _, e := range events {
			switch m.press(e) {
			case changed:
				anew = true
			case picked:
				if !anew {
					return m.found.Items[m.chosen], nil
				}
				// What was typed just before is not shown yet: nobody
				// chooses what they have not seen.
			case leave:
				return nil, nil
			case interrupted:
				return nil, fault.New(fault.Interrupted, "interrupted", "interrupted")
			case goOn:
			}
		}
		if anew {
			if err := m.search(ctx); err != nil {
				return nil, err
			}
		}
	}
}

// readAll hands on what is typed, until done or the end of the input.
func readAll(r io.Reader, done <-chan struct{}) <-chan []byte {
	input := make(chan []byte)
	go func() {
		defer close(input)
		for {
			buffer := make([]byte, 1024)
			n, err := r.Read(buffer)
			if n > 0 {
				select {
				case input <- buffer[:n]:
				case <-done:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return input
}
