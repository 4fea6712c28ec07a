package review

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// judgement is one submission with all that is known of it.
type judgement struct {
	*Outline

	s       *Submission
	base    *Base
	content *Content
	policy  *Policy
	now     time.Time
	out     *Review
	meta    edit // what a change of tool.yaml does
}

// Judge applies every rule. base is what the registry has under the name of
// the outline, p its policy, and now the time that a waiting period is
// measured by.
func (o *Outline) Judge(s *Submission, base Base, content Content, p Policy, now time.Time) *Review {
	whole := *o
	whole.findings.found = slices.Clone(o.findings.found)
	j := &judgement{Outline: &whole, s: s, base: &base, content: &content, policy: &p, now: now}
	j.out = &Review{
		Schema: Schema, Pull: s.Number, Base: s.Base, Head: s.Head, Tree: s.Tree, Author: s.Author,
		Kind: o.Kind, Name: o.Name, Version: o.Version, Owners: base.Meta.Owners, Files: o.files, Bytes: o.bytes,
		Unchecked: slices.Concat(content.Unchecked, content.Remarks), Cleared: s.maintained(&p), JudgeRequired: p.JudgeRequired,
		Maintainers: p.Maintainers, UpdatesPerDay: p.UpdatesPerDay,
	}
	if s.Author.ID <= 0 {
		j.findings.addAs(notOwner, bad, "", "propose it with an account that GitHub knows", "the author of the pull request has no number")
	}
	if !s.Linear && (o.Kind == KindRelease || o.Kind == KindMeta) {
		j.findings.add(linear, "", "the commits are not one straight line of at most %d, or were not looked at", limits.PullCommits)
	}
	switch o.Kind {
	case KindRelease:
		j.release()
	case KindMeta:
		j.metaChange()
	case KindGovernance:
		j.governance()
	default:
		j.immutable() // whatever else it is, published bytes stay
	}
	j.merge()
	return j.out
}

// governance judges changes of how the registry works. Maintainers decide
// those by reading them; nothing of them is judged here but that they may.
func (j *judgement) governance() {
	if !j.out.Cleared {
		j.findings.add(governance, j.rules[0].Path, "%d files that govern the registry are changed, and no maintainer proposed or approved it", len(j.rules))
	}
	for _, c := range j.rules {
		if c.Refused != "" {
			j.findings.addAs(shape, warn, c.Path, "look at it on GitHub", "the file was not read: %s", spec.Quote(c.Refused))
		}
	}
	j.waivers()
	switch {
	case j.Config == nil:
	case j.Config.Status == Removed:
		j.findings.addAs(config, bad, configFile, "put it back", "it is removed")
	case j.content.ConfigErr != nil:
		j.findings.add(config, configFile, "%s", spec.Quote(j.content.ConfigErr.Error()))
	case j.Config.Data == nil:
		j.findings.add(config, configFile, "it was not read")
	}
}

// waivers judges what maintainers want to let pass. It stands alone in a pull
// request, so that nobody reads past it.
func (j *judgement) waivers() {
	if n := len(j.Waivers); n > 0 && n != len(j.rules) {
		j.findings.add(oneThing, j.Waivers[0].Path, "%d files of %s/ are changed together with %d others", n, waiversDir, len(j.rules)-n)
	}
	for _, c := range j.Waivers {
		proposed, read := j.content.Waivers[c.Path]
		switch {
		case c.Status == Removed:
			continue
		case proposed.Err != nil:
			j.findings.add(waiver, c.Path, "%s", spec.Quote(proposed.Err.Error()))
		case c.Mode != modeFile || !read:
			j.findings.add(waiver, c.Path, "it was not read")
		}
		for _, a := range proposed.Approvers {
			if !j.s.maintainedBy(j.policy, a) {
				j.findings.addAs(waiver, bad, c.Path, "let that maintainer propose it, or approve it at this very commit",
					"%s, with the number %s, is said to give it, and no such maintainer proposed or approved this", spec.Quote(a.Login), number(a))
			}
		}
	}
}

// immutable refuses every touch of a version that the registry has [PM-10]: a
// file more is a change, too.
func (j *judgement) immutable() {
	for _, t := range j.touched {
		dir := versionDir(j.Name, t.number)
		switch {
		case dir == "": // more than one name, which is refused
		case slices.Contains(j.base.Versions, t.number):
			for _, c := range t.changes {
				j.findings.add(immutable, path.Join(dir, c.Path), "version %s is published, and the file is %s", t.number, spec.Quote(string(c.Status)))
			}
		default:
			for _, c := range t.changes {
				if c.Status != Added {
					j.findings.add(immutable, path.Join(dir, c.Path), "the registry has no version %s, and the file is %s", t.number, spec.Quote(string(c.Status)))
				}
			}
		}
	}
}

// release judges a new version.
func (j *judgement) release() {
	j.out.New, j.out.Tool, j.out.NeedsModel = !j.base.Known, j.content.Tool, true
	j.immutable()
	if len(j.touched) != 1 {
		j.findings.add(oneThing, "", "%d versions are changed at once", len(j.touched))
	}
	for _, t := range j.touched {
		j.checkFiles(t)
	}
	if j.Version != "" {
		j.order()
	}
	if j.out.New {
		j.newName()
	} else {
		j.update()
	}
	j.quarantined()
	j.compare()
}

// order holds the version against those that there are.
func (j *judgement) order() {
	var last spec.Version
	for _, v := range j.base.Versions {
		if last == "" || v.Compare(last) > 0 {
			last = v
		}
		if v != j.Version && strings.EqualFold(string(v), string(j.Version)) {
			j.findings.add(immutable, j.Dir(), "the version is the same as %s where case does not count", v)
		}
	}
	if last != "" && !slices.Contains(j.base.Versions, j.Version) && j.Version.Compare(last) <= 0 {
		j.findings.add(immutable, j.Dir(), "version %s is not above %s, the last one", j.Version, last)
	}
}

// quarantined takes over what the rules for releases found, under the paths
// that the files have in the repository. A file that is refused already for
// what it is needs no second word about it.
func (j *judgement) quarantined() {
	if j.Version == "" {
		return // nothing was judged, and it is refused for that
	}
	if t := j.content.Tool; t != nil && (t.Name != j.Name || t.Version != j.Version) {
		j.findings.addAs(takenName, bad, path.Join(j.Dir(), t.Format.MainFile()), "move the file to the folder of its name and version",
			"the manifest says %s@%s", spec.Quote(string(t.Name)), spec.Quote(string(t.Version)))
	}
	if j.content.Tool == nil && !spec.Blocking(j.content.Findings) && !spec.Blocking(j.findings.found) {
		j.findings.add(shape, j.Dir(), "there is no manifest that could be judged")
	}
	said := map[string]bool{}
	for _, f := range j.findings.found {
		if f.ID == rules[shape].ID {
			said[f.File] = true
		}
	}
	for _, f := range j.content.Findings {
		if !strings.HasPrefix(f.File, `"`) { // not one that had to be quoted
			f.File = shown(path.Join(j.Dir(), f.File))
		}
		if f.ID == rules[shape].ID && said[f.File] {
			continue
		}
		j.findings.found = append(j.findings.found, f)
	}
}
