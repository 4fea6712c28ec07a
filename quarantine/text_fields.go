package quarantine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// field is one text of a manifest, as its reader sees it.
type field struct {
	name, text string
	// described tells that models pick tools by this text, so that a word that
	// reads as another is an error and not only a warning.
	described bool
	// agent tells that agents read it as prose.
	agent bool
	// prompt tells that a person is asked by it for a value of their own, which may
	// be a secret: that it asks for one is no order beside the work of the tool.
	prompt bool
}

// fields returns every text that the format-neutral tool carries. Most are
// held to a grammar of their own as well; that grammar is not repeated here.
func fields(t *spec.Tool) []field {
	fs := []field{
		{name: "name", text: string(t.Name), described: true},
		{name: "version", text: string(t.Version), described: true},
		{name: "description", text: t.Description, described: true, agent: true},
		{name: "outputs.description", text: t.Output.Description, described: true, agent: true},
		{name: "outputs.items", text: strings.Join(texts(t.Output.Items), "\n"), agent: true},
		{name: "runtime.language", text: t.Runtime.Language},
		{name: "runtime.python_version", text: t.Runtime.PythonVersion},
		{name: "runtime.packages", text: strings.Join(t.Runtime.Packages, "\n"), described: true},
		{name: "external_auth", text: strings.Join(t.ExternalAuth, "\n"), described: true},
		{name: "generated_by", text: t.GeneratedBy},
		{name: "generated_at", text: t.GeneratedAt},
	}
	for i, in := range t.Inputs {
		at := fmt.Sprintf("inputs[%d].", i)
		fs = append(fs,
			field{name: at + "name", text: in.Name, described: true},
			field{name: at + "description", text: in.Description, described: true, agent: true},
			field{name: at + "default", text: strings.Join(texts(in.Default), "\n"), agent: true},
			field{name: at + "items", text: strings.Join(texts(in.Items), "\n"), agent: true})
	}
	for i, e := range t.Examples {
		fs = append(fs, field{name: fmt.Sprintf("x-examples[%d]", i), text: e, described: true, agent: true})
	}
	fs = append(fs,
		field{name: "x-tags", text: words(t.Tags), described: true, agent: true},
		field{name: "x-aliases", text: words(t.Aliases), described: true, agent: true},
		field{name: "x-license", text: words(spec.LicenseWords(t.License)), agent: true})
	for _, key := range slices.Sorted(maps.Keys(t.Extensions)) {
		fs = append(fs, field{name: "extension", text: key}, field{name: "extension " + spec.Quote(key), text: strings.Join(texts(t.Extensions[key]), "\n"), agent: true})
	}
	return append(fs, formatFields(t)...)
}

// words spells out what the grammars of tags, names and licenses join: a model
// reads ignore-all-previous as three words, and so do the rules.
func words[T ~string](items []T) string {
	var b strings.Builder
	for _, item := range items {
		b.WriteString(strings.NewReplacer("-", " ", "_", " ").Replace(string(item)) + " ")
	}
	return strings.TrimSuffix(b.String(), " ")
}

// texts returns every string of a JSON value, member names included, in the
// order in which they stand.
func texts(value json.RawMessage) []string {
	var out []string
	d := json.NewDecoder(strings.NewReader(string(value)))
	for {
		token, err := d.Token()
		if err != nil {
			return out
		}
		if s, ok := token.(string); ok {
			out = append(out, s)
		}
	}
}
