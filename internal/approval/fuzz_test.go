package approval

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/spec"
)

// FuzzUnwrap: of all files only the very one that we wrote is read.
func FuzzUnwrap(f *testing.F) {
	key := bytes.Repeat([]byte{7}, 32)
	ours, err := wrap(key, kindAction, "name", Entry{ID: "name", State: Pending, Action: Action{Tool: spec.Ref{Name: "send_mail", Version: "1.0.0"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(ours)
	f.Add(bytes.Replace(ours, []byte("pending"), []byte("approved"), 1))
	f.Add(ours[64:])
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		var e Entry
		err := unwrap(key, kindAction, "name", file, &e)
		// Hexadecimal has two spellings, which say the same.
		if (err == nil) != (len(file) > 64 && bytes.EqualFold(file[:64], ours[:64]) && bytes.Equal(file[64:], ours[64:])) {
			t.Fatalf("%q: %v", file, err)
		}
		for _, other := range [][2]string{{kindSpent, "name"}, {kindAction, "nam"}, {kindAction + "name", ""}} {
			if unwrap(key, other[0], other[1], file, &e) == nil {
				t.Fatalf("%q is believed as %q", file, other)
			}
		}
	})
}

// FuzzUnseal: of all texts only the very one that we sealed is ours.
func FuzzUnseal(f *testing.F) {
	s := Open(paths.Paths{Root: f.TempDir()}, func() time.Time { return time.Unix(1e9, 0) })
	call := spec.DigestOf([]byte("call"))
	ours, err := s.Seal("abcdefghijklmnop", "session", call)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := s.Unseal(f.Context(), ours, "session", call); err != nil {
		f.Fatal(err)
	}
	f.Add(ours)
	f.Add("")
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := s.Unseal(t.Context(), text, "session", call); err == nil {
			t.Fatalf("%q is believed", text) // ours was used already
		}
	})
}

// FuzzShown: what a person sees is one line with nothing hidden in it, in quotes
// that the text cannot end, and not long.
func FuzzShown(f *testing.F) {
	for _, s := range []string{"", "a", "a\nb", `"`, `\"`, "\x1b[2J", "\u202eevil", "x\u200by", strings.Repeat("ab ", 1000), "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, shown := range []string{Shown(text), Whole(text)} {
			if strings.ContainsFunc(shown, unicode.IsControl) || !utf8.ValidString(shown) {
				t.Fatalf("%q is shown as %q", text, shown)
			}
			if _, hidden := sanitize.Hidden(shown); hidden {
				t.Fatalf("%q is shown as %q", text, shown)
			}
		}
		// Each character is written with at most ten.
		if n := utf8.RuneCountInString(Shown(text)); n > 10*limits.ApprovalShown+100 {
			t.Fatalf("%d characters are shown of %d", n, len(text))
		}
		inner := Whole(text)
		inner = strings.ReplaceAll(inner[1:len(inner)-1], `\\`, "")
		if strings.Contains(strings.ReplaceAll(inner, `\"`, ""), `"`) {
			t.Fatalf("%q ends its quotes: %s", text, Whole(text))
		}
	})
}

// FuzzLines: any arguments are shown, every one of them, on a line each.
func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"to":"bob","n":1,"list":["a\nb"],"x":null,"\u202e":{}}`))
	f.Add([]byte(`{}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, args []byte) {
		var all map[string]json.RawMessage
		if json.Unmarshal(args, &all) != nil {
			return
		}
		a := Action{Arguments: args}
		lines := a.Lines(Shown)
		if len(lines) < len(all) {
			t.Fatalf("%q: %d of %d are shown", args, len(lines), len(all))
		}
		for _, l := range lines {
			if strings.ContainsFunc(l.Name+l.Value+l.Note, unicode.IsControl) {
				t.Fatalf("%q", l)
			}
			if strings.ContainsAny(l.Name, " =") && l.Name[0] != '"' {
				t.Fatalf("%q reads as more than a name", l.Name)
			}
		}
		if w := sanitize.Width(a.Summary()); w > limits.ArgsSummary {
			t.Fatalf("the summary takes %d columns", w)
		}
	})
}

// TestShown: what a person sees of a value.
func TestShown(t *testing.T) {
	long := strings.Repeat("a", 200) + "EVIL" + strings.Repeat("b", 200)
	for text, want := range map[string]string{
		"bob@example.com":      `"bob@example.com"`,
		"a\nto: b":             `"a\nto: b"`,
		`say "x" \n`:           `"say \"x\" \\n"`,
		"pay\u202e001":         `"pay\u{202E}001"`,
		"\x1b[2Jclean":         `"\u{1B}[2Jclean"`,
		"zero\u200bwidth":      `"zero\u{200B}width"`,
		"Müller, 山田, سلام":     `"Müller, 山田, سلام"`,
		long:                   `"` + strings.Repeat("a", 180) + `" …(404 bytes in all, sha256 ` + spec.DigestOf([]byte(long)).Short() + `)… "` + strings.Repeat("b", 60) + `"`,
		strings.Repeat("é", 3): `"ééé"`,
	} {
		if got := Shown(text); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
	a := Action{Arguments: json.RawMessage(`{"amount":10.50,"list":["a","b\"c"],"ok":true,"to":"p\u0430ypal","word":"\u05e9\u05dc","turned":"\u05d0 100, \u05d1"}`)}
	want := []Line{
		{"amount", "10.50", ""},
		{"list", `["a","b\"c"]`, ""},
		{"ok", "true", ""},
		{"to", `"pаypal"`, "character 2 is U+0430, which is easily taken for another"},
		{"word", "\"\u05e9\u05dc\"", ""},
		{"turned", "\"\u05d0 100, \u05d1\"", `it runs in two directions, and a screen may show its parts in another order than this: "\u{5D0} 100, \u{5D1}"`},
	}
	got := a.Lines(Shown)
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
	// A name that whoever calls chose is no second argument, and no sentence of ours.
	odd := Action{Arguments: json.RawMessage(`{"to = \"ann@example.com\", note":"x","cc-2":1,"a\n  why   you asked":2,"":3}`)}
	for i, want := range []string{`"to = \"ann@example.com\", note"`, "cc-2", `"a\n  why   you asked"`, `""`} {
		if got := odd.Lines(Shown)[i].Name; got != want {
			t.Errorf("the name is shown as %s, want %s", got, want)
		}
	}
	if got := a.Summary(); got != `amount=10.50, list=["a","b\"c"], ok=true, to="pаypal"`+", word=\"\u05e9\u05dc\", turned=\"\u05d0 100, \u05d1\"" {
		t.Errorf("the summary is %s", got)
	}
}
