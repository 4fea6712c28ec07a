package quarantine

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/spec"
)

// shapeCase is one part of testdata/threats.txt.
type shapeCase struct{ rule, name, code string }

func shapeCases(t *testing.T) (hits, misses []shapeCase) {
	t.Helper()
	data, err := os.ReadFile("testdata/threats.txt")
	if err != nil {
		t.Fatal(err)
	}
	head := regexp.MustCompile(`(?m)^-- (?:hit (PY-\d+) (.+)|miss) --\n`)
	at := head.FindAllSubmatchIndex(data, -1)
	for i, m := range at {
		end := len(data)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		code := string(data[m[1]:end])
		if i%2 == 0 {
			hits = append(hits, shapeCase{string(data[m[2]:m[3]]), string(data[m[4]:m[5]]), code})
		} else {
			misses = append(misses, shapeCase{hits[len(hits)-1].rule, hits[len(hits)-1].name, code})
		}
	}
	return hits, misses
}

// inTool puts module-level code into the standard tool, behind its imports.
func inTool(code string) string {
	head, rest, _ := strings.Cut(validSource, "\n\ndef main")
	return head + "\n" + code + "\n\ndef main" + rest
}

// threatErrors are the errors of the threat rules, by id.
func threatErrors(t *testing.T, f Facts) map[string]string {
	t.Helper()
	s := valid(t)
	s.Facts = &f
	found := map[string]string{}
	for _, x := range Check(t.Context(), s).Findings {
		if x.Severity != spec.SeverityError {
			continue
		}
		for _, r := range threatRules {
			if x.ID == r.ID || x.ID == oddIdentifier.ID || x.ID == cannotTell.ID || x.ID == doesNotParse.ID {
				found[x.ID] = x.Message
			}
		}
	}
	return found
}

// TestThreats plays every shape and what only looks like it.
func TestThreats(t *testing.T) {
	hits, misses := shapeCases(t)
	if len(hits) < 80 || len(hits) != len(misses) {
		t.Fatalf("%d shapes and %d near misses", len(hits), len(misses))
	}
	var sources []string
	for i := range hits {
		sources = append(sources, inTool(hits[i].code), inTool(misses[i].code))
	}
	all := ask(t, sources...)
	for i, h := range hits {
		if found := threatErrors(t, all[2*i]); found[h.rule] == "" {
			t.Errorf("%s: %s is not found, but %v (%+v)", h.name, h.rule, found, all[2*i].Threats)
		}
		if found := threatErrors(t, all[2*i+1]); len(found) > 0 {
			t.Errorf("near miss of %s: %v", h.name, found)
		}
	}
}

// TestThreatsBounds reads files that are made to cost much. Each ends in time,
// with facts or with the word that nobody could tell.
func TestThreatsBounds(t *testing.T) {
	part := hostilePart()
	lines := func(n int, line func(i string, next string) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(strconv.Itoa(i), strconv.Itoa(i+1)) + "\n")
		}
		return b.String()
	}
	sources := []string{
		lines(4000/part, func(i, next string) string { return "def f" + i + "(): f" + next + "()" }) + "f0()",
		lines(4000/part, func(i, next string) string { return "a" + next + " = a" + i }) + "a0 = open('x').read()\nexec(a" + strconv.Itoa(4000/part) + ")",
		lines(3000/part, func(i, _ string) string { return "x = getattr(x, 'a' + 'b')" }),
		lines(2000/part, func(_, _ string) string { return "def f(): f(); f()" }) + "f()",
		"import os\n" + lines(20, func(i, _ string) string { return "os.system('" + strings.Repeat("$(curl ", 1000) + i + "')" }),
		"x = '" + strings.Repeat(" ", 250_000/part) + "'",
		"x = 1;" + strings.Repeat("\t", 200_000/part) + "y = 2",
		"x = '" + strings.Repeat(`\x41`, 60_000/part) + "'",
		"x = '" + strings.Repeat("/.config/", 25_000/part) + "'",
		lines(2000/part, func(_, _ string) string { return "x = [a for a in a for b in b for c in c]" }),
		lines(1500/part, func(i, next string) string {
			return "class A" + i + ":\n def __init__(self): self.m()\n def m(self): A" + next + "()"
		}) + "A0()",
	}
	start := time.Now()
	for i, f := range ask(t, sources...) {
		if f.Error != nil && f.Error.Kind != "limit" {
			t.Errorf("source %d: %+v", i, f.Error)
		}
	}
	if took := time.Since(start); took > 2*time.Minute {
		t.Errorf("all of it took %v", took)
	}
}
