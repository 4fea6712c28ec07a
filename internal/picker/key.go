package picker

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/sanitize"
)

// key is what a person pressed.
type key uint8

const (
	none key = iota // nothing that the picker knows
	letter
	up
	down
	pageUp
	pageDown
	left
	right
	home
	end
	backspace
	remove
	clearLine
	clearWord
	enter
	tab
	escape
	interrupt
)

type event struct {
	key  key
	rune rune // of a letter
}

// decoder turns what a terminal sends into events. A terminal says with the same
// byte that Escape was pressed and that another key's sequence begins: which one
// it was shows only when nothing follows, of which idle tells.
type decoder struct {
	rest    []byte // of a sequence or a character that is not complete
	pasting bool
}

// longest is how many bytes of an incomplete sequence are waited for.
const longest = 64

// control is what a byte below the blank means.
var control = [...]key{
	0x01: home, 0x03: interrupt, 0x05: end, 0x08: backspace, '\t': tab, '\n': enter, '\r': enter,
	0x0e: down, 0x10: up, 0x15: clearLine, 0x17: clearWord, 0x1b: escape, 0x1f: none,
}

// feed takes what was read and returns the events that are complete.
func (d *decoder) feed(data []byte) []event {
	data = append(d.rest, data...)
	var out []event
	for len(data) > 0 {
		e, size := d.next(data)
		if size == 0 { // not complete
			if len(data) < longest {
				break
			}
			e, size = event{}, len(data)
		}
		data = data[size:]
		if e.key != none {
			out = append(out, e)
		}
	}
	d.rest = bytes.Clone(data)
	return out
}

// idle says that nothing came for a while: what began does not go on.
func (d *decoder) idle() []event {
	lone := len(d.rest) == 1 && d.rest[0] == 0x1b
	d.rest = nil
	if lone && !d.pasting {
		return []event{{key: escape}}
	}
	return nil
}

// next reads one event; size 0 asks for more bytes.
func (d *decoder) next(data []byte) (e event, size int) {
	switch b := data[0]; {
	case b == 0x1b:
		return d.sequence(data)
	case b == 0x7f:
		return d.typed(event{key: backspace}), 1
	case b < ' ' && d.pasting:
		return event{letter, ' '}, 1
	case b < ' ':
		return event{key: control[b]}, 1
	}
	if !utf8.FullRune(data) {
		return event{}, 0
	}
	r, size := utf8.DecodeRune(data)
	if _, hidden := sanitize.Hidden(string(r)); hidden || r == utf8.RuneError || !unicode.IsPrint(r) {
		return event{}, size
	}
	return event{letter, r}, size
}

// typed is nothing while something is pasted: only its letters count.
func (d *decoder) typed(e event) event {
	if d.pasting {
		return event{}
	}
	return e
}

// finals are the keys that end a sequence with a letter, tildes those that have
// a number and a tilde.
var (
	finals = map[byte]key{'A': up, 'B': down, 'C': right, 'D': left, 'H': home, 'F': end}
	tildes = map[string]key{"1": home, "3": remove, "4": end, "5": pageUp, "6": pageDown, "7": home, "8": end}
)

// sequence reads what begins with an ESC.
func (d *decoder) sequence(data []byte) (e event, size int) {
	if len(data) == 1 {
		return event{}, 0
	}
	switch data[1] {
	case '[':
		for i, b := range data[2:] {
			if b < 0x40 || b > 0x7e {
				if b < 0x20 || b > 0x7e { // no part of a sequence: it was broken off
					return event{}, i + 2
				}
				continue
			}
			return d.control(string(data[2:2+i]), b), i + 3
		}
		return event{}, 0
	case 'O':
		if len(data) < 3 {
			return event{}, 0
		}
		return d.typed(event{key: finals[data[2]]}), 3
	case ']', 'P', '_', '^', 'X': // a string, such as an answer to a question that nobody here asks
		for i, b := range data[2:] {
			if b == 0x07 {
				return event{}, i + 3
			}
			if b == '\\' && data[i+1] == 0x1b {
				return event{}, i + 3
			}
		}
		return event{}, 0
	case 0x1b: // Escape twice
		return d.typed(event{key: escape}), 1
	}
	return event{}, 2 // Alt and a key
}

// control reads ESC [ parameters final.
func (d *decoder) control(parameters string, final byte) event {
	if final == '~' {
		switch parameters {
		case "200":
			d.pasting = true
			return event{}
		case "201":
			d.pasting = false
			return event{}
		}
		return d.typed(event{key: tildes[parameters]})
	}
	return d.typed(event{key: finals[final]})
}
