package contribute

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// BenchmarkReview judges an update in a registry of 10,000 tools, and a new name,
// which is held against the aliases of all of them.
func BenchmarkReview(b *testing.B) {
	w, dir := checkout(b)
	for i := range 10_000 {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		name := spec.Name(fmt.Sprintf("%c%x", 'a'+i%26, sum[:5]))
		at := filepath.Join(dir, "tools", name.Shard(), string(name))
		if err := os.MkdirAll(filepath.Join(at, "1.0.0"), 0o755); err != nil {
			b.Fatal(err)
		}
		text := source(name, "# x-examples:", "# x-aliases: [other_"+string(name)+"]\n# x-examples:")
		if err := os.WriteFile(filepath.Join(at, "1.0.0", "tool.py"), text, 0o644); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, "tool.yaml"), []byte("owners: [{login: ann, id: 7}]\n"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for name, s := range map[string]string{"update": "", "new": "word_count"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p := proposal()
				if s != "" {
					p = fresh(spec.Name(s))
				}
				r, err := w.Review(b.Context(), dir, nil, p)
				if err != nil || refusals(r) != "" {
					b.Fatal(r, err)
				}
			}
		})
	}
}
