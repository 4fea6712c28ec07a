package consume

import (
	"context"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// ReasonNoSkill is the reason of a refusal to read what is no installed skill, or no
// file of one.
const ReasonNoSkill = "no_skill"

// SkillFile is one file of an installed skill, verified now.
type SkillFile struct {
	Ref      spec.Ref // pinned
	Registry spec.RegistryName
	File     ledger.ReleaseFile // as the release lists it
	Data     []byte
	// Trust is [Trusted] where the user vouches for the skill, else [Untrusted]: it is a
	// text that others wrote for a model to follow.
	Trust Trust
}

// SkillFile reads one file of the current version of an installed skill, as its release
// lists it, after the same verification as before a run: an edit, a revocation, a registry
// that is not trusted any more and findings of the rules of today refuse it. What path
// names is looked for in the list of the release and never in the file system. What is no
// skill or has no such file is of kind NotFound; most bounds the bytes.
func (c *Client) SkillFile(ctx context.Context, name spec.Name, path string, most int64) (*SkillFile, error) {
	v, receipt, err := c.Check(ctx, spec.Ref{Name: name})
	if err == nil {
		err = c.Recheck(ctx, v, receipt)
	}
	if err != nil {
		return nil, err
	}
	if v.Tool().Skill == nil {
		return nil, fault.New(fault.NotFound, ReasonNoSkill, "%s is no skill, it is of the kind %s", v.Ref().At(), v.Tool().Format)
	}
	for _, f := range skillFiles(v.Document()) {
		if f.Path != path {
			continue
		}
		if f.Size > most {
			return nil, fault.New(fault.Denied, "too_large", "the file %s of %s has %d bytes, allowed are %d", spec.Quote(path), v.Ref().At(), f.Size, most)
		}
		return &SkillFile{Ref: v.Ref(), Registry: v.Registry(), File: f, Data: v.File(path), Trust: c.vouched(v.Tool(), v.Registry())}, nil
	}
	return nil, fault.New(fault.NotFound, ReasonNoSkill, "%s has no file %s", v.Ref().At(), spec.Quote(path))
}

// skillFiles are the files that the author of a skill wrote: what a registry put beside
// them is about the skill and not for who follows it.
func skillFiles(doc *ledger.Release) []ledger.ReleaseFile {
	return slices.DeleteFunc(slices.Clone(doc.Files), func(f ledger.ReleaseFile) bool { return f.Path == ledger.ReportFileName })
}

// vouched is what a text is that an author wrote for a model.
func (c *Client) vouched(t *spec.Tool, in spec.RegistryName) Trust {
	if c.trustOf(t, in) == Trusted {
		return Trusted
	}
	return Untrusted
}
