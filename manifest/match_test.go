package manifest

import (
	"errors"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{`^sk-[a-z]{4}$`, "sk-abcd", true},
		{`^sk-[a-z]{4}$`, "sk-abcd\n", false}, // $ is the end, and not a line's
		{`b`, "abc", true},                    // it searches
		{`^(?=.*\d)(?!.*secret).+$`, "a1", true},
		{`^(?=.*\d)(?!.*secret).+$`, "secret1", false},
		{`^(?<q>['"]).*\k<q>$`, `"x"`, true},
		{`^(?<q>['"]).*\k<q>$`, `"x'`, false},
		{`^\p{Lu}$`, "Ä", true},
		{``, "", true},
	} {
		if got, err := Match(tt.pattern, tt.text); err != nil || got != tt.want {
			t.Errorf("%q in %q: %v %v", tt.pattern, tt.text, got, err)
		}
	}
	if got, err := Match(`^(a+)+$`, strings.Repeat("a", 40)+"!"); got || !errors.Is(err, ErrPatternTime) {
		t.Errorf("a pattern that runs for ever: %v %v", got, err)
	}
	if _, err := Match(`(`, "canary"); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("no pattern: %v", err)
	}
}
