package sanitize_test

import (
	"testing"

	"github.com/patch-cat/patch-git/internal/sanitize"
)

// TestInOrder: what a screen would turn around is told, and written in its order.
func TestInOrder(t *testing.T) {
	for text, want := range map[string]struct {
		ordered string
		turned  bool
	}{
		"":                     {"", false},
		"pay 100 to bob":       {"pay 100 to bob", false},
		"Müller, 山田":           {"Müller, 山田", false},
		"\u05e9\u05dc":         {`\u{5E9}\u{5DC}`, false},
		"\u0633\u0644, \u0627": {`\u{633}\u{644}, \u{627}`, false},
		"\u05d0 100, \u05d1":   {`\u{5D0} 100, \u{5D1}`, true},
		"a@\u05d0.\u05d1":      {`a@\u{5D0}.\u{5D1}`, true},
		"\u0661/\u0662":        {`\u{661}/\u{662}`, true},
		"x\u07c0":              {`x\u{7C0}`, true},
	} {
		if ordered, turned := sanitize.InOrder(text); ordered != want.ordered || turned != want.turned {
			t.Errorf("%q is %q, turned %v, want %q, %v", text, ordered, turned, want.ordered, want.turned)
		}
	}
}
