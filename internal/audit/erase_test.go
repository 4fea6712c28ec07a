package audit

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"
)

// TestEraser: no spelling of a value is left, and nothing else is struck.
func TestEraser(t *testing.T) {
	const secret = `hunter2 & "more"/ü`
	s := NewEraser([]string{secret, "42", ""})
	var spelled []string
	for lead := range 3 {
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
			spelled = append(spelled, e.EncodeToString([]byte(strings.Repeat("x", lead)+secret+"tail")))
		}
	}
	spelled = append(spelled, secret, hex.EncodeToString([]byte(secret)), url.QueryEscape(secret), url.PathEscape(secret), `"hunter2 & \"more\"/ü"`, `"hunter2 \u0026 \"more\"/\u00fc"`, "x42y")
	for _, text := range spelled {
		if got := s.Text(text); !strings.Contains(got, Struck) || strings.Contains(got, "hunter2") || strings.Contains(got, "42") {
			t.Errorf("%s became %s", text, got)
		}
	}
	for _, text := range []string{"", "hunter", "nothing of it"} {
		if got := s.Text(text); got != text {
			t.Errorf("%s became %s", text, got)
		}
	}
	if got := (&Eraser{}).Text(secret); got != secret {
		t.Errorf("the zero value struck %s", got)
	}
}
