package quarantine

import (
	"strings"
	"testing"
)

// TestLeaks: all of them, in the words of the text, and of a key in PEM all that
// is between its marks, though only its beginning and body make it one.
func TestLeaks(t *testing.T) {
	text := strings.Repeat("x "+github+"\n", maxSecrets) + `{"api_key": "` + drawn + `"}` + "\n" + pemHead + "\n" + pemBody + "-----END RSA " + "PRIVATE KEY-----\n"
	leaks := Leaks(text)
	if len(leaks) != maxSecrets+2 {
		t.Fatalf("found %d, want %d", len(leaks), maxSecrets+2)
	}
	at := 0
	for i, l := range leaks {
		if l.From < at || l.To <= l.From || l.To > len(text) {
			t.Fatalf("leak %d is from %d to %d, after %d", i, l.From, l.To, at)
		}
		at = l.To
	}
	if l := leaks[0]; text[l.From:l.To] != github || l.What != "a GitHub token" {
		t.Errorf("first: %+v", l)
	}
	if l := leaks[maxSecrets]; text[l.From:l.To] != drawn {
		t.Errorf("of a name and a value only the value is one: %q", text[l.From:l.To])
	}
	if l := leaks[maxSecrets+1]; !strings.HasPrefix(text[l.From:], pemHead) || !strings.Contains(text[l.From:l.To], strings.TrimSpace(pemBody[len(pemBody)-40:])) {
		t.Errorf("of a key is taken %q", text[l.From:l.To])
	}
	if leaks := Leaks("nothing of the kind"); len(leaks) != 0 {
		t.Errorf("the twin: %+v", leaks)
	}
}
