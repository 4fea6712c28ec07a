package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ajvDocuments is how many documents each schema is tried with.
const ajvDocuments = 800

// ajvSchemas are our schemas, and documents that fit them from which others are made.
func ajvSchemas(tb testing.TB) []struct {
	name  string
	form  *form
	bases []string
} {
	tb.Helper()
	read := func(pattern string) []string {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			tb.Fatalf("nothing is %s: %v", pattern, err)
		}
		var out []string
		for _, p := range paths {
			data, err := os.ReadFile(p)
			if err != nil {
				tb.Fatal(err)
			}
			out = append(out, string(data))
		}
		return out
	}
	return []struct {
		name  string
		form  *form
		bases []string
	}{
		{"install-manifest-v0.2", installForm, append(read("testdata/install/ok/*.json"), read("testdata/ajv/install-*.json")...)},
		{"arcade-tool-definition", arcadeForm, read("testdata/ajv/arcade-*.json")},
		{"skill-frontmatter", skillForm, read("testdata/ajv/skill-*.json")},
		{"patch-manifest", patchForm, read("testdata/ajv/patch-*.json")},
	}
}

// TestAjv holds our verdicts against those of ajv, which `make test-ajv` recorded for
// the very same documents; PATCH_GIT_AJV_TESTS=1 asks ajv again. Three ways lead to
// ours: the quick schema, the schema library, and both as checkForm uses them.
func TestAjv(t *testing.T) {
	for _, c := range ajvSchemas(t) {
		t.Run(c.name, func(t *testing.T) {
			documents := variantsOf(t, c.form.doc(), c.bases, ajvDocuments)
			if len(documents) < 500 {
				t.Fatalf("there are %d documents", len(documents))
			}
			sum := sha256.Sum256([]byte(strings.Join(documents, "\n")))
			recorded := filepath.Join("testdata", "ajv", c.name+".verdicts")
			want := ajvVerdicts(t, c.name, documents, hex.EncodeToString(sum[:]), recorded)
			valid := 0
			for i, text := range documents {
				r := &report{file: "x.json"}
				root := parseJSON([]byte(text), r)
				if root == nil {
					t.Fatalf("not read: %s: %v", text, r.found)
				}
				ok := checkForm(r, root, c.form, installForms)
				if ok != (want[i] == '1') {
					t.Errorf("ajv says %c of %s\n%v", want[i], text, r.found)
				}
				if !ok && len(r.found) == 0 {
					t.Errorf("refused without a reason: %s", text)
				}
				if q, steps := c.form.quick(), 1<<20; q != nil && q.fits(root, &steps) != ok {
					t.Errorf("quick says %v of %s", !ok, text)
				}
				if i%7 == 0 && (c.form.annotate().Validate(root.value()) == nil) != ok {
					t.Errorf("the library says %v of %s", !ok, text)
				}
				if ok {
					valid++
				}
			}
			if valid < 20 || valid > len(documents)*9/10 {
				t.Errorf("%d of %d are valid, which tells little", valid, len(documents))
			}
		})
	}
}

// ajvVerdicts returns a digit for each document: those recorded, or ajv's own.
func ajvVerdicts(t *testing.T, name string, documents []string, sum, recorded string) string {
	t.Helper()
	if os.Getenv("PATCH_GIT_AJV_TESTS") != "1" {
		data, err := os.ReadFile(recorded)
		if err != nil {
			t.Fatal(err)
		}
		digest, digits, _ := strings.Cut(string(data), "\n")
		digits = strings.ReplaceAll(digits, "\n", "")
		if digest != sum || len(digits) != len(documents) {
			t.Fatalf("%s is of other documents: make test-ajv AJV=-update", recorded)
		}
		return digits
	}
	lines := filepath.Join(t.TempDir(), "documents")
	if err := os.WriteFile(lines, []byte(strings.Join(documents, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	schema, err := filepath.Abs(filepath.Join("..", "schemas", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "verdicts.mjs", schema, lines)
	cmd.Dir, cmd.Stderr = filepath.Join("testdata", "ajv"), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	digits := strings.TrimSpace(string(out))
	if len(digits) != len(documents) || strings.Contains(digits, "x") {
		i := strings.IndexByte(digits, 'x')
		t.Fatalf("ajv answered %d of %d\n%s", len(digits), len(documents), documents[max(0, i)])
	}
	golden(t, recorded, fmt.Sprintf("%s\n%s\n", sum, folded(digits)))
	return digits
}

// folded breaks a text into lines.
func folded(s string) string {
	var b strings.Builder
	for len(s) > 100 {
		b.WriteString(s[:100] + "\n")
		s = s[100:]
	}
	return b.String() + s
}
