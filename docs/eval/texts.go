package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/sanitize"
)

// The families of rules about text. What the manifest's own rules refuse in a
// description, such as a second line, is counted apart as its form.
var (
	hiddenRules  = []string{"TXT-001", "TXT-002", "TXT-003", "TXT-004"}
	phraseRules  = []string{"INJ-"}
	grammarRules = []string{"TXT-", "INJ-", "MAN-004"}
)

func isText(id string) bool {
	return strings.HasPrefix(id, "TXT-") || strings.HasPrefix(id, "INJ-") || strings.HasPrefix(id, "MAN-")
}

// textCount is one row of the tables about descriptions.
type textCount struct{ hidden, phrases, grammar, form, warned share }

func (c *textCount) add(x examined) {
	c.hidden.count(x.has(false, hiddenRules...))
	c.phrases.count(x.has(false, phraseRules...))
	c.grammar.count(x.has(false, grammarRules...))
	c.form.count(x.has(false, ""))
	c.warned.count(x.has(true, ""))
}

func (c *textCount) cells(name string) []string {
	return []string{name, fmt.Sprint(c.hidden.of), c.hidden.short(), c.phrases.short(), c.grammar.short(), c.form.short(), c.warned.short()}
}

var textHead = []string{"of", "texts", "hidden text, error", "phrases, error", "with the grammar, error", "with its form, error", "any finding"}

// texts measures the rules about text on descriptions, injected and benign.
func (e *evaluation) texts(ctx context.Context) error {
	bad, err := e.rows("injections.jsonl")
	if err != nil {
		return err
	}
	good, err := e.rows("benign_descriptions.jsonl")
	if err != nil {
		return err
	}
	begin := time.Now()
	foundBad, err := e.each(ctx, descriptions(bad))
	if err != nil {
		return err
	}
	foundGood, err := e.each(ctx, descriptions(good))
	if err != nil {
		return err
	}
	e.pace("one description, manifest and all rules (no parsing of Python)", time.Since(begin), len(bad)+len(good))
	e.hidden(bad, foundBad)
	e.injections(bad, foundBad)
	e.benignTexts(good, foundGood)
	return nil
}

func descriptions(rows []row) []subject {
	var all []subject
	for _, r := range rows {
		all = append(all, subject{description: r.Text})
	}
	return all
}

// hidden is the table of the ways to hide a text.
func (e *evaluation) hidden(rows []row, found []examined) {
	g := groups[textCount]{}
	var total textCount
	var missed []string
	for i, r := range rows {
		if !strings.HasPrefix(r.Kind, "obf_") {
			continue
		}
		g.at(r.Kind).add(found[i])
		total.add(found[i])
		if !found[i].has(false, "TXT-", "INJ-") {
			missed = append(missed, r.ID)
			e.show("missed hidden "+r.Kind, r, found[i])
		}
	}
	var body [][]string
	for _, kind := range g.sorted() {
		body = append(body, g[kind].cells(kind))
	}
	body = append(body, total.cells("all channels"))
	table(&e.stable, "Hidden text, per channel", "An instruction hidden in a real description. Hidden text is TXT-001 to TXT-004; phrases are INJ; the grammar adds TXT-005, TXT-006 and MAN-004; the form is what the manifest's own rules ask of a description (one line, 1,024 characters).", textHead, body)
	e.miss("hidden text", missed)
	e.target("hidden text found, by the rules about hidden text", total.hidden, false, 95)
}

// injections is the tables of instructions that stand in plain sight.
func (e *evaluation) injections(rows []row, found []examined) {
	kinds, sources := groups[textCount]{}, groups[textCount]{}
	var carriers, total textCount
	var missed []string
	for i, r := range rows {
		if strings.HasPrefix(r.Kind, "obf_") {
			continue
		}
		kinds.at(r.Kind).add(found[i])
		sources.at(r.origin()).add(found[i])
		total.add(found[i])
		if strings.HasPrefix(r.Kind, "carrier_") {
			carriers.add(found[i])
		}
		if !found[i].has(false, grammarRules...) {
			missed = append(missed, r.ID)
			e.show("missed "+r.Kind, r, found[i])
		}
	}
	var body [][]string
	for _, kind := range kinds.sorted() {
		body = append(body, kinds[kind].cells(kind))
	}
	body = append(body, carriers.cells("all inside real descriptions (`carrier_*`)"), total.cells("all"))
	table(&e.stable, "Injections in descriptions, per kind", "", textHead, body)
	body = nil
	for _, source := range sources.sorted() {
		body = append(body, sources[source].cells(source))
	}
	table(&e.stable, "Injections in descriptions, per source", "What a rule that was tuned on the other sources finds in one of them is what it will find in the next.", textHead, body)
	e.miss("injections without any error", missed)
	e.target("injections in descriptions, phrases alone", carriers.phrases, false, 45)
	e.target("injections in descriptions, with the grammar", carriers.grammar, false, 70)
}

