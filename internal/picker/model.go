package picker

import (
	"context"
	"slices"
	"unicode"
)

// maxQuery is how many characters can be typed.
const maxQuery = 200

// model is the state of one picking.
type model struct {
	find    func(ctx context.Context, query string) (Found, error)
	query   []rune
	at      int // the place in the query where letters go
	found   Found
	chosen  int // of found.Items
	top     int // the first item that is shown
	page    int // how many are
	details bool
	scroll  int // of the card
}

// verdict is what an event leads to.
type verdict uint8

const (
	goOn verdict = iota
	changed
	picked
	leave
	interrupted
)

// press does what a key says.
func (m *model) press(e event) verdict {
	switch e.key {
	case escape:
		return leave
	case interrupt:
		return interrupted
	case enter:
		if len(m.found.Items) > 0 {
			return picked
		}
	case up:
		m.move(-1)
	case down:
		m.move(1)
	case pageUp, pageDown:
		step := max(m.page-1, 1)
		if e.key == pageUp {
			step = -step
		}
		if m.details {
			m.scroll = max(m.scroll+step, 0)
		} else {
			m.move(step)
		}
	case tab:
		m.details, m.scroll = !m.details, 0
	case left:
		m.at = max(m.at-1, 0)
	case right:
		m.at = min(m.at+1, len(m.query))
	case home:
		m.at = 0
	case end:
		m.at = len(m.query)
	case none:
	default:
		return m.edit(e)
	}
	return goOn
}

// move points at another item.
func (m *model) move(by int) {
	m.chosen = max(min(m.chosen+by, len(m.found.Items)-1), 0)
	m.scroll = 0
}

// edit changes the query.
func (m *model) edit(e event) verdict {
	from, to := m.at, m.at
	switch e.key {
	case letter:
		if len(m.query) >= maxQuery {
			return goOn
		}
		m.query = slices.Insert(m.query, m.at, e.rune)
		m.at++
		return changed
	case backspace:
		from = max(m.at-1, 0)
	case remove:
		to = min(m.at+1, len(m.query))
	case clearLine:
		from, to = 0, len(m.query)
	case clearWord:
		for from > 0 && unicode.IsSpace(m.query[from-1]) {
			from--
		}
		for from > 0 && !unicode.IsSpace(m.query[from-1]) {
			from--
		}
	}
	if from == to {
		return goOn
	}
	m.query, m.at = slices.Delete(m.query, from, to), from
	return changed
}

// search asks anew, and points at the best.
func (m *model) search(ctx context.Context) error {
	found, err := m.find(ctx, string(m.query))
	if err != nil {
		return err
	}
	m.found, m.chosen, m.top, m.scroll = found, 0, 0, 0
	return nil
}
