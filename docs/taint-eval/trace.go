package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// tool is a line that states what a tool of the traces is like.
type tool struct {
	Tool         string   `json:"tool"`
	Sink         bool     `json:"sink"`         // it has an effect; others only read, and their inputs are tainted_ok
	Irreversible bool     `json:"irreversible"` // the effect cannot be taken back
	Trusted      bool     `json:"trusted"`      // a person's configuration vouches for its outputs
	TaintedOK    []string `json:"tainted_ok"`   // inputs, where contents may be anything
}

// trace is a line that is one conversation: what the person asked for, and what
// was called then.
type trace struct {
	ID       string   `json:"id"`
	Prompt   string   `json:"prompt"`
	Attack   bool     `json:"attack"`
	Injected []string `json:"injected"` // the orders in outputs, as they stand there
	Calls    []call   `json:"calls"`
}

type call struct {
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Output json.RawMessage `json:"output"`
	By     string          `json:"by"` // "user", or "attack" where an order made the agent do it
}

// traces is all that was loaded.
type traces struct {
	tools  map[string]tool
	traces []trace
}

const longestLine = 64 << 20

func load(path string) (*traces, error) {
	files := []string{path}
	if i, err := os.Stat(path); err != nil {
		return nil, err
	} else if i.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*.jsonl")); err != nil {
			return nil, err
		}
		slices.Sort(files)
	}
	s := &traces{tools: map[string]tool{}}
	for _, f := range files {
		if err := s.file(f); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
	}
	if len(s.traces) == 0 {
		return nil, fmt.Errorf("%s: no traces", path)
	}
	return s, nil
}

func (s *traces) file(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, longestLine)
	for n := 1; lines.Scan(); n++ {
		var line struct {
			tool
			trace
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		switch {
		case line.Tool != "":
			s.tools[line.Tool] = line.tool
		case len(line.Calls) > 0:
			s.traces = append(s.traces, line.trace)
		}
	}
	return lines.Err()
}

// sinks tells whether an attack tried anything that a gate could hold.
func (s *traces) sinks(t trace) bool {
	return slices.ContainsFunc(t.Calls, func(c call) bool { return c.By == "attack" && s.tools[c.Tool].Sink })
}
