package spec_test

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

func TestParseTag(t *testing.T) {
	for _, s := range []string{"ab", "csv", "2fa", "command-line", "a-1-b", strings.Repeat("a", 24)} {
		if tag, err := spec.ParseTag(s); err != nil || tag != s {
			t.Errorf("ParseTag(%q) = %q, %v; want it accepted", s, tag, err)
		}
	}
	for _, s := range []string{"", "a", strings.Repeat("a", 25), "CSV", "two words", "-csv", "csv-", "a--b", "a_b", "csv\n", "сsv", "c\u200bsv", "tag:csv"} {
		if tag, err := spec.ParseTag(s); err == nil {
			t.Errorf("ParseTag(%q) = %q, want it refused", s, tag)
		}
	}
}

func TestParseLicense(t *testing.T) {
	for _, s := range []string{
		"MIT", "Apache-2.0", "GPL-2.0+", "MIT OR Apache-2.0", "GPL-2.0-only WITH Classpath-exception-2.0",
		"(MIT AND BSD-3-Clause) OR LicenseRef-ours", "((MIT))", "DocumentRef-a.b:LicenseRef-c", "0BSD", strings.Repeat("a", 128),
		strings.Repeat("(", 62) + "MIT" + strings.Repeat(")", 62),
	} {
		if l, err := spec.ParseLicense(s); err != nil || l != s {
			t.Errorf("ParseLicense(%q) = %q, %v; want it accepted", s, l, err)
		}
	}
	for _, s := range []string{
		"", " ", "MIT ", " MIT", "MIT  OR ISC", "MIT\nOR ISC", "MIT\u00a0OR ISC", "Apache 2.0", "MIT OR", "OR MIT", "MIT or ISC", "(MIT", "MIT)", "()",
		"MIT WITH", "MIT WITH a WITH b", "MIT WITH LicenseRef-a:b", "AND", "WITH", "MIT/ISC", "MIT, ISC", "the MIT license", "МIT",
		"LicenseRef-", "DocumentRef-a:MIT", "DocumentRef-:LicenseRef-a", "a:LicenseRef-b", "DocumentRef-a:LicenseRef-b:LicenseRef-c",
		"+", "MIT++", strings.Repeat("a", 129), "https://example.org/license", `MIT"`, "<b>MIT</b>",
	} {
		if l, err := spec.ParseLicense(s); err == nil {
			t.Errorf("ParseLicense(%q) = %q, want it refused", s, l)
		}
	}
}

// FuzzParseLicense holds that what is accepted is the same text, without
// anything that a page or a terminal could take for something else.
func FuzzParseLicense(f *testing.F) {
	for _, s := range []string{"MIT", "(MIT OR ISC) AND 0BSD", "a WITH b", "DocumentRef-a:LicenseRef-b", "((((", "MIT\x1b[0m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := spec.ParseLicense(s)
		if err != nil {
			if strings.ContainsFunc(err.Error(), func(c rune) bool { return c < ' ' }) {
				t.Fatalf("the error %q holds a control character", err)
			}
			return
		}
		if l != s || strings.ContainsFunc(l, func(c rune) bool {
			return !strings.ContainsRune("()+-.: ", c) && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
		}) {
			t.Fatalf("ParseLicense(%q) = %q", s, l)
		}
		if again, err := spec.ParseLicense("(" + l + ")"); err != nil && len(l) < 127 {
			t.Fatalf("in parentheses %q is %q, %v", l, again, err)
		}
	})
}
