package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// row is one line of a file of data.
type row struct {
	ID     string   `json:"id"`
	Path   string   `json:"path"`
	Text   string   `json:"text"`
	Code   string   `json:"code"`
	Kind   string   `json:"kind"`
	Source string   `json:"source"`
	Expect []string `json:"expect"`
}

// origin is the repository that a row comes from, without its commit; for a row
// made of two, the one of the attack.
func (r row) origin() string {
	s := strings.TrimPrefix(strings.TrimPrefix(r.Source, "generated:"), "generated from")
	s, _, _ = strings.Cut(strings.TrimSpace(s), "@")
	if s == "generated" {
		return "generated twice"
	}
	return s
}

// rows reads a file of data.
func (e *evaluation) rows(name string) ([]row, error) {
	f, err := os.Open(filepath.Join(e.data, name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var all []row
	s := bufio.NewScanner(f)
	s.Buffer(nil, 16<<20)
	for s.Scan() {
		var r row
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, len(all)+1, err)
		}
		if r.ID == "" {
			r.ID = r.origin() + "/" + r.Path
		}
		all = append(all, r)
	}
	if len(all) == 0 && s.Err() == nil {
		return nil, fmt.Errorf("%s is empty", name)
	}
	return all, s.Err()
}
