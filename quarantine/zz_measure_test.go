package quarantine

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

func TestZZMeasure(t *testing.T) {
	path := os.Getenv("ZZ_DATA")
	if path == "" {
		t.Skip()
	}
	f, _ := os.Open(path)
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	type key struct{ id, sev, where string }
	docs := map[key]map[string]bool{}
	sample := map[key][]string{}
	n := 0
	errDocs := map[string]bool{}
	for sc.Scan() {
		var r struct{ ID, Text string }
		if json.Unmarshal(sc.Bytes(), &r) != nil {
			continue
		}
		n++
		c := &collector{Subject: &Subject{Release: &spec.Release{Files: []spec.File{{Path: "SKILL.md", Data: []byte(r.Text)}}}}}
		tool := &spec.Tool{Format: spec.FormatSkill, Name: "x_y_z", Version: "1.0.0", Skill: &spec.Skill{}}
		if m := regexp.MustCompile(`(?s)\ndescription: *(.*?)\n[a-z-]+:|\ndescription: *(.*?)\n---`).FindStringSubmatch(r.Text); m != nil {
			d := m[1] + m[2]
			tool.Description = strings.Join(strings.Fields(strings.Trim(strings.TrimLeft(d, ">|-"), `"' `)), " ")
		}
		if m := regexp.MustCompile(`\nallowed-tools: *(.*)\n`).FindStringSubmatch(r.Text); m != nil {
			tool.Skill.AllowedTools = strings.Split(m[1], ",")
		}
		c.Release.Tool = *tool
		c.tool, c.main, c.source = tool, "SKILL.md", []byte(r.Text)
		checkText(c)
		checkReading(c)
		checkSecrets(c)
		checkSkill(c)
		for _, x := range c.found {
			where := "body"
			if strings.HasPrefix(x.Message, "description") || strings.HasPrefix(x.Message, "name") {
				where = "fields"
			}
			k := key{x.ID, string(x.Severity), where}
			if docs[k] == nil {
				docs[k] = map[string]bool{}
			}
			docs[k][r.ID] = true
			if x.Severity == bad && x.ID != "SKL-001" {
				errDocs[r.ID] = true
			}
			sample[k] = append(sample[k], r.ID+" "+x.Message)
		}
	}
	var ks []key
	for k := range docs {
		ks = append(ks, k)
	}
	sort.Slice(ks, func(i, j int) bool { return fmt.Sprint(ks[i]) < fmt.Sprint(ks[j]) })
	fmt.Printf("n=%d docs with errors but SKL-001: %d\n", n, len(errDocs))
	for _, k := range ks {
		fmt.Printf("%s %s %s: %d docs\n", k.id, k.sev, k.where, len(docs[k]))
		if strings.Contains(os.Getenv("ZZ_SHOW"), k.id) {
			for i, s := range sample[k] {
				if i < 40 {
					if len(s) > 260 {
						s = s[:260]
					}
					fmt.Println("     ", s)
				}
			}
		}
	}
}
