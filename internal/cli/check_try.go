package cli

import (
	"context"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/spec"
)

// tryChecked runs what a check found no error in, and adds what it was seen to do.
// Nothing that has an error is run: that is for its author to read first.
func (a *app) tryChecked(ctx context.Context, w *contribute.Workshop, one *checked, files []spec.File) error {
	if !one.OK {
		if !one.Untold {
			a.remark(one.File + " is not tried: mend the errors first")
		}
		return nil
	}
	tried, err := w.Try(ctx, files)
	if err != nil {
		return err
	}
	one.Trial = tried
	one.Findings = append(one.Findings, tried.Findings...)
	spec.SortFindings(one.Findings)
	one.OK = !spec.Blocking(one.Findings)
	return nil
}

// printTrial says what a tool was seen to do, whether or not it declares it.
func (a *app) printTrial(t *contribute.Tried) {
	if t == nil {
		return
	}
	done := "imported"
	if t.Called {
		done = "imported and called"
	}
	a.out.printf("  tried      %s by Python %s in the sandbox %s\n", done, t.Python, t.Driver)
	for _, line := range t.Words() {
		a.out.printf("  seen       %s\n", safe(line))
	}
	if !t.Called {
		a.out.say("  an example of a call in %s of the manifest would be called, too", contribute.SmokeKey)
	}
}
