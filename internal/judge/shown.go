package judge

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
)

// nonceBytes are 128 bits: a text that knew the number could pretend to end its
// block.
const nonceBytes = 16

// shown is a unit as one request shows it.
type shown struct {
	unit  *Unit
	nonce string
	mark  string // stands for a blank
	last  string // word of the unit
	block string
}

// marks are signs that hardly any text has. One that the unit has is not taken.
var marks = [...]string{"ˆ", "¦", "˙", "⋅", "▁", "⁃", "·", "‖", "◦", "⸱", "︙", "∙"}

// show makes a block of a unit: a JSON string per line, named by a number that
// was drawn for it, with blanks marked but for those that indent. A unit that
// has the number or each of the marks cannot be shown.
func show(u *Unit, random io.Reader) (*shown, error) {
	draw := make([]byte, nonceBytes+1)
	if _, err := io.ReadFull(random, draw); err != nil {
		return nil, fault.New(fault.Internal, "judge", "draw a number: %w", err)
	}
	s := &shown{unit: u, nonce: hex.EncodeToString(draw[:nonceBytes])}
	if len(u.Lines) == 0 {
		return nil, failed(Unreadable, "there is no line to show")
	}
	for i := range marks {
		if m := marks[(int(draw[nonceBytes])+i)%len(marks)]; !u.has(m) {
			s.mark = m
			break
		}
	}
	if s.mark == "" || u.has(s.nonce) {
		return nil, failed(Unreadable, "the text has what should set it apart from the question")
	}
	words := strings.Fields(u.Lines[len(u.Lines)-1].Text)
	if len(words) == 0 {
		return nil, failed(Unreadable, "the last line has no word")
	}
	s.last = words[len(words)-1]
	var b strings.Builder
	for _, l := range u.Lines {
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false) // the model repeats what it sees
		if err := e.Encode(struct {
			N int    `json:"n"`
			T string `json:"t"`
		}{l.N, s.marked(l.Text)}); err != nil {
			return nil, fault.New(fault.Internal, "judge", "write a line: %w", err)
		}
	}
	s.block = b.String()
	return s, nil
}

func (u *Unit) has(text string) bool {
	for _, l := range u.Lines {
		if strings.Contains(l.Text, text) {
			return true
		}
	}
	return false
}

// marked replaces the blanks after the indentation.
func (s *shown) marked(text string) string {
	body := strings.TrimLeft(text, " ")
	return text[:len(text)-len(body)] + strings.ReplaceAll(body, " ", s.mark)
}

// wordMost is how much of a long last word has to be repeated, in characters.
const wordMost = 40

// knows tells whether a model repeated the last word, or the end of one that is
// long.
func (s *shown) knows(word string) bool {
	word = s.plain(word)
	if r := []rune(s.last); len(r) > wordMost && word == string(r[len(r)-wordMost:]) {
		return true
	}
	return word == s.last
}

// plain takes the marks out of what a model repeated.
func (s *shown) plain(text string) string { return strings.ReplaceAll(text, s.mark, " ") }

// user is the message with the block. facts is what is known beside it, as JSON.
func (s *shown) user(facts string) string {
	var b strings.Builder
	if facts != "" {
		fmt.Fprintf(&b, "Known of the tool, by the registry:\n%s\n\n", facts)
	}
	fmt.Fprintf(&b, "Block %s begins. It has %d lines. The sign %s stands for a blank.\n%sBlock %s ends.\n", s.nonce, len(s.unit.Lines), s.mark, s.block, s.nonce)
	return b.String()
}
