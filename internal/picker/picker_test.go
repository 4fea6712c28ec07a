package picker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/picker"
	"github.com/patch-cat/patch-git/internal/picker/ptytest"
)

// thing is an item of the tests: its name, and a card.
type thing struct{ name, about string }

func (t thing) Row() (what, right picker.Line) {
	return picker.Line{{Text: t.name, Style: picker.Strong}, {Text: "  " + t.about}}, picker.Line{{Text: "no network", Style: picker.Good}}
}

func (t thing) Card() []picker.Paragraph {
	return []picker.Paragraph{
		{Line: picker.Line{{Text: t.name, Style: picker.Strong}}},
		{Line: picker.Text("about " + t.about), Indent: 6},
	}
}

// things finds those whose name has the query.
func things(all ...thing) func(context.Context, string) (picker.Found, error) {
	return func(_ context.Context, query string) (picker.Found, error) {
		var f picker.Found
		for _, t := range all {
			if strings.Contains(t.name, query) {
				f.Items = append(f.Items, t)
			}
		}
		if query != "" && len(f.Items) == 0 {
			f.Notes = []picker.Line{picker.Text("no word " + query)}
		}
		return f, nil
	}
}

// person is a screen with somebody before it.
type person struct {
	*ptytest.Terminal
	keys    chan string
	resized chan os.Signal
	size    atomic.Pointer[[2]int]
}

func (p *person) Read(b []byte) (int, error) {
	k, ok := <-p.keys
	if !ok {
		return 0, io.EOF
	}
	return copy(b, k), nil
}

func (p *person) Size() (columns, rows int) { s := *p.size.Load(); return s[0], s[1] }

// before returns a person at a terminal, which says that it is of another size
// where claimed is one.
func before(columns, rows int, claimed ...int) *person {
	p := &person{Terminal: ptytest.New(columns, rows), keys: make(chan string), resized: make(chan os.Signal)}
	if claimed != nil {
		columns, rows = claimed[0], claimed[1]
	}
	p.size.Store(&[2]int{columns, rows})
	return p
}

func (p *person) Resized() <-chan os.Signal { return p.resized }

type result struct {
	item picker.Item
	err  error
}

// sit begins to pick.
func sit(t *testing.T, columns, rows int, o picker.Options) (*person, <-chan result) {
	t.Helper()
	p := before(columns, rows)
	return p, p.pick(t, o)
}

// pick begins to pick at a screen.
func (p *person) pick(t *testing.T, o picker.Options) <-chan result {
	done := make(chan result, 1)
	go func() {
		item, err := picker.Pick(t.Context(), p, o)
		done <- result{item, err}
	}()
	return done
}

// leaves checks how a picking ends, and that the terminal is as it was.
func leaves(t *testing.T, p *person, done <-chan result, want picker.Item) {
	t.Helper()
	r := <-done
	if r.err != nil || r.item != want {
		t.Errorf("picked %v, %v, want %v", r.item, r.err, want)
	}
	back(t, p)
}

func back(t *testing.T, p *person) {
	t.Helper()
	if p.Mode("1049") || !p.Mode("7") || !p.Mode("25") || p.Mode("2004") || p.Styled() || strings.TrimSpace(p.Text()) != "" {
		t.Errorf("the terminal is not as it was:\n%s", p.Text())
	}
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("problems: %q", problems)
	}
}

func sees(t *testing.T, p *person, texts ...string) {
	t.Helper()
	for _, text := range texts {
		p.Until(t, text, func(s *ptytest.Terminal) bool { return strings.Contains(s.Text(), text) })
	}
}

func gone(t *testing.T, p *person, text string) {
	t.Helper()
	p.Until(t, "no "+text, func(s *ptytest.Terminal) bool { return !strings.Contains(s.Text(), text) })
}

var three = []thing{{"apple", "a fruit"}, {"apply", "a verb"}, {"bread", "food"}}

func TestPick(t *testing.T) {
	p, done := sit(t, 80, 24, picker.Options{Find: things(three...), Color: true})
	sees(t, p, "1 of 3", "> apple  a fruit", "about a fruit", "esc leave")
	p.keys <- "app"
	sees(t, p, "1 of 2", "> app ")
	gone(t, p, "bread")
	p.keys <- "\x1b[B"
	sees(t, p, "2 of 2", "> apply  a verb", "about a verb")
	if p.Colors() == 0 || !p.Mode("1049") || !p.Mode("2004") {
		t.Error("no colour, or not the other page")
	}
	if x, y, visible := p.Cursor(); x != len("> app") || y != 0 || !visible {
		t.Errorf("the cursor is at %d, %d, %v", x, y, visible)
	}
	p.keys <- "\r"
	leaves(t, p, done, three[1])
}

