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
}

// fields returns every text that the format-neutral tool carries. Most are
// held to a grammar of their own as well; that grammar is not repeated here.
func fields(t *spec.Tool) []field {
	fs := []field{
		{"name", string(t.Name), true, false},
		{"version", string(t.Version), true, false},
		{"description", t.Description, true, true},
		{"outputs.description", t.Output.Description, true, true},
		{"outputs.items", strings.Join(texts(t.Output.Items), "\n"), false, true},
		{"runtime.language", t.Runtime.Language, false, false},
		{"runtime.python_version", t.Runtime.PythonVersion, false, false},
		{"runtime.packages", strings.Join(t.Runtime.Packages, "\n"), true, false},
		{"external_auth", strings.Join(t.ExternalAuth, "\n"), true, false},
		{"generated_by", t.GeneratedBy, false, false},
		{"generated_at", t.GeneratedAt, false, false},
	}
	for i, in := range t.Inputs {
		at := fmt.Sprintf("inputs[%d].", i)
		fs = append(fs,
			field{at + "name", in.Name, true, false},
			field{at + "description", in.Description, true, true},
			field{at + "default", strings.Join(texts(in.Default), "\n"), false, true},
			field{at + "items", strings.Join(texts(in.Items), "\n"), false, true})
	}
	for i, e := range t.Examples {
		fs = append(fs, field{fmt.Sprintf("x-examples[%d]", i), e, true, true})
	}
	fs = append(fs,
		field{"x-tags", words(t.Tags), true, true},
		field{"x-aliases", words(t.Aliases), true, true},
		field{"x-license", words(spec.LicenseWords(t.License)), false, true})
	for _, key := range slices.Sorted(maps.Keys(t.Extensions)) {
		fs = append(fs, field{"extension", key, false, false}, field{"extension " + spec.Quote(key), strings.Join(texts(t.Extensions[key]), "\n"), false, true})
	}
	return fs
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
