package taint

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// FuzzValue: whatever was read as a value is found when it is given, as it is, in
// the middle of another text, in an encoding, and after a trusted text without it.
func FuzzValue(f *testing.F) {
	for _, s := range []string{"bob@evil.example", "北京银行", "DE89 3704 0044 0532 0130 00", "ÀÉÎõü-straße", "%41%42%43%44%45%46%47", "QUJDREVGRw==", "\\u0041bcdefg", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\u202eabcdef", "&#65;&amp;dot at"} {
		f.Add(s, "before ", " after")
	}
	f.Fuzz(func(t *testing.T, value, before, after string) {
		if !utf8.ValidString(value + before + after) {
			return
		}
		quoted, err := json.Marshal(map[string]string{"v": before + value + after})
		if err != nil {
			t.Fatal(err)
		}
		arguments := func(s string) json.RawMessage {
			b, err := json.Marshal(map[string]string{"to": s})
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		h := NewHistory()
		h.TrustedText("nothing of it")
		h.Untrusted(Source{Run: "r"}, quoted)
		long := weight(squeeze(value)) >= wholeWeight
		for _, given := range []string{value, strings.ToUpper(value), reversed(value)} {
			// Upper case makes other letters of a few, such as two of a ß.
			if long && squeeze(strings.ToUpper(value)) == squeeze(value) && !h.Check(Call{Arguments: arguments(given)}).Held() {
				t.Errorf("read %q, given %q: not held", quoted, given)
			}
		}
		if weight(squeeze(value)) >= gramWeight && plainText(value) {
			coded := base64.StdEncoding.EncodeToString([]byte(value))
			if !h.Check(Call{Arguments: arguments(coded)}).Held() {
				t.Errorf("read %q, given %q: not held", quoted, coded)
			}
		}
		h.TrustedText(value)
		for _, m := range h.Check(Call{Arguments: arguments(value)}).Matches {
			if len(squeeze(value)) < 2*wholeWeight && m.How == "exact" {
				t.Errorf("typed %q, and held: %+v", value, m)
			}
		}
	})
}

func plainText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == utf8.RuneError || r == 0x7F })
}

// FuzzDocument: no output and no arguments do harm, whatever they are.
func FuzzDocument(f *testing.F) {
	for _, s := range []string{`{"a":[1,"b",{"c":null}],"":"d"}`, `[[[[`, `"\ud800"`, `{"a":1}{"a":2}`, "\xff\xfe", `{"a b":"` + strings.Repeat("QUJD", 40) + `"}`, strings.Repeat("[", 300)} {
		f.Add([]byte(s), []byte(s))
	}
	f.Fuzz(func(t *testing.T, output, arguments []byte) {
		h := NewHistory()
		h.Trusted(arguments)
		h.Untrusted(Source{Run: "r", Tool: "t"}, output)
		v := h.Check(Call{Arguments: arguments, Irreversible: true})
		if v.Session == nil {
			t.Error("an irreversible call passed")
		}
		for _, m := range append(v.Matches, v.Vouched...) {
			if m.Source.Run != "r" || m.How == "" {
				t.Errorf("got %+v", m)
			}
		}
	})
}

// TestConcurrent is for the race detector, and that nothing read is lost.
func TestConcurrent(t *testing.T) {
	h := NewHistory()
	var all sync.WaitGroup
	for i := range 8 {
		word := strings.Repeat(string(rune('a'+i)), 20)
		all.Go(func() {
			for range 50 {
				h.UntrustedText(Source{Run: word}, word+" and more")
				h.TrustedText("typed")
				if v := h.Check(Call{Arguments: json.RawMessage(`{"to":"` + word + `"}`)}); !v.Held() || v.Matches[0].Source.Run != word {
					t.Errorf("got %+v", v)
				}
			}
		})
	}
	all.Wait()
}
