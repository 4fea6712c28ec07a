package contribute

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/trusted"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// accept turns a release that passed its checks into what is signed: its files
// with the report beside them, and the closure of its packages, resolved now
// and once.
func (w *Workshop) accept(ctx context.Context, c *Checked, owners []ledger.Owner) (registry.Acceptance, error) {
	r := *c.Release
	r.Files = slices.Clone(r.Files)
	report := c.Report.Encode()
	a := ownedBy(registry.Acceptance{Report: spec.DigestOf(report)}, owners)
	r.Files = append(r.Files, spec.File{Path: ledger.ReportFileName, Data: report})
	if packages, python := r.Tool.Packages(); len(packages) > 0 {
		closure, pylock, err := w.resolve(ctx, &r.Tool, packages, python)
		if err != nil {
			return a, err
		}
		data := ledger.Encode(closure)
		digest := spec.DigestOf(data)
		a.Closure = &digest
		r.Files = append(r.Files, spec.File{Path: ledger.ClosureFileName, Data: data}, spec.File{Path: ledger.PylockFileName, Data: pylock})
	}
	slices.SortFunc(r.Files, func(a, b spec.File) int { return strings.Compare(a.Path, b.Path) })
	a.Release = &r
	return a, nil
}

// ownedBy names the owners of an acceptance, the first of whom contributed it.
func ownedBy(a registry.Acceptance, owners []ledger.Owner) registry.Acceptance {
	a.Owners = owners
	if len(owners) > 0 {
		a.Contributor = owners[0]
	}
	return a
}

// resolve finds the wheels of a tool's packages.
func (w *Workshop) resolve(ctx context.Context, t *spec.Tool, packages []string, python string) (*ledger.Closure, []byte, error) {
	pythons, _, err := w.pythons(ctx)
	if err != nil {
		return nil, nil, err
	}
	closure, pylock, err := pythons.Resolve(ctx, trusted.Run, pyenv.Request{
		Packages: packages, Python: python, Targets: pyenv.Targets(), ExcludeNewer: w.uploadedBefore(),
		Without: func(target string, why error) {
			w.warn(t.Name.String() + " has no packages for " + target + " and will not run there: " + why.Error())
		},
		Progress: func(step string) { w.progress("resolving packages of "+t.Name.String()+" for "+step, 0, 0) },
	})
	if err == nil {
		err = w.tryInstall(ctx, pythons, t, closure)
	}
	if err != nil {
		return nil, nil, fault.New(fault.KindOf(err), fault.ReasonOf(err), "packages of %s@%s: %w", t.Name, t.Version, err)
	}
	return closure, pylock, nil
}

// uploadedBefore is the bound on upload times that is resolved with, and signed
// in the closure, so that the same packages come out whenever it is done again.
func (w *Workshop) uploadedBefore() string {
	switch {
	case w.AnyAge:
		return ""
	case !w.UploadedBefore.IsZero():
		return w.UploadedBefore.UTC().Format(time.RFC3339)
	}
	return w.host.Now().UTC().Format(time.RFC3339)
}

// Packages is what was resolved for an accepted release.
type Packages struct {
	Tool           string   `json:"tool"`
	Python         string   `json:"python"`
	UploadedBefore string   `json:"uploaded_before,omitempty"`
	Platforms      []string `json:"platforms"`
	Unsupported    []string `json:"unsupported"`
}

// packagesOf tells what an acceptance has packages for; ok is false where it
// needs none.
func packagesOf(a registry.Acceptance) (p Packages, ok bool) {
	i := slices.IndexFunc(a.Release.Files, func(f spec.File) bool { return f.Path == ledger.ClosureFileName })
	if i < 0 {
		return p, false
	}
	c, err := ledger.ParseClosure(a.Release.Files[i].Data)
	if err != nil {
		return p, false
	}
	return Packages{a.Release.Ref.At(), c.Python, c.ExcludeNewer, slices.Sorted(maps.Keys(c.Targets)), pyenv.Unsupported(c)}, true
}

// tryInstall makes the environment once before the closure is signed, so that
// wheels that cannot be unpacked safely, or that contradict each other, are
// found by the maintainer and not by every client. Where this machine lacks
// the interpreter, or is no target, there is nothing to try on.
func (w *Workshop) tryInstall(ctx context.Context, pythons *pyenv.Pythons, t *spec.Tool, closure *ledger.Closure) error {
	in, err := pythons.Find(ctx, closure.Python, true)
	if err == nil {
		_, err = pythons.Install(ctx, in, closure, pyenv.InstallOptions{Progress: func(p pyenv.Progress) {
			w.progress(p.Step+" packages of "+t.Name.String(), p.Done, p.Total)
		}})
	}
	if reason := fault.ReasonOf(err); reason == "no_python" || reason == "no_target" {
		w.warn("the packages of " + t.Name.String() + " were not tried: " + err.Error())
		return nil
	}
	return err
}
