package spec

import (
	"errors"
	"fmt"
	"strings"
)

const maxLicense = 128

// ParseLicense reads an SPDX license expression (SPDX 2.3, annex D), as in
// "MIT" or "Apache-2.0 OR (GPL-2.0-only WITH Classpath-exception-2.0)". Which
// identifiers there are is not known here: SPDX adds some every few months.
func ParseLicense(s string) (string, error) {
	if s == "" || len(s) > maxLicense {
		return "", fmt.Errorf("license %s has %d characters, allowed are 1 to %d", Quote(s), len(s), maxLicense)
	}
	if strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' }) {
		return "", fmt.Errorf("license %s has other characters than letters, digits and signs of ASCII", Quote(s))
	}
	if strings.TrimSpace(s) != s || strings.Contains(s, "  ") {
		return "", fmt.Errorf("license %s has more blanks than one between two words", Quote(s))
	}
	e := expression{LicenseWords(s)}
	if e.compound() != nil || len(e.rest) > 0 {
		return "", fmt.Errorf("license %s is not an SPDX expression: %s", Quote(s), e.trouble())
	}
	return s, nil
}

// LicenseWords returns the identifiers, operators and parentheses of an SPDX
// expression in their order.
func LicenseWords(s string) []string {
	return strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(s))
}

// expression reads words one by one; rest are those that were not read.
type expression struct{ rest []string }

var errExpression = errors.New("no license expression")

func (e *expression) next() string {
	if len(e.rest) == 0 {
		return ""
	}
	return e.rest[0]
}

// take reads the next word if it is the wanted one.
func (e *expression) take(word string) bool {
	if e.next() != word {
		return false
	}
	e.rest = e.rest[1:]
	return true
}

func (e *expression) trouble() string {
	if len(e.rest) == 0 {
		return "something is missing at its end"
	}
	return "it cannot go on with " + Quote(e.rest[0])
}

// compound reads terms that AND and OR join. Which binds closer changes what
// an expression means and not whether it is one.
func (e *expression) compound() error {
	for {
		if err := e.term(); err != nil {
			return err
		}
		if !e.take("AND") && !e.take("OR") {
			return nil
		}
	}
}

func (e *expression) term() error {
	if e.take("(") {
		if err := e.compound(); err != nil {
			return err
		}
		if !e.take(")") {
			return errExpression
		}
		return nil
	}
	if !isLicense(e.next()) {
		return errExpression
	}
	e.rest = e.rest[1:]
	if e.take("WITH") {
		if !isLicenseID(e.next()) {
			return errExpression
		}
		e.rest = e.rest[1:]
	}
	return nil
}

// isLicense tells whether the word is an identifier, one with a plus for later
// versions, or a reference to a license that SPDX does not list.
func isLicense(w string) bool {
	if document, ref, ok := strings.Cut(w, ":"); ok {
		id, isDocument := strings.CutPrefix(document, "DocumentRef-")
		return isDocument && isLicenseID(id) && strings.HasPrefix(ref, "LicenseRef-") && isLicense(ref)
	}
	if id, ok := strings.CutPrefix(w, "LicenseRef-"); ok {
		return isLicenseID(id)
	}
	return isLicenseID(strings.TrimSuffix(w, "+"))
}

func isLicenseID(w string) bool {
	switch w {
	case "", "AND", "OR", "WITH":
		return false
	}
	for i := range len(w) {
		switch c := w[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.':
		default:
			return false
		}
	}
	return true
}
