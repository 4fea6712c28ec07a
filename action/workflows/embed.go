// Package workflows has the workflow files of a registry on GitHub, as `registry
// init --github` writes them and as this repository itself runs them.
package workflows

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.yml
var files embed.FS

// here is how this repository's own workflows reach the action that is built
// from their own checkout. Another registry names a commit of it.
const here = "uses: ./\n"

// File is one file of a registry, by its slash-separated path.
type File struct {
	Path string
	Data []byte
}

// Names are the workflows, in the order in which a tool meets them.
func Names() []string { return []string{"quarantine.yml", "trial.yml", "publish.yml", "nightly.yml"} }

// Files returns the workflows of a registry and the local action that they all
// take the program from. action is what that uses, such as
// "patch-cat/patch-git@<40 hex> # v0.1.0"; "" is the repository's own, for this
// repository alone.
func Files(action string) ([]File, error) {
	var out []File
	for _, name := range Names() {
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out = append(out, File{".github/workflows/" + name, data})
	}
	data, err := files.ReadFile("action.yml")
	if err != nil {
		return nil, err
	}
	if action != "" {
		text := strings.Replace(string(data), here, "uses: "+action+"\n", 1)
		if text == string(data) {
			return nil, fmt.Errorf("the local action has no %q", strings.TrimSpace(here))
		}
		data = []byte(text)
	}
	return append(out, File{".github/actions/patch-git/action.yml", data}), nil
}
