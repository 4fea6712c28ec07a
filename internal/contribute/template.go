package contribute

import (
	"strings"

	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// templatePython is the minor version that a new tool declares: the lowest
// that this program's own tools support.
const templatePython = "3.9"

// Template returns the source of a tool to start from. It passes `check`.
func Template(name spec.Name, description string) []byte {
	if description == "" {
		description = "Count the words and lines of a text and return both numbers."
	}
	t := &spec.Tool{
		Format: spec.FormatPatch, Name: name, Version: "0.1.0", Description: description,
		Inputs: []spec.Input{{
			Name: "text", Type: spec.TypeString, Description: "The text to look at.", Required: true, TaintedOK: true,
		}},
		Output:       spec.Output{Type: spec.TypeObject, Description: "The numbers of words and lines."},
		Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone},
		Runtime:      spec.Runtime{Language: "python", PythonVersion: templatePython, Packages: []string{}},
	}
	return append(manifest.Print(t), strings.TrimPrefix(templateBody, "\n")...)
}

const templateBody = `

import json
import sys


def main(text):
    return {"words": len(text.split()), "lines": len(text.splitlines())}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
`
