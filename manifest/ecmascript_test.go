package manifest

import "testing"

// TestECMAScript holds patterns against texts as ECMAScript does.
func TestECMAScript(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          bool
	}{
		{`^a$`, "a\n", false},
		{`^a$`, "a", true},
		{`^\d$`, "٣", false},
		{`^.$`, "𝄞", true},
		{`^.$`, "\u2028", false},
		{`^[.]$`, ".", true},
		{`^[.]$`, "a", false},
		{`^(?!tmp)\w+$`, "tmpx", false},
		{`^(?!tmp)\w+$`, "xtmp", true},
		{`(?<=a)b`, "ab", true},
		{`^(?<q>['"]).*\k<q>$`, `'a'`, true},
		{`^(?<q>['"]).*\k<q>$`, `'a"`, false},
		{`^(a)\1$`, "aa", true},
		{`^\p{Script=Greek}+$`, "αβ", true},
		{`^\p{Lu}$`, "Ä", true},
		{`^\p{Uppercase_Letter}$`, "a", false},
		{`^\u{1F600}$`, "😀", true},
		{`^\/v1$`, "/v1", true},
		{`\Aa`, "a", false}, // the letter A, without the u flag
		{`\Aa`, "Aa", true},
		{`^[\]]$`, "]", true},
		{`^\ud83d\ude00$`, "😀", true},
		{`^[\ud83d\ude00]$`, "😀", true},
		{`^[😀-😂]$`, "😁", true},
		{`^\s$`, "\u2028", true},
		{`^\s$`, "\ufeff", true},
		{`^\s$`, "\u0085", false},
		{`^\W$`, "é", true},
		{`^\w$`, "ſ", false},
		{`^[^]$`, "\n", true},
		{`^[]$`, "", false},
		{`^(a)(b)?\2$`, "a", true}, // a group that took no part matches nothing
		{`^\e$`, "e", true},
		{`^\0$`, "\x00", true},
		{`^[\b]$`, "\b", true},
	}
	for _, c := range tests {
		re, err := compilePattern(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if got, err := re.MatchString(c.text); err != nil || got != c.want {
			t.Errorf("%s on %q: %v, %v", c.pattern, c.text, got, err)
		}
	}
	for _, pattern := range []string{`(?i)a`, `(?>a)`, `(?#c)`, `(?<1>a)`, `(?'a'b)`, `(a`, `\`, `\p{No_Such}`, `\p{X=Y}`, `[b-a]`} {
		if _, err := compilePattern(pattern); err == nil {
			t.Errorf("%s is taken", pattern)
		}
	}
}

// FuzzPattern compiles whatever a manifest may call a pattern and searches with it:
// it ends, in an answer or a refusal.
func FuzzPattern(f *testing.F) {
	for _, pattern := range []string{`^(?<q>['"]).*\k<q>$`, `\p{Script=Greek}`, `[\ud83d\ude00-\uffff]`, `(a+)+$`, `(?i)a`, `\`, `[`, `\u`, `\p{`, `a{1,1000000000}`} {
		f.Add(pattern, "aaaaaaaaaaaaaaaaaaaa!")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := (&patternCache{}).compile(pattern)
		if err != nil || len(text) > 1_000 {
			return
		}
		_, _ = re.MatchString(text)
	})
}
