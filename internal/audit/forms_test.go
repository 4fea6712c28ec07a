package audit_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/audit"
)

// words finds every word that begins with "SECRET", and "12345678" anywhere.
func words(text string) (found []audit.Secret) {
	for at := 0; ; {
		i := strings.Index(text[at:], "SECRET")
		if i < 0 {
			break
		}
		end := at + i
		for end < len(text) && text[end] > ' ' && text[end] != '"' && text[end] != '\\' {
			end++
		}
		found = append(found, audit.Secret{Rule: "a Word_of-9!", From: at + i, To: end})
		at = end
	}
	if i := strings.Index(text, "12345678"); i >= 0 {
		found = append(found, audit.Secret{Rule: "number", From: i, To: i + 8})
	}
	return append(found, audit.Secret{From: -1, To: 3}, audit.Secret{From: 2, To: 2}, audit.Secret{From: 0, To: len(text) + 1})
}

// kept records one run of these inputs and outputs, and returns its record.
func kept(t *testing.T, detect audit.Detector, inputs, output, stdout string, secrets ...string) (audit.Record, string) {
	t.Helper()
	_, p := journal(t)
	j := audit.Open(p, clock(), detect)
	rec := sample()
	rec.Inputs = json.RawMessage(inputs)
	run, err := j.Begin(t.Context(), rec, secrets...)
	if err != nil {
		t.Fatal(err)
	}
	rec.Status, rec.Output = audit.Succeeded, json.RawMessage(output)
	if err := run.Finish(rec, []byte(stdout), nil); err != nil {
		t.Fatal(err)
	}
	got := get(t, j, run.ID())
	if rep := check(t, j); len(rep.Problems) > 0 {
		t.Errorf("%+v", rep)
	}
	return got, blob(t, j, got.StdoutSHA256)
}

// A known secret is struck in every usual spelling and wherever in a longer text
// it is encoded; what differs from it by one letter stays.
func TestForms(t *testing.T) {
	const secret, twin = `p/ss+wörd?"&<8>`, `p/ss+wörd?"&<9>`
	encodings := map[string]func(string) string{
		"as it is":           func(s string) string { return s },
		"JSON":               func(s string) string { b, _ := json.Marshal(s); return string(b) },
		"JSON of Python":     func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, `"`, `\"`), "ö", `\u00f6`) },
		"hexadecimal":        func(s string) string { return hex.EncodeToString([]byte(s)) },
		"HEXADECIMAL":        func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
		"address":            url.QueryEscape,
		"path":               url.PathEscape,
		"address, small":     func(s string) string { return lower(url.QueryEscape(s)) },
		"base64":             func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"base64 of address":  func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"base64 after one":   func(s string) string { return base64.StdEncoding.EncodeToString([]byte("u" + s + "@host")) },
		"base64 after two":   func(s string) string { return base64.StdEncoding.EncodeToString([]byte("u:" + s + "@")) },
		"base64 after three": func(s string) string { return base64.URLEncoding.EncodeToString([]byte("me:" + s)) },
	}
	for name, encode := range encodings {
		text := "before " + encode(secret) + " after"
		_, out := kept(t, nothing, `{}`, `1`, text, secret)
		m := marks.FindStringSubmatch(out)
		if m == nil || m[1] != "given" || !strings.HasPrefix(out, "before ") || !strings.HasSuffix(out, " after") {
			t.Errorf("%s: %q became %q", name, text, out)
		}
		text = "before " + encode(twin) + " after"
		if _, out := kept(t, nothing, `{}`, `1`, text, secret); out != text {
			t.Errorf("%s: the twin %q became %q", name, text, out)
		}
	}
}

// lower writes the digits after a percent sign small.
func lower(s string) string {
	parts := strings.Split(s, "%")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToLower(parts[i][:2]) + parts[i][2:]
	}
	return strings.Join(parts, "%")
}

// What a detector finds is struck in inputs, outputs, messages and streams.
func TestDetected(t *testing.T) {
	rec, out := kept(t, words, `{"a":"SECRETone and SECRETtwo","SECRETkey":1,"b":"\u0053ECRETone","c":"plain \" text"}`, `{"n":12345678,"x":"y"}`, "SECRETone\nplain SECRETtwo\n")
	var in map[string]any
	if err := json.Unmarshal(rec.Inputs, &in); err != nil {
		t.Fatal(err)
	}
	one := mark(t, out)
	if a := in["a"].(string); !strings.HasPrefix(a, one+" and ‹secret:aordof-9:") {
		t.Errorf("a is %q, want %q", a, one)
	}
	if in["b"] != one || in["c"] != `plain " text` || strings.Contains(string(rec.Inputs), "SECRET") {
		t.Errorf("inputs %s", rec.Inputs)
	}
	if !strings.Contains(string(rec.Output), ":whole:") || strings.Contains(string(rec.Output), "345") {
		t.Errorf("a number that is a secret takes all with it: %s", rec.Output)
	}
	if !rec.Redacted || !rec.InputsRedacted || *rec.Replayable || rec.CanReplay() == nil {
		t.Errorf("the record does not say what it lacks: %+v", rec)
	}
	// The twins: an output alone, and nothing at all.
	rec, _ = kept(t, words, `{"a":1}`, `"SECRETone"`, "")
	if !rec.Redacted || rec.InputsRedacted || !*rec.Replayable || rec.CanReplay() != nil {
		t.Errorf("only the output was struck: %+v", rec)
	}
	rec, _ = kept(t, words, `{"a":1}`, `"none"`, "")
	if rec.Redacted || rec.CanReplay() != nil || string(rec.Output) != `"none"` {
		t.Errorf("nothing was to strike: %+v", rec)
	}
}

