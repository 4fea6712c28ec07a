package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/sanitize"
)

// safe makes foreign text fit for a terminal. Its line breaks stay.
func safe(s string) string { return sanitize.ForTerminal(s) }

// oneLine puts blanks in the place of line breaks and tabs.
func oneLine(s string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(s)
}

// indented makes the lines of a message stand below its first one, so that
// foreign text in it cannot pass for a line of this program.
func indented(s string) string {
	lines := strings.Split(safe(s), "\n")
	for i, l := range lines[1:] {
		lines[i+1] = "  " + strings.TrimPrefix(l, "  ")
	}
	return strings.Join(lines, "\n")
}

// writeJSON writes one line of JSON. Characters that a terminal obeys or that
// a reader does not see are written as escapes, which mean the same: JSON is
// looked at on terminals too.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escapeHidden(b.Bytes()))
	return err
}

// escapeHidden writes whatever of a JSON text is not printable as \uXXXX. In
// valid JSON such characters stand inside strings only.
func escapeHidden(text []byte) []byte {
	if !bytes.ContainsFunc(text, hidden) {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		switch {
		case !hidden(r):
			out = utf8.AppendRune(out, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// hidden leaves white space below DEL to JSON, which has it between tokens.
func hidden(r rune) bool { return r >= 0x7f && !unicode.IsPrint(r) }
