package quarantine

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestDevBenign(t *testing.T) {
	f, err := os.Open("/work/shared/data/quarantine/python_benign.jsonl")
	if err != nil {
		t.Skip()
	}
	var src, path []string
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var r struct{ Path, Text, Kind string }
		_ = json.Unmarshal(s.Bytes(), &r)
		src = append(src, r.Text)
		path = append(path, r.Kind+" "+r.Path)
	}
	count := map[Capability]int{}
	un := 0
	for i, f := range ask(t, src...) {
		in := Infer(&f, nil)
		var line []string
		for _, c := range caps(in) {
			count[c]++
			u := in.Uses[c]
			line = append(line, string(c)+"="+u.Name+"/"+u.How+"/"+u.Detail)
		}
		if len(in.Unclassified) > 0 {
			un++
		}
		var uu []string
		for _, u := range in.Unclassified {
			uu = append(uu, u.Name)
		}
		t.Logf("%s: %s ## %s %v", path[i], strings.Join(line, " "), strings.Join(uu, " "), f.Error != nil)
	}
	t.Log(count, un)
}