// A known secret inside of what a detector finds goes with it, and none of it stays.
func TestOverlap(t *testing.T) {
	_, out := kept(t, words, `{}`, `1`, "xSECRETabcd-and-more y abcd", "abcd")
	if m := marks.FindAllStringSubmatch(out, -1); len(m) != 2 || m[0][1] != "given" || strings.Contains(out, "more") || strings.Contains(out, "SECRET") {
		t.Errorf("got %q", out)
	}
}

// A stream of nothing but a short secret cannot make a file of any size, and an
// output that grows over its limit does not keep the run from being recorded.
func TestClipped(t *testing.T) {
	const size = 1 << 20
	text := strings.Repeat("abcd", size)
	rec, out := kept(t, nothing, `{}`, `"`+text[:2*size]+`"`, text[:2*size], "abcd")
	if len(out) > 3*8<<20 || !strings.HasSuffix(out, "‹cut›") || strings.Contains(out, "abcd") {
		t.Errorf("%d bytes, ending %q", len(out), out[len(out)-20:])
	}
	if !strings.Contains(string(rec.Output), ":whole:") || rec.Status != audit.Succeeded || rec.OutputCode == "" {
		t.Errorf("output of %d bytes: %.100s", len(rec.Output), rec.Output)
	}
}

// Codes of outputs do not depend on how the JSON is spelled, nor on what is struck
// from it; another key gives another code.
func TestOutputCode(t *testing.T) {
	j, _ := journal(t)
	same := []string{`{"a":[1,2.50],"b":"é<"}`, ` { "b" : "\u00e9\u003c" , "a" : [ 1 , 2.50 ] } `}
	codes := map[string]bool{}
	for _, text := range append(slices.Clone(same), `{"a":[1,2.5],"b":"é<"}`, `{"a":[2.50,1],"b":"é<"}`, `null`) {
		c, err := j.OutputCode(json.RawMessage(text))
		if err != nil || len(c) != 64 {
			t.Fatal(c, err)
		}
		codes[c] = true
	}
	if len(codes) != 4 {
		t.Errorf("%d codes, want 4", len(codes))
	}
	if _, err := j.OutputCode(json.RawMessage(`{"a":`)); err == nil {
		t.Error("a code of what is no JSON")
	}
	other, _ := journal(t)
	if c, err := other.OutputCode(json.RawMessage(same[0])); err != nil || codes[c] {
		t.Errorf("another key has the same code: %v", err)
	}
	clear, _ := kept(t, nothing, `{}`, `"SECRETx"`, "")
	if clear.OutputCode == "" {
		t.Error("no code")
	}
}

// Whatever is struck, JSON stays JSON, and what was found is gone from it.
func FuzzRedact(f *testing.F) {
	f.Add(`{"a":"SECRETx","b":["\\u0053ECRET","pässword"],"SECRETk":"12345678"}`, "pässword")
	f.Add(`"SECRET\\"x"`, `\`)
	f.Add(`["\ud800","SECRET\u2028"]`, "ECRE")
	f.Add(`12345678`, "2345")
	f.Add(`812E45678`, "beyond what a float holds")
	_, p := journal(f)
	j := audit.Open(p, clock(), words)
	f.Fuzz(func(t *testing.T, text, secret string) {
		if !json.Valid([]byte(text)) {
			return
		}
		rec := sample()
		rec.Inputs = json.RawMessage(text)
		run, err := j.Begin(t.Context(), rec, secret)
		if err != nil {
			return
		}
		got := get(t, j, run.ID())
		if !json.Valid(got.Inputs) {
			t.Fatalf("%s became %s", text, got.Inputs)
		}
		clean := marks.ReplaceAllString(string(got.Inputs), "")
		if strings.Contains(clean, "12345678") || strings.Contains(clean, "SECRET") {
			t.Fatalf("%s became %s", text, got.Inputs)
		}
		if len(secret) >= 4 && len(marks.FindString(secret)) == 0 && !strings.Contains("secret:given:whole:number:aordof-9", secret) && strings.Contains(clean, secret) {
			t.Fatalf("%s still holds %q: %s", text, secret, got.Inputs)
		}
	})
}
