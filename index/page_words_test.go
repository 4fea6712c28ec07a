package index

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPageWords: the scripts of the pages cut texts into the same words, and give
// them the same terms. The texts are those of this project and made-up ones.
func TestPageWords(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node: apt-get install nodejs")
	}
	texts := wordTexts(t)
	distinct := map[string]bool{}
	for _, text := range texts {
		eachWord(text, func(w word) { distinct[w.text] = true })
	}
	for _, w := range madeUp() {
		distinct[w] = true
	}
	var all []string
	for w := range distinct {
		all = append(all, w)
	}
	slices.Sort(all)

	assets := t.TempDir()
	if err := os.CopyFS(assets, os.DirFS("../internal/site/assets")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(assets, "package.json"), []byte(`{"type":"module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	empty, err := Build(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(assets, "index.json"), empty.Pages()["index.json"], 0o600); err != nil {
		t.Fatal(err)
	}
	asked, err := json.Marshal(map[string]any{"assets": assets, "pages": assets, "queries": []string{}, "texts": texts, "words": all})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "../internal/site/sitetest/testdata/parity/answer.mjs")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(asked), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Texts []struct{ Words, Leaves []string }
		Stems []string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Texts) != len(texts) || len(got.Stems) != len(all) {
		t.Fatalf("%d and %d answers", len(got.Texts), len(got.Stems))
	}
	n := 0
	for i, text := range texts {
		var words, leaves []string
		eachWord(text, func(w word) {
			if w.term {
				words = append(words, w.text)
			}
			if w.leaf {
				leaves = append(leaves, w.text)
			}
		})
		n += len(words)
		if !slices.Equal(words, got.Texts[i].Words) {
			t.Errorf("%+q: words %+q, the page has %+q", text, words, got.Texts[i].Words)
		}
		if !slices.Equal(leaves, got.Texts[i].Leaves) {
			t.Errorf("%+q: leaves %+q, the page has %+q", text, leaves, got.Texts[i].Leaves)
		}
	}
	for i, w := range all {
		if stem(w) != got.Stems[i] {
			t.Errorf("the term of %+q is %+q, the page has %+q", w, stem(w), got.Stems[i])
		}
	}
	t.Logf("%d texts with %d words; %d distinct words and their terms", len(texts), n, len(all))
}

// wordTexts are the lines of this project's documents and sources, and random
// ones of letters, marks and signs of many scripts.
func wordTexts(t *testing.T) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS(".."), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && name != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || name == "bin") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".md") && !strings.HasSuffix(p, ".py") && !strings.HasSuffix(p, "doc.go") {
			return nil
		}
		data, err := os.ReadFile(filepath.Join("..", p))
		out = append(out, strings.Split(strings.ToValidUTF8(string(data), "\ufffd"), "\n")...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pieces := strings.Split("a b S s ' ’ x y z A B C D E 1 2 ٣ Ⅻ ½ _ - . / é É ß ẞ İ ı Σ ς ǅ ǆ ﬁ 中 日 я Я ж \u0301 \u0308 \u200d \u200b \u00ad \u0345 🙂 𝔘 𝐚 𐐀 𐐨 𝟘 ª º ʰ ² _ \ufeff \u2003 Ɐ Ꙁ ა Ა Ⴀ", " ")
	random := rand.New(rand.NewPCG(5, 5))
	for range 5000 {
		var b strings.Builder
		for range 1 + random.IntN(14) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		out = append(out, b.String())
	}
	for _, n := range []int{63, 64, 65, 66, 130} {
		out = append(out, strings.Repeat("x", n), strings.Repeat("é", n), strings.Repeat("x", n)+"1", strings.Repeat("Ab", n))
	}
	return out
}

// madeUp are words that put endings on endings, for the rules that no text reaches.
func madeUp() (out []string) {
	random := rand.New(rand.NewPCG(9, 9))
	endings := strings.Fields("s es ed ing ly edly eed eedly ies ied sses ational tional fulness iveness ization ousness biliti lessli li ogi logi alize ative ful ness ement ment ent ion sion tion ism e l ll y ying yed ous ate at bl iz")
	const letters = "aeiouyyaeioubcdfghjklmnpqrstvwxz"
	for range 40_000 {
		var b strings.Builder
		for range random.IntN(7) {
			b.WriteByte(letters[random.IntN(len(letters))])
		}
		out = append(out, b.String()+endings[random.IntN(len(endings))]+endings[random.IntN(len(endings))])
	}
	return out
}
