package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// figures gather what is published: tables that only the data and the rules
// decide, and apart from them those of time, which no two runs share.
type figures struct {
	stable, timed, beside strings.Builder
	missed                []string // one line for each list of ids
	goals                 []goal
}

// goal is one target of the evaluation and what was measured.
type goal struct {
	what, target string
	got          share
	most         bool // the target is an upper bound
	percent      float64
}

// share is how many of how many.
type share struct{ n, of int }

func (s *share) count(yes bool) {
	s.of++
	if yes {
		s.n++
	}
}

func (s share) percent() float64 { return 100 * float64(s.n) / float64(max(1, s.of)) }

func (s share) String() string {
	if s.of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d, %.1f %%", s.n, s.of, s.percent())
}

// short is for cells whose row says of how many.
func (s share) short() string { return fmt.Sprintf("%d (%.1f %%)", s.n, s.percent()) }

// target records a goal: at least percent of the cases, or with most at most.
func (f *figures) target(what string, got share, most bool, percent float64) {
	sign := "≥"
	if most {
		sign = "≤"
	}
	f.goals = append(f.goals, goal{what: what, target: fmt.Sprintf("%s %g %%", sign, percent), got: got, most: most, percent: percent})
}

func (g goal) met() string {
	switch p := g.got.percent(); {
	case g.got.of == 0:
		return "not measured"
	case g.most && p <= g.percent, !g.most && p >= g.percent:
		return "yes"
	}
	return "**no**"
}

// table writes a table of Markdown under a heading and a sentence.
func table(b *strings.Builder, heading, text string, head []string, body [][]string) {
	fmt.Fprintf(b, "### %s\n\n", heading)
	if text != "" {
		fmt.Fprintf(b, "%s\n\n", text)
	}
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, row := range body {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteString("\n")
}

// miss lists the ids of what should have been found, or should not have been.
func (f *figures) miss(what string, ids []string) {
	if len(ids) > 0 {
		f.missed = append(f.missed, fmt.Sprintf("- **%s** (%d): %s", what, len(ids), strings.Join(slices.Sorted(slices.Values(ids)), ", ")))
	}
}

// groups counts by a name, such as the kind of a row, in the names' order.
type groups[T any] map[string]*T

func (g groups[T]) at(name string) *T {
	if g[name] == nil {
		g[name] = new(T)
	}
	return g[name]
}

func (g groups[T]) sorted() []string { return slices.Sorted(maps.Keys(g)) }

// perRule counts the rows in which a rule has an error or only warnings.
type perRule struct{ errors, warnings int }

// byRule counts the rows by rule.
func byRule(all []examined, keep func(id string) bool) groups[perRule] {
	g := groups[perRule]{}
	for _, x := range all {
		worst := map[string]spec.Severity{}
		for _, f := range x.findings {
			if f.Severity != spec.SeverityNote && keep(f.ID) && worst[f.ID] != spec.SeverityError {
				worst[f.ID] = f.Severity
			}
		}
		for id, s := range worst {
			if s == spec.SeverityError {
				g.at(id).errors++
			} else {
				g.at(id).warnings++
			}
		}
	}
	return g
}

// ruleTable is the body of a table of byRule over n rows.
func ruleTable(g groups[perRule], n int) [][]string {
	var body [][]string
	for _, id := range g.sorted() {
		r := g[id]
		body = append(body, []string{id, share{r.errors, n}.short(), share{r.warnings, n}.short()})
	}
	if len(body) == 0 {
		body = [][]string{{"none", "0", "0"}}
	}
	return body
}

// has tells whether a rule of the families has an error, or with warnings any
// finding that is shown.
func (x examined) has(warnings bool, families ...string) bool {
	for _, f := range x.findings {
		if f.Severity == spec.SeverityError || warnings && f.Severity == spec.SeverityWarning {
			for _, family := range families {
				if strings.HasPrefix(f.ID, family) {
					return true
				}
			}
		}
	}
	return false
}

// ids are the rules with findings that are shown, errors first.
func (x examined) ids() string {
	var out []string
	for _, f := range x.findings {
		if f.Severity != spec.SeverityNote {
			out = append(out, f.ID+map[spec.Severity]string{spec.SeverityWarning: "?"}[f.Severity])
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(strings.Count(a, "?")-strings.Count(b, "?"), cmp.Compare(a, b))
	})
	return strings.Join(slices.Compact(out), " ")
}
