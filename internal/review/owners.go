package review

import (
	"path"
	"slices"

	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

func (j *judgement) metaPath() string {
	if j.Name == "" {
		return ""
	}
	return path.Join(toolsDir, j.Name.Shard(), string(j.Name), metaFile)
}

// newName judges the first version of a name. It brings its own tool.yaml,
// which names the author first: main alone tells then whose the name is, and
// publishing needs to ask nobody.
func (j *judgement) newName() {
	if j.base.Gone {
		j.findings.add(takenName, j.Dir(), "%s was published once and was removed", j.Name)
	}
	meta := j.proposed()
	if meta == nil {
		return
	}
	j.out.Owners = meta.Owners
	if len(meta.Owners) == 0 || meta.Owners[0] != j.s.Author {
		j.findings.addAs(metaChange, bad, j.metaPath(), "write the author of the pull request first: login "+spec.Quote(j.s.Author.Login)+", id "+number(j.s.Author),
			"the first owner of the new name is not who proposes it")
	}
	j.consents(nil, meta.Owners)
	if len(meta.Yanked)+len(meta.Revoked) > 0 || meta.Deprecated != "" || meta.ReplacedBy != "" {
		j.findings.addAs(withdrawal, bad, j.metaPath(), "leave the owners and nothing else", "a new name has nothing yet to withdraw")
	}
}

// update judges a further version of a name.
func (j *judgement) update() {
	if j.Meta != nil {
		j.findings.add(oneThing, j.metaPath(), "a version and a change of %s come together", metaFile)
	}
	switch owners := j.base.Meta.Owners; {
	case len(owners) == 0:
		j.findings.addAs(notOwner, bad, j.Dir(), "ask a maintainer to name an owner first", "%s has no owner, so nobody may continue it", j.Name)
	case !j.s.agreedBy(owners):
		j.findings.add(notOwner, j.Dir(), "%s belongs to %s, and the author is %s with the number %s",
			j.Name, people(owners), spec.Quote(j.s.Author.Login), number(j.s.Author))
	}
}

// proposed is the tool.yaml of the submission, nil with findings where there
// is none to read.
func (j *judgement) proposed() *Meta {
	switch {
	case j.Meta == nil:
		j.findings.addAs(metaChange, bad, j.metaPath(), "add it: owners, with the login and the number of your account", "a new name brings no %s", metaFile)
	case j.Meta.Status == Removed:
		j.findings.addAs(metaChange, bad, j.metaPath(), "put it back", "it is removed, and a name never becomes free")
	case j.content.MetaErr != nil:
		j.findings.add(metaChange, j.metaPath(), "%s", spec.Quote(j.content.MetaErr.Error()))
	case j.content.Meta == nil:
		j.findings.add(metaChange, j.metaPath(), "it was not read")
	default:
		j.readable(j.content.Meta)
		return j.content.Meta
	}
	return nil
}

// readable refuses text that people and models would be shown and that holds
// what nobody sees, and owners that are no accounts.
func (j *judgement) readable(m *Meta) {
	texts := []string{m.Deprecated}
	for _, list := range []map[spec.Version]string{m.Yanked, m.Revoked} {
		for _, v := range sorted(list) {
			texts = append(texts, list[v])
		}
	}
	for i, o := range m.Owners {
		texts = append(texts, o.Login)
		if o.ID <= 0 {
			j.findings.addAs(metaChange, bad, j.metaPath(), "write the number of the account", "the owner %s has no number", spec.Quote(o.Login))
		} else if owns(m.Owners[:i], o) {
			j.findings.add(metaChange, j.metaPath(), "the number %s stands twice", number(o))
		}
	}
	for _, text := range texts {
		if hit, ok := sanitize.Hidden(text); ok {
			j.findings.add(hiddenText, j.metaPath(), "%s has %s", spec.Quote(text), hit.Category)
		}
	}
}

// consents holds a change of owners against who stands behind it: who becomes
// one agreed, and who is no longer one did, or a maintainer in their place. A
// login is nothing but what GitHub says of that number today, so it is taken
// from nobody else.
func (j *judgement) consents(before, after []ledger.Owner) {
	behind := j.s.behind()
	for _, o := range after {
		if slices.Contains(before, o) || slices.Contains(behind, o) {
			continue
		}
		switch {
		case owns(before, o):
			j.findings.addAs(transfer, bad, j.metaPath(), "let that account write or approve this very commit", "the owner with the number %s gets the login %s", number(o), spec.Quote(o.Login))
		case owns(behind, o):
			j.findings.addAs(transfer, bad, j.metaPath(), "write the login as GitHub spells it", "the account with the number %s is not called %s", number(o), spec.Quote(o.Login))
		default:
			j.findings.add(transfer, j.metaPath(), "%s with the number %s becomes an owner and has not agreed", spec.Quote(o.Login), number(o))
		}
	}
	for _, o := range before {
		if !owns(after, o) && !owns(behind, o) && !j.s.maintained(j.policy) {
			j.findings.add(transfer, j.metaPath(), "%s with the number %s is no owner any more and has not agreed", spec.Quote(o.Login), number(o))
		}
	}
}
