package site

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSlim(t *testing.T) {
	const long = "// patch-git: what it is\n// for authors.\n\nimport { a } from './a.js';\n\n  // why\n  const b = a('// no comment'); // kept\n"
	const short = "// patch-git: what it is\nimport { a } from './a.js';\nconst b = a('// no comment'); // kept\n"
	if got := string(slim([]byte(long))); got != short {
		t.Errorf("got %q", got)
	}
	if got := string(slim([]byte(short))); got != short {
		t.Errorf("slim twice: %q", got)
	}
}

// TestScripts holds the scripts to what slim and the policy of the pages need.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("assets/*.js")
	if err != nil || len(scripts) < 5 {
		t.Fatal(scripts, err)
	}
	for _, name := range scripts {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(data), "// patch-git: ") {
			t.Errorf("%s does not begin with the mark of this program's files", name)
		}
		for i, line := range strings.Split(string(data), "\n") {
			if strings.Count(line, "`")%2 != 0 {
				t.Errorf("%s:%d: a text of several lines", name, i+1)
			}
			for _, never := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "http:", "setAttribute('on", "setAttribute('style", "DOMParser", "createContextualFragment", "setHTML"} {
				if strings.Contains(line, never) {
					t.Errorf("%s:%d: %s", name, i+1, never)
				}
			}
		}
	}
}

// TestEngine: the script of the start page fetches all that the search consists of.
func TestEngine(t *testing.T) {
	data, err := os.ReadFile("assets/find.js")
	if err != nil {
		t.Fatal(err)
	}
	for name := range assets() {
		base, script := strings.CutSuffix(filepath.Base(name), ".js")
		if !script || base == "page" || slices.Contains(modules(), base+".js") {
			continue
		}
		if !strings.Contains(string(data), "'"+base+"'") {
			t.Errorf("find.js does not fetch %s", name)
		}
	}
}
