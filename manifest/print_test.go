package manifest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// FuzzPrint puts hostile text wherever a tool holds free text, and holds that
// reading what is printed gives that very text back.
func FuzzPrint(f *testing.F) {
	for _, s := range []string{
		"plain", "", " ", "a: b", "a #b", "#", "---", "# ---", "- a", "? a", "[a", "{a", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "'a'", `"a"`, `\`,
		"yes", "null", "~", "1", "1.0", "0x1", "2026-01-01", "2026-01-01T00:00:00Z", "1:30", "<<", "=", "a\nb", "a\r\nb", "\t", "\x00\x1b\x7f",
		"\u0085\u2028\u2029\ufeff", "é😀\U0010ffff\ufffe", "a:", "a ", "coding: latin-1", "x\n# ---\nimport os", strings.Repeat("k", 200),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || len(s) > limits.KiB {
			return
		}
		text := json.RawMessage(appendJSONString(nil, s))
		name := []rune(strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(s))
		key := json.RawMessage(appendJSONString(nil, string(name[:min(len(name), maxKey)])))
		nested := json.RawMessage(`{` + string(key) + `:[` + string(text) + `,{},[],-1.50e+3,true,null]}`)
		in := spec.Tool{
			Format: spec.FormatPatch, Name: "say_hello", Version: "1.0.0", Description: "Greet.",
			Inputs: []spec.Input{
				{Name: "a", Type: spec.TypeString, Description: "A.", Default: text},
				{Name: "b", Type: spec.TypeObject, Description: "B.", Default: nested, TaintedOK: true},
			},
			Output:       spec.Output{Type: spec.TypeArray, Items: json.RawMessage(`{"type":"null"}`)},
			Capabilities: spec.Capabilities{Filesystem: spec.FilesystemReadWrite, Network: true},
			Runtime:      spec.Runtime{Language: "python", PythonVersion: "3.10", Packages: []string{"a==1"}},
			ExternalAuth: []string{"github.repo"},
			Needs:        []string{"process", "dynamic"},
			Extensions:   map[string]json.RawMessage{"x-a": text, "x-b": nested},
		}
		if strings.TrimSpace(s) != "" && !strings.ContainsFunc(s, breaksLine) {
			in.Description, in.Inputs[0].Description, in.Output.Description = s, s, s
			if utf8.RuneCountInString(s) <= maxGeneratedBy {
				in.GeneratedBy = s
			}
		}
		printed := Print(&in)
		for text := range bytes.SplitSeq(bytes.TrimSuffix(printed, []byte("\n")), []byte("\n")) {
			if !bytes.HasPrefix(text, []byte("# ")) || bytes.ContainsFunc(text, breaksLine) {
				t.Fatalf("a printed line is no comment: %q", text)
			}
		}
		doc, findings := Read("tool.py", printed, Strict)
		if doc == nil || spec.Blocking(findings) {
			t.Fatalf("what was printed is refused:\n%s\n%s", printed, listing(doc, findings))
		}
		if !reflect.DeepEqual(doc.Tool, in) {
			t.Fatalf("got  %+v\nwant %+v\nfrom\n%s", doc.Tool, in, printed)
		}
	})
}