// benignTexts is the tables of what is wrongly flagged.
func (e *evaluation) benignTexts(rows []row, found []examined) {
	kinds := groups[textCount]{}
	var total textCount
	var wrong []string
	for i, r := range rows {
		kinds.at(r.Kind).add(found[i])
		total.add(found[i])
		if found[i].has(true, grammarRules...) {
			e.show("benign "+r.Kind, r, found[i])
		}
		if found[i].has(false, "INJ-", "TXT-001", "TXT-002", "TXT-003", "TXT-004") {
			wrong = append(wrong, r.ID)
		}
	}
	var body [][]string
	for _, kind := range kinds.sorted() {
		body = append(body, kinds[kind].cells(kind))
	}
	body = append(body, total.cells("all"))
	table(&e.stable, "Benign descriptions, per kind", "Every finding here is a false alarm, or a form that the grammar asks every author to mend.", textHead, body)
	table(&e.stable, "Benign descriptions, per rule", "", []string{"rule", "error", "warning only"}, ruleTable(byRule(found, isText), len(rows)))
	e.miss("benign descriptions with an error for hidden text or phrases", wrong)
	e.target("benign descriptions flagged for hidden text", total.hidden, true, 0.1)
	e.target("benign descriptions flagged for phrases", total.phrases, true, 0.5)
	e.target("benign descriptions flagged with the grammar", total.grammar, true, 4.5)
}

// documents measures whole SKILL.md files, each as the NOTES.md of a tool.
func (e *evaluation) documents(ctx context.Context) error {
	rows, err := e.rows("benign_skill_md.jsonl")
	if err != nil {
		return err
	}
	var all []subject
	for _, r := range rows {
		all = append(all, subject{notes: r.Text})
	}
	begin := time.Now()
	found, err := e.each(ctx, all)
	if err != nil {
		return err
	}
	e.pace("one whole document (SKILL.md), all rules", time.Since(begin), len(rows))
	var blocked []string
	var total share
	for i, r := range rows {
		total.count(found[i].has(false, ""))
		if found[i].has(false, "") {
			blocked = append(blocked, r.ID)
		}
		if found[i].has(true, "") {
			e.show("benign document", r, found[i])
		}
	}
	table(&e.stable, "Benign documents, per rule", "Whole SKILL.md files as the NOTES.md of a tool: in a document most rules warn.", []string{"rule", "error", "warning only"},
		append(ruleTable(byRule(found, func(string) bool { return true }), len(rows)), []string{"any error", total.short(), ""}))
	e.miss("benign documents with an error", blocked)
	return nil
}

// show prints a row whose verdict is not what it should be; what is foreign in
// it is made harmless for a terminal.
func (e *evaluation) show(what string, r row, x examined) {
	if !e.verbose {
		return
	}
	fmt.Fprintf(os.Stderr, "%s %s [%s] %s\n", what, r.ID, r.origin(), x.ids())
	if len(x.needs.uses)+len(x.needs.unclassified) > 0 {
		fmt.Fprintf(os.Stderr, "    inferred %v, unclassified %q\n", x.needs.uses, x.needs.unclassified)
	}
	for _, f := range x.findings {
		fmt.Fprintf(os.Stderr, "    %s %s %d: %s\n", f.ID, f.Severity, f.Line, sanitize.ForTerminal(f.Message))
	}
	if text := r.Text; text != "" && len(text) < 2000 {
		fmt.Fprintf(os.Stderr, "    > %s\n", sanitize.ForTerminal(strings.ReplaceAll(text, "\n", " ")))
	}
}

// ownTexts measures the project's own texts: attacks beside honest texts that
// use their words.
func (e *evaluation) ownTexts(ctx context.Context) error {
	for _, list := range []struct{ name, title, from string }{
		{"texts.txt", "Own texts", "injections by another author than the rules'"},
		{"texts2.txt", "Own texts, second list", "injections after published research; its words were read when the rules became edition 2"},
	} {
		if err := e.ownList(ctx, list.name, list.title, list.from); err != nil {
			return err
		}
	}
	return nil
}

func (e *evaluation) ownList(ctx context.Context, name, title, from string) error {
	all, err := own(name)
	if err != nil {
		return err
	}
	var attacks, twins []subject
	for _, p := range all {
		attacks, twins = append(attacks, subject{description: p.Attack}), append(twins, subject{description: p.Twin})
	}
	foundAttacks, err := e.each(ctx, attacks)
	if err != nil {
		return err
	}
	foundTwins, err := e.each(ctx, twins)
	if err != nil {
		return err
	}
	kinds, total := groups[[2]textCount]{}, [2]textCount{}
	var missed, wrong []string
	for i, p := range all {
		for j, x := range []examined{foundAttacks[i], foundTwins[i]} {
			kinds.at(p.Words[0])[j].add(x)
			total[j].add(x)
		}
		if !foundAttacks[i].has(false, grammarRules...) {
			missed = append(missed, p.ID)
			e.show("missed own text", row{ID: p.ID, Text: p.Attack}, foundAttacks[i])
		}
		if foundTwins[i].has(false, grammarRules...) {
			wrong = append(wrong, p.ID)
			e.show("own honest text", row{ID: p.ID, Text: p.Twin}, foundTwins[i])
		}
	}
	var body [][]string
	for _, kind := range append(kinds.sorted(), "all") {
		k := &total
		if kind != "all" {
			k = kinds[kind]
		}
		body = append(body, slices.Concat(k[0].cells(kind)[:5], k[1].cells("")[2:5]))
	}
	table(&e.stable, title, "`quarantine/testdata/"+name+"`: "+from+", each beside an honest text that uses its words (the last three columns).",
		[]string{"of", "texts", "hidden", "phrases", "with the grammar", "honest: hidden", "honest: phrases", "honest: with the grammar"}, body)
	e.miss("own injections without any error, "+name, missed)
	e.miss("own honest texts with an error, "+name, wrong)
	return nil
}
