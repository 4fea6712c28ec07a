package quarantine

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

func TestDevProbe(t *testing.T) {
	f, err := os.Open("/work/shared/data/quarantine/capability_evasion.jsonl")
	if err != nil {
		t.Skip()
	}
	var src []string
	var rows []struct {
		ID, Code string
		Expect   []string
	}
	s := bufio.NewScanner(f)
	for s.Scan() {
		var r struct {
			ID, Code string
			Expect   []string
		}
		_ = json.Unmarshal(s.Bytes(), &r)
		rows = append(rows, r)
		src = append(src, r.Code)
	}
	for i, f := range ask(t, src...) {
		in := Infer(&f, nil)
		t.Logf("%s %v: %v %v", rows[i].ID, rows[i].Expect, caps(in), in.Unclassified)
	}
}

func caps(in Inferred) (out []Capability) {
	for _, c := range allCapabilities {
		if in.Has(c) {
			out = append(out, c)
		}
	}
	return out
}
