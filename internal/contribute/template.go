package contribute

import (
	"bytes"
	"strings"

	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// templatePython is the minor version that a new tool declares: the lowest
// that this program's own tools support.
const templatePython = "3.9"

// Template returns the source of a tool to start from. It passes `check`.
func Template(name spec.Name, description string) []byte {
	var examples []string
	if description == "" {
		description = "Count the words and lines of a text and return both numbers."
		examples = []string{"How many words does this essay have?", "Count the lines of my notes", "Is this abstract below 250 words?"}
	}
	t := &spec.Tool{
		Format: spec.FormatPatch, Name: name, Version: "0.1.0", Description: description,
		Inputs: []spec.Input{{
			Name: "text", Type: spec.TypeString, Description: "The text to look at.", Required: true, TaintedOK: true,
		}},
		Output:       spec.Output{Type: spec.TypeObject, Description: "The numbers of words and lines."},
		Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone},
		Runtime:      spec.Runtime{Language: "python", PythonVersion: templatePython, Packages: []string{}},
		Examples:     examples,
	}
	return append(invite(manifest.Print(t), t), strings.TrimPrefix(templateBody, "\n")...)
}

// invitation stands where the requests are missing that only a person knows.
const invitation = `# # People search in their own words. Write three requests that this tool serves:
# # x-examples:
# #   - Count the words of my essay
`

// invite adds the invitation to a printed manifest that has no requests.
func invite(printed []byte, t *spec.Tool) []byte {
	const marker = "# ---\n"
	if len(t.Examples) > 0 {
		return printed
	}
	return append(append(bytes.TrimSuffix(printed, []byte(marker)), invitation...), marker...)
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
