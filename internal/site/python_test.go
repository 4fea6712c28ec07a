package site

import (
	"strings"
	"testing"
	"time"
)

// shown puts the kinds of parts into signs: k[def] n[run].
func shown(lines []line) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, p := range l.Parts {
			sign := ""
			switch {
			case p.Keyword:
				sign = "k"
			case p.String:
				sign = "s"
			case p.Comment:
				sign = "c"
			case p.Number:
				sign = "d"
			case p.Name:
				sign = "n"
			}
			if sign == "" {
				b.WriteString(p.Text)
			} else {
				b.WriteString(sign + "[" + p.Text + "]")
			}
		}
	}
	return b.String()
}

func TestPython(t *testing.T) {
	for _, c := range [][2]string{
		{"def run(a): # all\n    return None\n", "k[def ]n[run](a): c[# all]\n    k[return ]d[None]"},
		{"x = 'it''s' + \"#\"", "x = s['it''s' ]+ s[\"#\"]"},
		{"'a\\'b' 1.5e3 0xFF", "s['a\\'b' ]d[1.5e3 0xFF]"},
		{"'''one\ntwo''' if x else y", "s['''one]\ns[two''' ]k[if ]x k[else ]y"},
		{"'open\nx = 1", "s['open]\nx = d[1]"},
		{"@app.route\nclass A: pass", "n[@app.route]\nk[class ]n[A]: k[pass]"},
		{"a @ b", "a @ b"},
		{`f"{d["a"]} {{" + 1`, `s[f"{d["a"]} {{" ]+ d[1]`},
		{`f"{'a`, `s[f"{'a]`},
		{"rb'x' brx'y'", "s[rb'x' ]brxs['y']"},
		{"été = 1 # é", "été = d[1 ]c[# é]"},
		{"", ""},
		{"\n\na", "\n\na"},
		{`"\`, `s["\]`},
		{"define", "define"},
	} {
		if got := shown(python(c[0])); got != c[1] {
			t.Errorf("%q:\n got %q\nwant %q", c[0], got, c[1])
		}
	}
}

// TestPythonIsLinear: what strangers write does not decide how long it takes.
func TestPythonIsLinear(t *testing.T) {
	for _, unit := range []string{"f'{", `f"{'`, "'''", `"`, "\\", "{", "@", "a", "\n", "f'''{f\"\"\"{", "0", "#", "f'{x:\"\"\"}'\n", "{f'{'''}\n"} {
		start := time.Now()
		python(strings.Repeat(unit, 1<<20/len(unit)))
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("a MiB of %q takes %v", unit, d)
		}
	}
}

// FuzzPython: the text is the text, whatever its colours.
func FuzzPython(f *testing.F) {
	for _, s := range []string{"def f():\n\tpass\n", "f'{x!r:>{w}}'", "'''\n", "a\r\nb", "\xff'\\", "@x\n@"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		lines := python(source)
		var b strings.Builder
		for i, l := range lines {
			if i > 0 {
				b.WriteByte('\n')
			}
			if l.N != i+1 {
				t.Fatalf("line %d is called %d", i+1, l.N)
			}
			for _, p := range l.Parts {
				if p.Text == "" {
					t.Fatal("an empty part")
				}
				b.WriteString(p.Text)
			}
		}
		if got := b.String(); got != source && got+"\n" != source {
			t.Fatalf("%q became %q", source, got)
		}
	})
}
