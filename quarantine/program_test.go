package quarantine

import (
	"bytes"
	"strings"
	"testing"
)

// TestPatternNeeds proves that no expression is spared a text that it matches.
func TestPatternNeeds(t *testing.T) {
	program := programFile(t)
	if out := python(t, bytes.NewReader(nil), "testdata/needs.py", program); strings.TrimSpace(string(out)) != "3" {
		t.Errorf("of the expressions with needs, 3 are wanted:\n%s", out)
	}
}

// TestProgramLoads: most of the time of a check is the start of an interpreter,
// so for an ordinary file the program loads nothing that takes long to load.
func TestProgramLoads(t *testing.T) {
	const driver = `
import sys
names = {"__name__": "program"}
exec(compile(open(sys.argv[1]).read(), "program.py", "exec"), names)
source = sys.stdin.buffer.read()
facts = names["Facts"](source)
names["examine"](facts, source)
facts.dump()
print(" ".join(sorted({"ast", "re", "enum", "json", "base64", "tokenize", "string", "zlib", "contextlib", "unicodedata"} & set(sys.modules))))
`
	honest := validSource + "\n\ndef say(x, n):\n    print('%d of %s: %r' % (n, x, f'{x:>10}'), 'data/file.csv', '...')\n"
	if out := python(t, bytes.NewReader([]byte(honest)), "-c", driver, programFile(t)); len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("an ordinary file loads %s", out)
	}
	// The same way sees what a file does need.
	odd := honest + "\n\nimport base64\nexec(base64.b64decode('aW1wb3J0IG9z'))\n"
	if out := python(t, bytes.NewReader([]byte(odd)), "-c", driver, programFile(t)); !strings.Contains(string(out), "base64") || !strings.Contains(string(out), "re") {
		t.Errorf("a decoder loads only %s", out)
	}
}
