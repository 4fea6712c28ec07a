package review

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// edit is what a change of tool.yaml does.
type edit struct {
	transfer  bool // the owners are others
	withdraws bool // a version is yanked or revoked that was not
	other     bool // anything else
}

// metaChange judges a change of tool.yaml alone.
func (j *judgement) metaChange() {
	if !j.base.Known {
		j.findings.addAs(metaChange, bad, j.metaPath(), "bring the first version with it", "%s is no tool of this registry", j.Name)
		return
	}
	meta := j.proposed()
	if meta == nil {
		return
	}
	old := &j.base.Meta
	if !j.s.maintained(j.policy) && !j.s.agreedBy(old.Owners) {
		j.findings.add(metaChange, j.metaPath(), "%s belongs to %s, and the author is %s with the number %s",
			j.Name, people(old.Owners), spec.Quote(j.s.Author.Login), number(j.s.Author))
	}
	if len(meta.Owners) == 0 {
		j.findings.addAs(transfer, bad, j.metaPath(), "name who owns it", "nobody is left who owns %s", j.Name)
	}
	j.consents(old.Owners, meta.Owners)
	j.describeOwners(old.Owners, meta.Owners)
	j.withdrawals("revoke", old.Revoked, meta.Revoked)
	j.withdrawals("yank", old.Yanked, meta.Yanked)
	if old.Deprecated != meta.Deprecated {
		j.say("deprecated: %s", meta.Deprecated)
	}
	if old.ReplacedBy != meta.ReplacedBy {
		j.say("replaced by: %s", meta.ReplacedBy)
		switch {
		case meta.ReplacedBy == "":
		case meta.ReplacedBy == j.Name, !j.content.Replaces:
			// Users would be sent to a name that anybody can take.
			j.findings.addAs(withdrawal, bad, j.metaPath(), "name another tool of this registry", "the registry has no other tool %s", spec.Quote(string(meta.ReplacedBy)))
		}
	}
	if !j.meta.transfer && !j.meta.withdraws {
		j.meta.other = true // the order of the owners, or a comment
	}
}

// say adds a line to what changes, which no rule merges without a person.
func (j *judgement) say(format string, args ...any) {
	j.meta.other = true
	j.out.Meta = append(j.out.Meta, fmt.Sprintf(format, args...))
}

func (j *judgement) describeOwners(before, after []ledger.Owner) {
	line := func(word string, o ledger.Owner) {
		j.meta.transfer = true
		j.out.Meta = append(j.out.Meta, word+" "+o.Login+" ("+number(o)+")")
	}
	for _, o := range before {
		if !slices.Contains(after, o) {
			line("no owner any more:", o)
		}
	}
	for _, o := range after {
		if !slices.Contains(before, o) {
			line("owner:", o)
		}
	}
}

// withdrawals compares one list of withdrawn versions with what it was. That a
// revocation is taken back is refused whoever says so: clients that have seen
// it would go on to refuse, and others would run malware.
func (j *judgement) withdrawals(verb string, before, after map[spec.Version]string) {
	for _, v := range sorted(before) {
		switch reason, still := after[v]; {
		case !still && verb == "revoke":
			j.findings.add(withdrawal, j.metaPath(), "version %s was revoked, which nothing takes back", v)
		case !still:
			j.say("un%s %s", verb, v)
		case reason != before[v]:
			j.say("%s %s, now because: %s", verb, v, reason)
		}
	}
	for _, v := range sorted(after) {
		if _, was := before[v]; was {
			continue
		}
		if !slices.Contains(j.base.Versions, v) {
			j.findings.add(withdrawal, j.metaPath(), "there is no version %s to %s", v, verb)
		}
		j.meta.withdraws = true
		j.out.Meta = append(j.out.Meta, fmt.Sprintf("%s %s: %s", verb, v, after[v]))
	}
}

func sorted(m map[spec.Version]string) []spec.Version {
	out := make([]spec.Version, 0, len(m))
	for v := range m {
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b spec.Version) int {
		if c := a.Compare(b); c != 0 {
			return c
		}
		return strings.Compare(string(a), string(b))
	})
	return out
}

func number(o ledger.Owner) string { return strconv.FormatInt(o.ID, 10) }

// people lists owners for a message.
func people(owners []ledger.Owner) string {
	if len(owners) == 0 {
		return "nobody"
	}
	var words []string
	for i, o := range owners {
		if i == 5 {
			words = append(words, "others")
			break
		}
		words = append(words, spec.Quote(o.Login)+" ("+number(o)+")")
	}
	return strings.Join(words, ", ")
}
