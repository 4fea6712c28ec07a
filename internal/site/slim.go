package site

import "bytes"

// slim returns a script or a style without what only its authors read: lines that
// are a comment, but the first, and what lines begin with. Nothing else is
// touched, so that a line that is shown in a browser is one that stands here; no
// script may have such a line inside a text of several lines.
func slim(source []byte) []byte {
	out := make([]byte, 0, len(source))
	for i, line := range bytes.Split(bytes.TrimSuffix(source, []byte("\n")), []byte("\n")) {
		line = bytes.TrimSpace(line)
		if i > 0 && (len(line) == 0 || bytes.HasPrefix(line, []byte("//"))) {
			continue
		}
		out = append(append(out, line...), '\n')
	}
	return out
}
