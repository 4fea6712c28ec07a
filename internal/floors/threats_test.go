package floors

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// code is what THREAT_MODEL.md puts between backticks; of that these are tests:
// internal/sandbox.TestEscape, and transcripts such as refuse_rollback.txtar.
var (
	code       = regexp.MustCompile("`([^`\n]+)`")
	namedTest  = regexp.MustCompile(`^([a-z][a-z/-]*)\.((?:Test|Fuzz)[A-Za-z0-9_]+)$`)
	transcript = regexp.MustCompile(`^[a-z_]+\.txtar$`)
	looksLike  = regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]|\.txtar\b`)
)

// TestThreatModel: every test that THREAT_MODEL.md leans on is there, and every
// row of its tables leans on one or says that nothing does.
func TestThreatModel(t *testing.T) {
	data, err := os.ReadFile("../../THREAT_MODEL.md")
	if err != nil {
		t.Fatal(err)
	}
	if missing := unproved(t, "../..", string(data)); len(missing) > 0 {
		t.Errorf("THREAT_MODEL.md:\n%s", strings.Join(missing, "\n"))
	}
}

// TestThreatModelCanFail: a model with a test that is gone, or without any.
func TestThreatModelCanFail(t *testing.T) {
	const table = "| who | what stops them | shown by |\n|---|---|---|\n"
	for name, row := range map[string]string{
		"gone":           "| a | b | `verify.TestNothingOfTheKind` |",
		"another room":   "| a | b | `ledger.TestFollows` |",
		"no transcript":  "| a | b | `refuse_nothing.txtar` |",
		"without a room": "| a | b | `TestFollows` |",
		"no proof":       "| a | b | we are careful |",
	} {
		if len(unproved(t, "../..", table+row+"\n")) != 1 {
			t.Errorf("%s: accepted", name)
		}
	}
	if bad := unproved(t, "../..", table+"| a | b | `verify.TestFollows`, `refuse_rollback.txtar` |\n| a | nothing: it is what it means | – |\n"); len(bad) > 0 {
		t.Errorf("refused: %q", bad)
	}
}

// unproved lists what a threat model claims without proof.
func unproved(t *testing.T, root, text string) (bad []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		proofs := 0
		for _, m := range code.FindAllStringSubmatch(line, -1) {
			word := m[1]
			switch test := namedTest.FindStringSubmatch(word); {
			case test != nil:
				proofs++
				if !hasTest(t, filepath.Join(root, filepath.FromSlash(test[1])), test[2]) {
					bad = append(bad, "there is no test "+word)
				}
			case transcript.MatchString(word):
				proofs++
				if _, err := os.Stat(filepath.Join(root, "cmd/patch-git/testdata/script", word)); err != nil {
					bad = append(bad, "there is no transcript "+word)
				}
			case looksLike.MatchString(word):
				proofs++
				bad = append(bad, word+" names no test; write room.TestName")
			}
		}
		if strings.HasPrefix(line, "|") && proofs == 0 && !strings.HasPrefix(line, "|---") && !strings.HasSuffix(line, "shown by |") && !strings.HasSuffix(line, "| – |") {
			bad = append(bad, "no test stands behind: "+line)
		}
	}
	return bad
}

// hasTest tells whether a room has a test of that name.
func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	} else if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		src, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(src), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
