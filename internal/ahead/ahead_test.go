package ahead

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

func TestToolOf(t *testing.T) {
	for line, want := range map[string]spec.Name{
		"patch-git run csv_to_json":                     "csv_to_json",
		"patch-git run csv_to_json@1.2.0 --csv-text x":  "csv_to_json",
		"patch-git run csv_to_json --help":              "csv_to_json",
		"patch-git run csv_to_json --unsafe-no-sandbox": "",
		"patch-git run csv_to_json --sandbox landlock":  "",
		"patch-git run csv_to_json --sandbox=landlock":  "",
		"patch-git run ./tool.py":                       "",
		"patch-git run tool.py":                         "",
		"patch-git run ../../etc/passwd":                "",
		"patch-git run -":                               "",
		"patch-git run":                                 "",
		"patch-git --json run csv_to_json":              "",
		"patch-git list":                                "",
		"patch-git":                                     "",
		"patch-git runs csv_to_json":                    "",
		"patch-git run CSV":                             "",
		"patch-git run " + strings.Repeat("x", 300):     "",
		"patch-git: namespaces":                         "",
	} {
		got, ok := toolOf(strings.Fields(line))
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}
