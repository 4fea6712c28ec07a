package quarantine

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// BenchmarkNotes checks a tool with 50 KB of notes, which are read as a text for
// an agent: paragraph by paragraph, with all that may be hidden in them.
func BenchmarkNotes(b *testing.B) {
	notes := strings.Repeat("The tool reads a table of numbers and prints their sum; see `docs/use.md` for more.\n\n", 50<<10/86+1)
	s := valid(b)
	s.Release.Files = append(s.Release.Files, spec.File{Path: "NOTES.md", Data: []byte(notes)})
	b.SetBytes(int64(len(notes)))
	for b.Loop() {
		Check(b.Context(), s)
	}
}
