package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// manyRegistry is where the tools of [Many] seem to come from.
const manyRegistry spec.RegistryName = "many/tools"

// Subjects of [Many]: what a tool is said to do, and with what.
var (
	verbs  = []string{"Count", "Sort", "Join", "Split", "Trim", "Repeat", "Quote", "Fold", "Wrap", "Pad", "Mirror"}
	things = []string{"words", "lines", "dates", "names", "numbers", "paths", "columns", "letters", "rows", "marks", "tags", "lists", "keys"}
)

// Source is the tool of that number of [Many]: three inputs and an answer that
// tells what they were.
func Source(i int) []byte {
	return fmt.Appendf(nil, `# ---
# name: %s
# version: 1.0.0
# description: %s the %s of a text, as tool %d of many, and say back what was asked for.
# inputs:
#   - name: text
#     type: string
#     description: The text to work on.
#     tainted_ok: true
#   - name: times
#     type: integer
#     description: How many times it is done.
#     required: false
#     default: 1
#   - name: loud
#     type: boolean
#     description: Whether the answer is in capitals.
#     required: false
#     default: false
# outputs:
#   type: object
#   description: The text and how often it was worked on.
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
import sys


def main(text, times=1, loud=False):
    return {"text": text.upper() if loud else text, "times": times, "tool": %d}


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
`, Name(i), verbs[i%len(verbs)], things[i%len(things)], i, i)
}

// Name is that of the tool of that number.
func Name(i int) spec.Name {
	return spec.Name(fmt.Sprintf("%s_%s_%05d", strings.ToLower(verbs[i%len(verbs)]), things[i%len(things)], i))
}

// Many makes the state of a user who has installed n tools of [Source], in a folder
// that is not there yet. The registry is real and pinned by the program's own code,
// the releases are sealed by it; only their installation is written by this
// function, for waiting ten thousand times for the disk takes minutes.
func Many(ctx context.Context, root string, n int) error {
	key, err := signing.NewKey()
	if err != nil {
		return err
	}
	tree, err := sealed(ctx, key, n)
	if err != nil {
		return err
	}
	p := paths.Paths{Root: root}
	if err := pinned(ctx, p, tree); err != nil {
		return err
	}
	index := struct {
		Schema int                              `json:"schema"`
		Tools  map[spec.Name]toolbox.IndexEntry `json:"tools"`
	}{1, map[spec.Name]toolbox.IndexEntry{}}
	files := tree.Files()
	for i := range n {
		name := Name(i)
		if err := installed(p, files, name); err != nil {
			return err
		}
		index.Tools[name] = toolbox.IndexEntry{Version: version, File: "tools/" + string(name) + ".py"}
	}
	if err := writeJSON(p.Index(), index); err != nil {
		return err
	}
	return readable(ctx, p, n)
}

const version spec.Version = "1.0.0"

// sealed publishes the tools at once, in memory.
func sealed(ctx context.Context, key *signing.Key, n int) (*registry.Memory, error) {
	tree := registry.NewMemory()
	var batch registry.Batch
	report := []byte("{}\n")
	for i := range n {
		source := Source(i)
		doc, findings := manifest.Read("tool.py", source, manifest.Strict)
		if doc == nil {
			return nil, fmt.Errorf("tool %d: %v", i, findings)
		}
		batch.Accept = append(batch.Accept, registry.Acceptance{
			Release: &spec.Release{
				Ref: spec.Ref{Name: doc.Tool.Name, Version: version}, Tool: doc.Tool,
				Files: []spec.File{{Path: ledger.ReportFileName, Data: report}, {Path: "tool.py", Data: source}},
			},
			Contributor: ledger.Owner{Login: "ada", ID: 7}, Report: spec.DigestOf(report),
		})
	}
	_, err := registry.Seal(ctx, tree, batch, registry.SealOptions{
		Registry: &ledger.Registry{Schema: ledger.RegistrySchema, Name: manyRegistry, Trust: key.Trust()}, Signer: key,
		Checker: "patch-git test", Now: host.System().Now, CheckHead: func(_, _ []byte) error { return nil },
	})
	return tree, err
}

// pinned trusts the registry, from a folder that has its head and no releases.
func pinned(ctx context.Context, p paths.Paths, tree *registry.Memory) error {
	dir := p.Root + "-registry"
	for path, data := range tree.Files() {
		if strings.Contains(path, "/") && !strings.HasPrefix(path, "log/") {
			continue
		}
		if err := write(filepath.Join(dir, ledger.Root, filepath.FromSlash(path)), data); err != nil {
			return err
		}
	}
	c, err := client(p)
	if err != nil {
		return err
	}
	_, err = c.AddRegistry(ctx, dir, consume.AddOptions{})
	return err
}

func client(p paths.Paths) (*consume.Client, error) {
	h := host.System()
	h.Paths = p
	return consume.New(h)
}

// installed writes what an installation leaves behind.
func installed(p paths.Paths, files map[string][]byte, name spec.Name) error {
	at := func(file string) []byte { return files[ledger.ReleasePath(name, version, file)] }
	dir := filepath.Join(p.Receipts(), string(name), string(version))
	for _, file := range []string{ledger.ReleaseFileName, ledger.EvidenceFileName, ledger.ProofFileName} {
		if err := write(filepath.Join(dir, file), at(file)); err != nil {
			return err
		}
	}
	for _, file := range []string{ledger.ReportFileName, "tool.py"} {
		hex := spec.DigestOf(at(file)).Hex()
		if err := write(filepath.Join(p.Store(), hex[:2], hex), at(file)); err != nil {
			return err
		}
	}
	if err := write(p.Tool(name), at("tool.py")); err != nil {
		return err
	}
	release := spec.DigestOf(at(ledger.ReleaseFileName))
	receipt := toolbox.Receipt{Schema: 1, Registry: manyRegistry, Name: name, Version: version, Release: release, InstalledAt: time.Unix(0, 0).UTC().Format(time.RFC3339)}
	// The rules were asked in the sandbox before: that is what a pull would note.
	checked := toolbox.Recheck{Schema: 1, Release: release, Rules: quarantine.RulesVersion, Python: "3.9.0"}
	if err := writeJSON(filepath.Join(dir, "receipt.json"), receipt); err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, "recheck.json"), checked)
}

// readable holds what was written against the program's own reading of it.
func readable(ctx context.Context, p paths.Paths, n int) error {
	c, err := client(p)
	if err != nil {
		return err
	}
	all, err := c.Box.List()
	if err != nil {
		return err
	}
	if len(all) != n {
		return fmt.Errorf("%d of %d tools are in the toolbox", len(all), n)
	}
	_, receipt, err := c.Check(ctx, spec.Ref{Name: Name(n - 1)})
	if err != nil {
		return err
	}
	if known, ok, err := c.Box.Recheck(receipt); err != nil || !ok || known.Errors != 0 {
		return fmt.Errorf("what was checked of %s is not read: %+v, %w", receipt.Name, known, err)
	}
	return nil
}

func writeJSON(path string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return write(path, append(data, '\n'))
}

func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}