// Escape leaves: an ESC after which nothing comes. So it is as the beginning of
// another key, whose bytes may come one by one.
func TestEscape(t *testing.T) {
	p, done := sit(t, 80, 24, picker.Options{Find: things(three...)})
	sees(t, p, "1 of 3")
	for _, b := range []string{"\x1b", "[", "B"} {
		p.keys <- b
	}
	sees(t, p, "2 of 3")
	p.keys <- "\x1bOA"
	sees(t, p, "1 of 3")
	p.keys <- "\x1b"
	leaves(t, p, done, nil)
	if p.Colors() != 0 {
		t.Error("colour, which was not asked for")
	}
}

func TestInterrupt(t *testing.T) {
	p, done := sit(t, 80, 24, picker.Options{Find: things(three...)})
	sees(t, p, "1 of 3")
	p.keys <- "\x03"
	if r := <-done; fault.KindOf(r.err) != fault.Interrupted || r.item != nil {
		t.Errorf("%v, %v", r.item, r.err)
	}
	back(t, p)
}

// A terminal that is gone, a search that fails and a context that ends.
func TestEnds(t *testing.T) {
	p, done := sit(t, 80, 24, picker.Options{Find: things(three...)})
	sees(t, p, "1 of 3")
	close(p.keys)
	if r := <-done; fault.ReasonOf(r.err) != "terminal" || fault.KindOf(r.err) != fault.Unavailable {
		t.Errorf("gone: %v", r.err)
	}
	back(t, p)

	broken := errors.New("broken")
	p, done = sit(t, 80, 24, picker.Options{Find: func(ctx context.Context, query string) (picker.Found, error) {
		if query != "" {
			return picker.Found{}, broken
		}
		return things(three...)(ctx, query)
	}})
	sees(t, p, "1 of 3")
	p.keys <- "x"
	if r := <-done; !errors.Is(r.err, broken) {
		t.Errorf("%v", r.err)
	}
	back(t, p)

	ctx, cancel := context.WithCancel(t.Context())
	q := before(80, 24)
	go func() {
		item, err := picker.Pick(ctx, q, picker.Options{Find: things(three...)})
		if !errors.Is(err, context.Canceled) || item != nil {
			t.Errorf("picked %v, %v", item, err)
		}
		close(q.resized)
	}()
	sees(t, q, "1 of 3")
	cancel()
	<-q.resized
	back(t, q)
}

// Nobody chooses what they have not seen: an Enter that comes with the letters
// before it, or with a pasted text, chooses nothing.
func TestUnseen(t *testing.T) {
	p, done := sit(t, 80, 24, picker.Options{Find: things(three...)})
	sees(t, p, "1 of 3")
	p.keys <- "bread\r"
	sees(t, p, "> bread  food", "1 of 1")
	p.keys <- "\x15"
	sees(t, p, "1 of 3")
	p.keys <- "\x1b[200~app\r\n\x03\x1b[A\x1b[201~"
	sees(t, p, "no word app", "nothing matches")
	p.keys <- "\r" // there is nothing to choose
	p.keys <- "\x7f\x7f\x7f\x7f"
	sees(t, p, "1 of 2")
	p.keys <- "\r"
	leaves(t, p, done, three[0])
}

// The line that is typed in is edited as people expect.
func TestEdit(t *testing.T) {
	last := make(chan string, 1)
	p, done := sit(t, 80, 24, picker.Options{Query: "one two", Find: func(_ context.Context, query string) (picker.Found, error) {
		select {
		case <-last:
		default:
		}
		last <- query
		return picker.Found{Notes: []picker.Line{picker.Text("[" + query + "]")}}, nil
	}})
	for _, step := range [][2]string{
		{"", "one two"},
		{"!", "one two!"},
		{"\x1b[D\x1b[D\x7f", "one to!"},
		{"\x1b[3~", "one t!"},
		{"\x01>", ">one t!"},
		{"\x05<", ">one t!<"},
		{"\x1b[H\x1b[3~\x1b[F\x7f", "one t!"},
		{"\x17", "one "},
		{"\x17", ""},
		{"ü漢", "ü漢"},
		{"\x1b[1;5Cx", "ü漢x"}, // a key with Ctrl, which is the key
		{"\x15\x1b[Zy\x1bz\x00\u202e\xff", "y"},
	} {
		p.keys <- step[0]
		sees(t, p, "["+step[1]+"]")
		if got := <-last; got != step[1] {
			t.Fatalf("after %q the query is %q, want %q", step[0], got, step[1])
		}
		last <- step[1]
	}
	p.keys <- "\x15" + strings.Repeat("long ", 100)
	sees(t, p, "g long") // the part before the cursor
	if x, _, _ := p.Cursor(); x >= 80 {
		t.Errorf("the cursor is at %d", x)
	}
	p.keys <- "\x1b"
	leaves(t, p, done, nil)
}

