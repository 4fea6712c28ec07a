package quarantine

import (
	"strings"
	"testing"
)

// TestKeyBlocks: of a key in PEM nothing is left, however long it is, however its line
// ends are written, and if only its beginning was repeated.
func TestKeyBlocks(t *testing.T) {
	end := "-----END RSA " + "PRIVATE KEY-----"
	body := strings.Repeat(pemBody, 12)
	key := pemHead + "\n" + body + end
	for name, text := range map[string]string{
		"whole":           "<" + key + ">",
		"in JSON":         `<"` + strings.ReplaceAll(key, "\n", `\n`) + `">`,
		"with a header":   "<" + pemHead + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: (x.y) AES\n\n" + body + end + ">",
		"without its end": "<" + pemHead + "\n" + strings.TrimSpace(body) + ">",
		"cut":             `<` + pemHead + `\n` + pemBody[:40] + "…>",
	} {
		leaks := Leaks(text)
		if len(leaks) != 1 || leaks[0].What != "a private key" {
			t.Errorf("%s: found %+v", name, leaks)
			continue
		}
		if left := text[:leaks[0].From] + text[leaks[0].To:]; len(left) > len(`<"">…`) {
			t.Errorf("%s: %q is left", name, left)
		}
	}
	two := key + "\n(and)\n" + key
	if leaks := Leaks(two); len(leaks) != 2 || two[leaks[0].To:leaks[1].From] != "\n(and)\n" {
		t.Errorf("of two: %+v", leaks)
	}
	// The twins: what only speaks of keys, and a public one.
	for _, text := range []string{
		pemHead, "a file that begins with " + pemHead + " is refused, because nobody should publish one",
		strings.Replace(key, "PRIVATE", "PUBLIC", 2), "-----BEGIN ", "-----BEGIN PRIVATE KEY",
	} {
		if leaks := Leaks(text); len(leaks) != 0 {
			t.Errorf("%.60q: %+v", text, leaks)
		}
	}
}
