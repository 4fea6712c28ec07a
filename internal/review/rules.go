package review

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Rule is one thing that a pull request can get wrong. Documentation is made
// from [Rules], so an ID is never given a new meaning; those that quarantine
// has too mean the same there.
type Rule struct {
	ID       string
	Severity spec.Severity // the highest it takes; a finding may be milder
	What     string        // what is seen, one clause
	Why      string        // why it matters; every finding repeats it
	Fix      string        // what the author does; a finding may be more exact
}

// Rules returns every rule of the package in the order of their IDs.
func Rules() []Rule {
	all := slices.Clone(rules[:])
	slices.SortFunc(all, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// rule is an index into the table below.
type rule int

const (
	flood rule = iota
	governance
	oneThing
	shape
	notOwner
	metaChange
	transfer
	withdrawal
	config
	linear
	waiver
	takenName
	immutable
	hiddenText
	misreadText
	wordy
	grown
)

const (
	bad  = spec.SeverityError
	warn = spec.SeverityWarning
)

// rules is the only place where ids, severities and reasons stand.
var rules = [...]Rule{
	flood: {"GOV-999", bad, "a rule found more than is listed", "what is not listed may be an error, and then this is one", "mend what is listed and push again"},
	governance: {
		"GOV-001", bad, "what governs the registry is changed together with a tool, or by nobody who may", "a tool must not bring the rules that it is judged by",
		"leave only tools/ in this pull request; a maintainer proposes the rest, or approves it",
	},
	oneThing: {
		"GOV-002", bad, "the pull request is about more than one thing, or about nothing", "what is merged by rules must be one version, or one tool.yaml, of one name",
		"make one pull request for each",
	},
	shape: {
		"GOV-003", bad, "a file is not what a release may have", "what a person does not see, or systems see differently, is a place to hide",
		"put plain text files at tools/<first two letters>/<name>/<version>/",
	},
	notOwner: {
		"GOV-005", bad, "a version comes from nobody who owns the name", "who uses a tool trusts those who made it so far", "let an owner propose it, or approve it at this very commit",
	},
	metaChange: {
		"GOV-006", bad, "tool.yaml is missing, unreadable, or changed by nobody who may", "it says who owns the name and which versions still work",
		"let an owner, by the account's number, or a maintainer change it",
	},
	transfer: {
		"GOV-007", bad, "the owners change without the consent of each side", "a tool must not be taken from its owners, or put under the name of somebody who does not know",
		"let who gives and who gets the tool approve this very commit",
	},
	withdrawal: {
		"GOV-008", bad, "tool.yaml withdraws what there is not, or takes a revocation back", "clients were told that the version is malware, and some of them only by this", "put the line back, or name a published version",
	},
	config: {"GOV-009", bad, "the proposed registry.yaml is not readable", "nothing can be checked or published while it is not", "mend it"},
	linear: {
		"GOV-010", bad, "a merge is among the commits", "what a merge of a merge takes along, or takes back, no list of files shows", "rebase onto main, so that each commit has one parent, and push again",
	},
	waiver: {
		"GOV-011", bad, "a waiver is not readable, or lets more pass than it may", "what is let pass is one finding in bytes that a maintainer read, and for a while",
		"write it as patch-git waive prints it",
	},
	takenName: {
		"MAN-002", bad, "the name is none that a tool may have, or not free any more", "people and models pick tools by name, so a name must be one tool for ever", "choose a name of your own",
	},
	immutable: {
		"MAN-003", bad, "a published version is changed, or the version is not above the last", "what is pinned must never change, and an older number would never be picked",
		"put published files back as they were, and raise the version",
	},
	hiddenText:  {"TXT-001", bad, "text holds characters that a reader does not see", "models and programs read what people cannot review", "remove the characters"},
	misreadText: {"TXT-002", warn, "text holds words that read as something else", "letters of other alphabets and styles imitate a word that people look for", "write the word in the letters of one script"},
	wordy:       {"MAN-310", warn, "a reason has more than one sentence", "models and people are shown it, so it says why and tells nobody what to do", "shorten it to one sentence"},
	grown: {
		"CAP-006", warn, "the version asks for more than the one before", "who agreed to the version before did not agree to this", "ask for no more than is needed; a maintainer looks at it",
	},
}

// collector gathers findings.
type collector struct{ found []spec.Finding }

// add records a finding of the rule's own severity. file is a path of the
// repository; seen is what was seen, foreign text in it quoted.
func (c *collector) add(id rule, file, seen string, args ...any) {
	c.addAs(id, rules[id].Severity, file, "", seen, args...)
}

// addAs is add with a severity and, where it is not "", a more exact fix.
func (c *collector) addAs(id rule, severity spec.Severity, file, fix, seen string, args ...any) {
	r := &rules[id]
	c.found = append(c.found, spec.Finding{
		ID: r.ID, Severity: severity, File: shown(file), Message: fmt.Sprintf(seen, args...) + "; " + r.Why, Fix: cmp.Or(fix, r.Fix),
	})
}

// shown is how findings name a file: its path, quoted unless it is plain.
func shown(file string) string {
	plain := file == path.Clean(file) && !strings.ContainsFunc(file, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
	if file == "" || plain && len(file) <= 250 {
		return file
	}
	return spec.Quote(file)
}

// maxPerRule is how many findings of one rule a review lists.
const maxPerRule = 20

// finish returns the findings in the order of the files, errors kept first: of
// a flood the rest is counted by a finding as severe as the worst of it.
func (c *collector) finish() []spec.Finding {
	said := map[spec.Finding]bool{}
	var found []spec.Finding
	for _, f := range c.found {
		if !said[f] {
			said[f] = true
			found = append(found, f)
		}
	}
	kept, cut, worst := spec.Shorten(found, maxPerRule, limits.ManifestProblems, func(f spec.Finding) string { return f.ID })
	if cut > 0 {
		r := &rules[flood]
		kept = append(kept, spec.Finding{ID: r.ID, Severity: worst, Message: fmt.Sprintf("%d more findings are not listed; %s", cut, r.Why), Fix: r.Fix})
	}
	return kept
}
