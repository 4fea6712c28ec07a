package manifest

import "errors"

// ErrPatternTime is "could not tell": the match was given up.
var ErrPatternTime = errors.New("matching the pattern takes too long")

// Match tells whether an ECMAScript pattern finds something in a text, anywhere in
// it unless it is anchored [C-28]. A pattern that cannot be compiled, and a match that
// takes too long, are errors, and never a match. Neither error holds the text, which
// may be a secret.
func Match(pattern, text string) (bool, error) {
	re, err := compilePattern(pattern)
	if err != nil {
		return false, err
	}
	found, err := re.MatchString(text)
	if err != nil {
		return false, ErrPatternTime
	}
	return found, nil
}
