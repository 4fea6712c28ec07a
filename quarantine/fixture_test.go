package quarantine

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

const validSource = `# ---
# name: word_count
# version: 1.2.0
# description: Count the words of a text.
# inputs:
#   - name: text
#     type: string
#     description: The text.
#   - name: limit
#     type: integer
#     description: How many words to list.
#     required: false
#     default: 10
# outputs:
#   type: object
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# ---

import json
import re
import sys

WORD = re.compile(r"\w+")


def main(text: str, limit: int = 10) -> dict:
    words = WORD.findall(text)
    return {"count": len(words), "first": words[:limit]}


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
`

// valid is a subject without any finding; tests change a copy of it in one
// point. Its facts are of the source as it stands here.
func valid(tb testing.TB) Subject {
	tb.Helper()
	return Subject{
		Release: &spec.Release{
			Ref: spec.Ref{Name: "word_count", Version: "1.2.0"},
			Tool: spec.Tool{
				Format: spec.FormatPatch, Name: "word_count", Version: "1.2.0", Description: "Count the words of a text.",
				Inputs: []spec.Input{
					{Name: "text", Type: spec.TypeString, Description: "The text.", Required: true},
					{Name: "limit", Type: spec.TypeInteger, Description: "How many words to list.", Default: json.RawMessage("10")},
				},
				Output:       spec.Output{Type: spec.TypeObject},
				Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone},
				Runtime:      spec.Runtime{Language: "python", PythonVersion: "3.9"},
				Examples:     []string{"How long is this essay?", "Count the words of my letter", "Is my abstract below 250 words?"},
			},
			Files: []spec.File{{Path: "tool.py", Data: []byte(validSource)}},
		},
		Facts: validFacts(),
		Names: []Existing{}, Previous: []Published{}, Owner: "1",
	}
}

// validFacts is what CPython says about validSource; TestProgram shows that.
func validFacts() *Facts {
	return &Facts{
		Schema: FactsSchema, Python: "3.9.18",
		Statements: []Statement{{Kind: "import"}, {Kind: "function"}, {Kind: "guard"}},
		Main: []Main{{Kind: "function", Place: Place{33, 1}, Params: []Param{
			{Name: "text", Kind: "positional_or_keyword", Annotation: "str", Place: Place{33, 10}},
			{Name: "limit", Kind: "positional_or_keyword", HasDefault: true, Default: "10", Annotation: "int", Place: Place{33, 21}},
		}}},
		Imports: []Import{{Module: "json", Stdlib: true}, {Module: "re", Stdlib: true}, {Module: "sys", Stdlib: true}},
	}
}

// ask runs the program over sources in one process of the interpreter, without
// its last lines, which ask about a single file.
func ask(t *testing.T, sources ...string) []Facts {
	t.Helper()
	input, err := json.Marshal(sources)
	if err != nil {
		t.Fatal(err)
	}
	const driver = `
import json, sys
names = {"__name__": "program"}
exec(compile(open(sys.argv[1]).read(), "program.py", "exec"), names)
names["warnings"].simplefilter("ignore")
for source in json.load(sys.stdin):
    facts = names["Facts"](source.encode())
    names["examine"](facts, source.encode())
    sys.stdout.buffer.write(facts.dump())
`
	out := python(t, bytes.NewReader(input), "-c", driver, programFile(t))
	var all []Facts
	for line := range bytes.Lines(out) {
		f, err := ParseFacts(line)
		if err != nil {
			t.Fatalf("ParseFacts(%s): %v", line, err)
		}
		all = append(all, f)
	}
	if len(all) != len(sources) {
		t.Fatalf("%d answers for %d sources", len(all), len(sources))
	}
	return all
}

// programFile is the program as a file; as an argument it would be too long.
func programFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program.py")
	if err := os.WriteFile(path, ProgramSource(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// interpreter is the program behind python3, which may be the script of a version
// manager that costs more than what it starts.
var interpreter = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("python3", "-I", "-S", "-B", "-c", "import sys; print(sys.executable)").Output()
	return strings.TrimSpace(string(out)), err
})

func python(t *testing.T, stdin *bytes.Reader, args ...string) []byte {
	t.Helper()
	path, err := interpreter()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, append([]string{"-I", "-S", "-B"}, args...)...)
	cmd.Stdin = stdin
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, stderr.String())
	}
	return out
}

// ids joins the ids and severities of findings: "TXT-001 error, …".
func ids(findings []spec.Finding) string {
	var out []string
	for _, f := range findings {
		out = append(out, f.ID+" "+string(f.Severity))
	}
	return strings.Join(out, ", ")
}

// twin is an attack beside what differs from it in one point and passes.
type twin struct {
	name   string
	attack func(*Subject)
	want   string // of ids
	honest func(*Subject)
}

func runTwins(t *testing.T, twins []twin) {
	t.Helper()
	for _, tc := range twins {
		t.Run(tc.name, func(t *testing.T) {
			s := valid(t)
			tc.attack(&s)
			report := Check(t.Context(), s)
			if got := ids(report.Findings); got != tc.want {
				t.Errorf("attack: got %q, want %q\n%v", got, tc.want, report.Findings)
			}
			s = valid(t)
			if tc.honest != nil {
				tc.honest(&s)
			}
			if report := Check(t.Context(), s); len(report.Findings) > 0 {
				t.Errorf("honest twin: got %v, want nothing", report.Findings)
			}
		})
	}
}

func addFile(path, data string) func(*Subject) {
	return func(s *Subject) { s.Release.Files = append(s.Release.Files, spec.File{Path: path, Data: []byte(data)}) }
}

func source(change ...string) func(*Subject) {
	return func(s *Subject) {
		s.Release.Files[0].Data = []byte(strings.NewReplacer(change...).Replace(validSource))
	}
}
