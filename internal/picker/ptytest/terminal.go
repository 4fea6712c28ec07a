// Package ptytest is a terminal for tests: what a person would see of what a
// program writes, and a pseudo-terminal to run the program on. It knows the few
// sequences that the picker sends. Any other is a problem that the test is told
// of, because it came out of a foreign text.
package ptytest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/sanitize"
)

// Terminal is a screen of characters.
type Terminal struct {
	mu            sync.Mutex
	columns, rows int
	page          [][]string // a cell is a character with its marks; "" after a wide one
	kept          [][]string // the main page while the other one is shown
	x, y          int
	keptX, keptY  int
	modes         map[string]bool
	styled        bool
	colors        int // SGR sequences so far
	rest          []byte
	problems      []string
	settling      bool          // it has another size, and what came since is perhaps for the one before
	overflows     []string      // meanwhile, of the newest frame
	wrote         chan struct{} // closed and made anew by each write
}

// New makes an empty terminal.
func New(columns, rows int) *Terminal {
	t := &Terminal{columns: columns, rows: rows, modes: map[string]bool{"7": true, "25": true}, wrote: make(chan struct{})}
	t.page = blank(columns, rows)
	return t
}

func blank(columns, rows int) [][]string {
	page := make([][]string, rows)
	for i := range page {
		page[i] = blankRow(columns)
	}
	return page
}

func blankRow(columns int) []string {
	row := make([]string, columns)
	for i := range row {
		row[i] = " "
	}
	return row
}

// Resize gives the terminal another size. What does not fit is lost.
func (t *Terminal) Resize(columns, rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.page = resized(t.page, columns, rows)
	if t.kept != nil {
		t.kept = resized(t.kept, columns, rows)
	}
	t.columns, t.rows, t.settling = columns, rows, true
	t.x, t.y = min(t.x, columns-1), min(t.y, rows-1)
}

func resized(page [][]string, columns, rows int) [][]string {
	out := blank(columns, rows)
	for i := range min(rows, len(page)) {
		copy(out[i], page[i])
	}
	return out
}

// Lines are the rows as they are seen, without the blanks at their ends.
func (t *Terminal) Lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, row := range t.page {
		out = append(out, strings.TrimRight(strings.Join(row, ""), " "))
	}
	return out
}

// Text is all rows.
func (t *Terminal) Text() string { return strings.Join(t.Lines(), "\n") }

// Cursor is where the cursor stands, from 0, and whether it is seen.
func (t *Terminal) Cursor() (column, row int, visible bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.x, t.y, t.modes["25"]
}

// Mode tells whether a private mode is set; 1049 is that of the other page.
func (t *Terminal) Mode(number string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.modes[number]
}

// Colors is how many times a style was set.
func (t *Terminal) Colors() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.colors
}

// Problems are what no well-meaning program sends.
func (t *Terminal) Problems() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append(slices.Clone(t.problems), t.overflows...)
}

// overflow is a problem, unless it is of a frame for the size that was.
func (t *Terminal) overflow(format string, args ...any) {
	if t.settling {
		t.overflows = append(t.overflows, fmt.Sprintf(format, args...))
		return
	}
	t.problem(format, args...)
}

// Write shows what a program writes.
func (t *Terminal) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := append(t.rest, data...)
	for len(rest) > 0 {
		n := t.one(rest)
		if n == 0 {
			break
		}
		rest = rest[n:]
	}
	t.rest = append([]byte(nil), rest...)
	close(t.wrote)
	t.wrote = make(chan struct{})
	return len(data), nil
}

func (t *Terminal) problem(format string, args ...any) {
	t.problems = append(t.problems, fmt.Sprintf(format, args...))
}

