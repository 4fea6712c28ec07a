// Package probes reads the lists of attacks that the rules are measured by,
// quarantine/testdata/*.txt: each an attack beside a twin that uses the same
// words and does nothing of the kind. It is for tests and for the evaluation.
//
// A list is plain text:
//
//	=== environ-by-items environment
//	import os
//	X = os.environ.items
//	--- twin
//	X = "os.environ.items"
//
// The first line names the probe and says what it is one of, in words that the
// list explains. What stands before the first probe is for readers.
package probes

import (
	"fmt"
	"strings"
)

// Probe is one attack and its twin. The zero value is none.
type Probe struct {
	ID     string
	Words  []string // what the attack is one of: capabilities, a family of threats, a language
	Attack string
	Twin   string
}

const (
	begin  = "=== "
	middle = "--- twin"
)

// Read reads a list. A probe without an attack, a twin, a word or an id of its
// own is an error, so that a slip of the pen does not shorten a measurement.
func Read(text string) ([]Probe, error) {
	var all []Probe
	seen := map[string]bool{}
	for i, part := range strings.Split("\n"+text, "\n"+begin) {
		if i == 0 {
			continue
		}
		head, body, _ := strings.Cut(part, "\n")
		words := strings.Fields(head)
		if len(words) < 2 || seen[words[0]] {
			return nil, fmt.Errorf("probe %d, %q: want an id of its own and a word", i, head)
		}
		seen[words[0]] = true
		attack, twin, ok := strings.Cut("\n"+body, "\n"+middle+"\n")
		p := Probe{ID: words[0], Words: words[1:], Attack: strings.Trim(attack, "\n"), Twin: strings.Trim(twin, "\n")}
		if !ok || p.Attack == "" || p.Twin == "" || strings.Contains("\n"+p.Twin, "\n"+middle) {
			return nil, fmt.Errorf("probe %s: want an attack and one twin", p.ID)
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no probes")
	}
	return all, nil
}
