package quarantine

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// The standard skill and the standard install manifest, which examples of rules
// about these formats change.
const (
	exampleSkill = `manifest_version: "1.0"
name: count-words
description: Count the words of a text file and say which stand there most often.
version: 1.2.0
execution:
  idempotent: true
  destructive: false
  network: false
  interactive: false
`
	exampleSteps = `
# Count the words

Read the file, count its words, and name the five that stand there most often.
`
	exampleInstall = `{
  "manifest_version": "0.2",
  "tool": {
    "id": "count-words",
    "version": "1.2.0",
    "name": "Count words",
    "summary": "Count the words of a text.",
    "homepage": "https://example.org/count-words",
    "license": "MIT"
  },
  "runtime": {
    "kind": "python-module",
    "install": {"method": "pip", "package": "click", "version_spec": "==8.1.7"},
    "entrypoint": {"command": ["count-words"]}
  },
  "actions": [
    {
      "name": "count",
      "summary": "Count the words of a text.",
      "invocation": {"kind": "stdin-json"},
      "input": {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": false},
      "side_effects": "none"
    }
  ],
  "smoke": {"kind": "shell", "command": ["count-words", "--version"], "success": {"exit_code": 0}},
  "kill_switch": {"kind": "shell", "command": ["count-words", "sign-out"]}
}
`
)

// otherFiles makes the files of a case about a skill or an install manifest; ok is
// false for one about a Patch tool.
func otherFiles(c Case) (files []spec.File, ok bool, err error) {
	head, steps, install := blocks(exampleSkill), exampleSteps, exampleInstall
	main := ""
	for _, change := range c.Changes {
		text, err := Unhidden(change.Text)
		if err != nil {
			return nil, true, err
		}
		switch change.Kind {
		case "skill":
			main, steps = "SKILL.md", steps+"\n"+text
		case "frontmatter":
			main = "SKILL.md"
			for _, b := range blocks(text) {
				head = replaceBlock(head, b)
			}
		case "install":
			main = "install.json"
			var base, patch any
			if err := errors.Join(json.Unmarshal([]byte(install), &base), json.Unmarshal([]byte(text), &patch)); err != nil {
				return nil, true, err
			}
			merged, err := json.MarshalIndent(mergePatch(base, patch), "", "  ")
			if err != nil {
				return nil, true, err
			}
			install = string(merged) + "\n"
		case "file":
			files = append(files, spec.File{Path: change.Path, Data: []byte(text)})
		}
	}
	switch main {
	case "SKILL.md":
		return append([]spec.File{{Path: main, Data: []byte("---\n" + strings.Join(head, "") + "---\n" + steps)}}, files...), true, nil
	case "install.json":
		return append([]spec.File{{Path: main, Data: []byte(install)}}, files...), true, nil
	}
	return nil, false, nil
}

// mergePatch is that of RFC 7386.
func mergePatch(base, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	out, _ := base.(map[string]any)
	out = maps.Clone(out)
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range changes {
		if value == nil {
			delete(out, key)
			continue
		}
		out[key] = mergePatch(out[key], value)
	}
	return out
}
