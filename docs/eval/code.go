package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/quarantine/probes"
)

// own reads a list of the project's own probes.
func own(name string) ([]probes.Probe, error) {
	path := filepath.Join("quarantine", "testdata", name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w; start in the root of the repository", err)
	}
	all, err := probes.Read(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

// wanted translates the words of the data into those of the manifest.
var wanted = map[string][]string{"subprocess": {"process"}, "filesystem": {"read", "write"}, "env": {"environment"}, "device": {"native"}}

// probed is the outcome of one probe.
type probed struct {
	named   bool // the very capability, or dynamic, which may be any
	refused bool // a tool that declares nothing is refused for what it reaches
}

func probe(x examined, words []string) (p probed) {
	p.refused = x.has(false, "CAP-")
	for _, w := range words {
		for _, c := range append(wanted[w], w) {
			p.named = p.named || x.needs.has(c) || x.needs.has("dynamic")
		}
	}
	return p
}

// evasion measures whether a capability is seen on unusual roads.
func (e *evaluation) evasion(ctx context.Context) error {
	rows, err := e.rows("capability_evasion.jsonl")
	if err != nil {
		return err
	}
	mine, err := own("evasion.txt")
	if err != nil {
		return err
	}
	var all, twins []subject
	for _, r := range rows {
		all = append(all, subject{body: fmt.Sprintf(code, r.Code)})
	}
	for _, p := range mine {
		all, twins = append(all, subject{body: fmt.Sprintf(code, p.Attack)}), append(twins, subject{body: fmt.Sprintf(code, p.Twin)})
	}
	found, err := e.each(ctx, all)
	if err != nil {
		return err
	}
	foundTwins, err := e.each(ctx, twins)
	if err != nil {
		return err
	}
	sets := [2]struct {
		named, refused, twins share
		unnamed, missed       []string
	}{}
	for i, x := range found {
		set, id, words := &sets[0], "", []string(nil)
		if i < len(rows) {
			id, words = rows[i].ID, rows[i].Expect
		} else {
			set, id, words = &sets[1], mine[i-len(rows)].ID, mine[i-len(rows)].Words
		}
		p := probe(x, words)
		if !p.refused || !p.named {
			e.show("probe", row{ID: id, Text: all[i].body}, x)
		}
		set.named.count(p.named)
		set.refused.count(p.refused)
		if !p.refused {
			set.missed = append(set.missed, id)
		} else if !p.named {
			set.unnamed = append(set.unnamed, id+" ("+strings.Join(words, "/")+")")
		}
	}
	var wrong []string
	for i, x := range foundTwins {
		clean := !x.has(true, "CAP-") && len(x.needs.uses) == 0 && len(x.needs.unclassified) == 0
		sets[1].twins.count(clean)
		if !clean {
			wrong = append(wrong, mine[i].ID)
			e.show("twin", row{ID: mine[i].ID, Text: mine[i].Twin}, x)
		}
	}
	table(&e.stable, "Capabilities by unusual roads", "Refused: a tool that declares nothing gets an error for it. Named: the very capability is inferred, or `dynamic`, which may be any.",
		[]string{"set", "probes", "refused", "named", "twins that need nothing and show nothing"}, [][]string{
			{"capability_evasion.jsonl", fmt.Sprint(len(rows)), sets[0].refused.short(), sets[0].named.short(), "–"},
			{"quarantine/testdata/evasion.txt", fmt.Sprint(len(mine)), sets[1].refused.short(), sets[1].named.short(), sets[1].twins.short()},
		})
	e.miss("capability probes not refused", append(sets[0].missed, sets[1].missed...))
	e.miss("capability probes refused, but for something else", append(sets[0].unnamed, sets[1].unnamed...))
	e.miss("twins of capability probes that show something", wrong)
	e.target("capability probes refused", share{sets[0].refused.n + sets[1].refused.n, sets[0].refused.of + sets[1].refused.of}, false, 100)
	return nil
}

// threatRules are those that say what code does to somebody; PY-000, PY-001 and
// PY-002 are about how it is written.
func isThreat(id string) bool {
	return strings.HasPrefix(id, "PY-") && id != "PY-000" && id != "PY-001" && id != "PY-002"
}

func (x examined) threat() bool {
	return slices.ContainsFunc(x.findings, func(f finding) bool { return f.Severity == "error" && isThreat(f.ID) })
}

// behaviour measures the project's own malicious snippets, which are inert.
func (e *evaluation) behaviour(ctx context.Context) error {
	mine, err := own("behaviour.txt")
	if err != nil {
		return err
	}
	var all []subject
	for _, p := range mine {
		all = append(all, subject{body: fmt.Sprintf(code, p.Attack), declare: true}, subject{body: fmt.Sprintf(code, p.Twin), declare: true})
	}
	found, err := e.each(ctx, all)
	if err != nil {
		return err
	}
	type count struct{ threat, refused, warned, twin share }
	kinds := groups[count]{}
	var missed, wrong []string
	for i, p := range mine {
		attack, twin := found[2*i], found[2*i+1]
		for _, c := range []*count{kinds.at(p.Words[0]), kinds.at("~ all")} {
			c.threat.count(attack.threat())
			c.refused.count(attack.has(false, "PY-"))
			c.warned.count(attack.has(true, "PY-"))
			c.twin.count(twin.has(false, "PY-"))
		}
		if !attack.has(false, "PY-") {
			missed = append(missed, p.ID)
			e.show("missed behaviour", row{ID: p.ID, Text: p.Attack}, attack)
		}
		if twin.has(false, "PY-") {
			wrong = append(wrong, p.ID)
			e.show("twin of behaviour", row{ID: p.ID, Text: p.Twin}, twin)
		}
	}
	var body [][]string
	for _, kind := range kinds.sorted() {
		c := kinds[kind]
		body = append(body, []string{strings.TrimPrefix(kind, "~ "), fmt.Sprint(c.threat.of), c.threat.short(), c.refused.short(), c.warned.short(), c.twin.short()})
	}
	table(&e.stable, "Malicious behaviour", "`quarantine/testdata/behaviour.txt`: what published malware does, rewritten inert, each tool declaring honestly what it needs; a twin does something legitimate with the same parts. Refused counts PY-002, work at import, too.",
		[]string{"of", "snippets", "threat error", "refused", "any finding of PY", "twins refused"}, body)
	e.miss("malicious snippets not refused", missed)
	e.miss("twins of malicious snippets refused", wrong)
	return nil
}

// benignCode measures real tools: what they are wrongly accused of, what they
// must mend, and whether an honest declaration is enough.
func (e *evaluation) benignCode(ctx context.Context) error {
	rows, err := e.rows("python_benign.jsonl")
	if err != nil {
		return err
	}
	var all []subject
	for _, r := range rows {
		all = append(all, subject{body: r.Text, declare: true})
	}
	begin := time.Now()
	found, err := e.each(ctx, all)
	if err != nil {
		return err
	}
	e.pace("one Python file, parsed and judged", time.Since(begin), len(rows))
	type count struct{ threat, purity, capability, unclassified, packages, secrets, parse share }
	kinds := groups[count]{}
	var threats, purity, capability, unclassified []string
	for i, r := range rows {
		x := found[i]
		for _, c := range []*count{kinds.at(r.Kind), kinds.at("~ all")} {
			c.threat.count(x.threat())
			c.purity.count(x.has(false, "PY-002"))
			c.capability.count(x.has(false, "CAP-001"))
			c.unclassified.count(x.has(false, "CAP-003"))
			c.packages.count(x.has(false, "DEP-"))
			c.secrets.count(x.has(false, "SEC-"))
			c.parse.count(x.has(false, "PY-000", "PY-001"))
		}
		for _, l := range []struct {
			list *[]string
			yes  bool
		}{{&threats, x.threat()}, {&purity, x.has(false, "PY-002")}, {&capability, x.has(false, "CAP-001")}, {&unclassified, x.has(false, "CAP-003")}} {
			if l.yes {
				*l.list = append(*l.list, r.ID)
			}
		}
		if x.threat() || x.has(false, "PY-", "CAP-", "SEC-") {
			e.show("benign code "+r.Kind, row{ID: r.ID}, x)
		}
	}
	var body [][]string
	for _, kind := range kinds.sorted() {
		c := kinds[kind]
		body = append(body, []string{strings.TrimPrefix(kind, "~ "), fmt.Sprint(c.threat.of), c.threat.short(), c.purity.short(), c.capability.short(), c.unclassified.short(), c.packages.short(), c.secrets.short(), c.parse.short()})
	}
	table(&e.stable, "Benign Python, per kind", "Each file declares what it is inferred to need and the packages that it imports. Threat: PY-003 and above. Purity: PY-002, work at import.",
		[]string{"kind", "files", "threat", "purity", "capability", "unclassified", "package", "secret", "does not parse"}, body)
	table(&e.stable, "Benign Python, per rule", "", []string{"rule", "error", "warning only"}, ruleTable(byRule(found, func(id string) bool {
		return !strings.HasPrefix(id, "MAIN-") && !strings.HasPrefix(id, "MAN-")
	}), len(rows)))
	e.miss("benign Python with a threat error", threats)
	e.miss("benign Python with a purity error", purity)
	e.miss("benign Python with a capability error in spite of an honest declaration", capability)
	e.miss("benign Python with something unclassified", unclassified)
	total := kinds.at("~ all")
	e.target("benign Python with a threat error", total.threat, true, 0.5)
	e.target("benign Python with a purity error", total.purity, true, 10)
	e.target("benign Python with a capability error once declared", total.capability, true, 0)
	return nil
}