// A long list scrolls, by lines and by pages, and stops at its ends.
func TestScroll(t *testing.T) {
	var many []thing
	for i := range 500 {
		many = append(many, thing{fmt.Sprintf("tool%03d", i), strings.Repeat("word ", i)})
	}
	p, done := sit(t, 80, 24, picker.Options{Find: things(many...)})
	sees(t, p, "1 of 500", "> tool000")
	p.keys <- "\x1b[A" // there is nothing above
	p.keys <- strings.Repeat("\x1b[B", 100)
	sees(t, p, "101 of 500", "> tool100")
	p.keys <- "\x1b[6~"
	gone(t, p, "101 of 500")
	p.keys <- "\x1b[5~"
	sees(t, p, "101 of 500")
	p.keys <- strings.Repeat("\x1b[B", 170)
	p.keys <- strings.Repeat("\x1b[B", 170)
	p.keys <- strings.Repeat("\x1b[B", 170)
	sees(t, p, "500 of 500", "> tool499", " …") // whose card is longer than its place
	p.keys <- "\t"
	sees(t, p, "tool499\nabout")
	p.keys <- "\x1b[6~\x1b[6~\x1b[6~\x1b[6~"
	gone(t, p, "about")
	p.keys <- "\t"
	sees(t, p, "> tool499")
	p.keys <- "\r"
	leaves(t, p, done, many[499])
}

// Every size shows what it can, and no row is longer than the screen: the
// terminal of the test says so where one is.
func TestSizes(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}, {100, 16}, {40, 12}, {20, 6}, {10, 3}, {8, 2}, {1, 1}, {79, 16}, {80, 4}, {500, 200}} {
		p := before(max(size[0], 8), max(size[1], 2), size[0], size[1])
		done := p.pick(t, picker.Options{Find: things(append(three, thing{"wide 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字", strings.Repeat("漢", 300)})...)})
		p.Until(t, "a prompt", func(s *ptytest.Terminal) bool { return strings.HasPrefix(s.Lines()[0], ">") })
		if size[1] >= 3 {
			sees(t, p, "> appl")
		}
		if size[0] >= 100 {
			sees(t, p, " │ about a fruit")
		}
		p.keys <- "wide"
		p.keys <- "\t"
		p.keys <- "\t"
		p.keys <- "\x1b"
		if r := <-done; r.err != nil || r.item != nil {
			t.Errorf("%v: %v", size, r)
		}
		back(t, p)
	}
}

func TestResize(t *testing.T) {
	p, done := sit(t, 80, 24, picker.Options{Find: things(three...)})
	sees(t, p, "1 of 3", strings.Repeat("─", 80))
	p.Resize(120, 30)
	p.size.Store(&[2]int{120, 30})
	p.resized <- os.Interrupt
	sees(t, p, "│ about a fruit")
	gone(t, p, "───")
	p.Resize(30, 8)
	p.size.Store(&[2]int{30, 8})
	p.resized <- os.Interrupt
	gone(t, p, "about a fruit")
	sees(t, p, "> apple", "enter pull · tab card · esc l…")
	p.keys <- "\x1b"
	leaves(t, p, done, nil)
}

// hostile texts try to leave their place, each in another way.
var hostile = []string{
	"\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x1b[31m", "\x1b[?1049l", "\u009b2J", "line\nfeed", "return\rover", "tab\tstop", "back\b\b\bspace",
	"\u202egnp.exe", "zero\u200bwidth", "\xff\xfe", "tag\U000e0041", strings.Repeat("e\u0301", 200), "\x00", "\x7f", "\u2028", "\u2066", "a\u0300\u0301\u0302\u0303\u0304\u0305",
	strings.Repeat("long", 1000), "",
}

// Nothing that stands in a text drives the terminal: it would tell the test of
// a sequence that the picker does not send, of a hidden character, and of a row
// that is too long.
func TestHostile(t *testing.T) {
	var all []thing
	for _, h := range hostile {
		all = append(all, thing{"a " + h, h}, thing{h, "b " + h})
	}
	for _, size := range [][2]int{{80, 24}, {140, 40}, {24, 8}} {
		p, done := sit(t, size[0], size[1], picker.Options{Color: true, Find: func(ctx context.Context, query string) (picker.Found, error) {
			f, err := things(all...)(ctx, query)
			f.Notes = []picker.Line{picker.Text(hostile[0] + hostile[9])}
			return f, err
		}})
		sees(t, p, fmt.Sprintf("1 of %d", len(all)))
		if !strings.Contains(p.Lines()[1], `\u{1B}[2J`) {
			t.Errorf("the first row of notes is %q", p.Lines()[1])
		}
		for i := range all {
			sees(t, p, fmt.Sprintf("%d of ", i+1))
			p.keys <- "\x1b[B"
		}
		p.keys <- "\x1b"
		leaves(t, p, done, nil)
	}
}