// one obeys one character or sequence and returns its length; 0 asks for more.
func (t *Terminal) one(data []byte) int {
	switch b := data[0]; {
	case b == 0x1b:
		return t.escape(data)
	case b == '\r':
		t.x = 0
		return 1
	case b == '\n':
		t.down()
		return 1
	case b == '\b':
		t.x = max(t.x-1, 0)
		return 1
	case b < ' ' || b == 0x7f:
		t.problem("the control character %#x", b)
		return 1
	}
	if !utf8.FullRune(data) {
		return 0
	}
	r, size := utf8.DecodeRune(data)
	if _, hidden := sanitize.Hidden(string(r)); hidden && sanitize.Width(string(r)) > 0 || r == utf8.RuneError {
		t.problem("the hidden character %U", r)
	}
	t.put(string(r))
	return size
}

func (t *Terminal) put(char string) {
	w := sanitize.Width(char)
	if w == 0 {
		if t.x > 0 {
			t.page[t.y][t.x-1] += char
		}
		return
	}
	if t.x+w > t.columns {
		if !t.modes["7"] {
			t.overflow("row %d is longer than %d columns", t.y, t.columns)
			return
		}
		t.x = 0
		t.down()
	}
	t.page[t.y][t.x] = char
	for i := 1; i < w; i++ {
		t.page[t.y][t.x+i] = ""
	}
	t.x += w
}

func (t *Terminal) down() {
	if t.y++; t.y < t.rows {
		return
	}
	if t.modes["1049"] {
		t.overflow("more rows than %d", t.rows)
	}
	t.y = t.rows - 1
	t.page = append(t.page[1:], blankRow(t.columns))
}

// escape obeys a control sequence.
func (t *Terminal) escape(data []byte) int {
	if len(data) < 2 {
		return 0
	}
	if data[1] != '[' {
		t.problem("the sequence %q", data[:2])
		return 2
	}
	for i, b := range data[2:] {
		if b >= 0x40 && b <= 0x7e {
			t.control(string(data[2:2+i]), b)
			return i + 3
		}
	}
	return 0
}

func (t *Terminal) control(parameters string, final byte) {
	switch private, mode := strings.CutPrefix(parameters, "?"); {
	case mode && (final == 'h' || final == 'l'):
		t.mode(private, final == 'h')
	case final == 'm':
		t.colors++
		t.styled = parameters != "0"
	case final == 'H':
		row, column := 1, 1
		if parameters == "" { // a frame begins
			t.overflows = nil
		}
		if parameters != "" {
			a, b, _ := strings.Cut(parameters, ";")
			row, _ = strconv.Atoi(a)
			column, _ = strconv.Atoi(b)
		}
		if row < 1 || row > t.rows || column < 1 || column > t.columns {
			t.overflow("the place %d;%d is not on the screen", row, column)
		}
		t.y, t.x = min(max(row, 1), t.rows)-1, min(max(column, 1), t.columns)-1
	case final == 'K' && parameters == "2":
		t.page[t.y] = blankRow(t.columns)
	case final == 'K' && parameters == "":
		copy(t.page[t.y][min(t.x, t.columns):], blankRow(t.columns))
	case final == 'J' && parameters == "":
		t.settling = t.settling && len(t.overflows) > 0
		copy(t.page[t.y][min(t.x, t.columns):], blankRow(t.columns))
		for i := t.y + 1; i < t.rows; i++ {
			t.page[i] = blankRow(t.columns)
		}
	default:
		t.problem("the sequence ESC [ %s %c", parameters, final)
	}
}

func (t *Terminal) mode(number string, on bool) {
	switch number {
	case "7", "25", "2004":
	case "1049":
		if on == t.modes[number] {
			return
		}
		if on {
			t.kept, t.keptX, t.keptY = t.page, t.x, t.y
			t.page, t.x, t.y = blank(t.columns, t.rows), 0, 0
		} else {
			t.page, t.x, t.y, t.kept = t.kept, t.keptX, t.keptY, nil
		}
	default:
		t.problem("the mode %s", number)
	}
	t.modes[number] = on
}

// Styled tells whether what is written next is in some style.
func (t *Terminal) Styled() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.styled
}
