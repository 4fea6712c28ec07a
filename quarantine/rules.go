package quarantine

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// Rule is one thing that a release can get wrong. Documentation is made from
// [Rules] and waivers name the ID, so an ID is never given a new meaning.
type Rule struct {
	ID       string
	Severity spec.Severity // the highest it takes; a finding may be milder
	Waiver   Waiver
	What     string // what is seen, one clause
	Why      string // why it matters; every finding repeats it
	Fix      string // what the author does; a finding may be more exact
	Source   string // row of the requirements or of the catalogue
}

// Waiver is who may let a release pass in spite of a finding.
type Waiver string

// The waivers. The zero value is nobody, as [WaiverNone].
const (
	WaiverNone       Waiver = "none"       // nobody
	WaiverAuthor     Waiver = "author"     // mended in minutes, so a waiver is hardly ever needed; a maintainer may
	WaiverMaintainer Waiver = "maintainer" // a maintainer, for these very bytes
	WaiverDeclare    Waiver = "declare"    // nobody needs to: declared in the manifest it is no finding
)

// Rules returns every rule of the package in the order of their IDs.
func Rules() []Rule {
	var all []Rule
	for _, family := range [][]*Rule{
		releaseRules, textRules, injectionRules, packageRules, secretRules, pythonRules, reachRules, threatRules, trialRules, modelRules, skillRules, deploymentRules,
	} {
		for _, r := range family {
			all = append(all, *r)
		}
	}
	slices.SortFunc(all, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return all
}

const (
	bad  = spec.SeverityError
	warn = spec.SeverityWarning
)
