package action

import (
	"context"
	"fmt"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/spec"
)

// trial runs the tool of a pull request in the sandbox. It reads the tool as the
// review does, through the API, and writes no document: who opened the pull
// request decides what this workflow does, so only its failure is believed.
func (j *job) trial(ctx context.Context, a *answer) error {
	if err := j.only("pull_request"); err != nil {
		return err
	}
	if err := j.connect(); err != nil {
		return err
	}
	changed, err := j.hub.Changes(ctx, j.repo, j.event.Number, j.event.Head)
	if err != nil {
		return err
	}
	contents, err := j.contents(ctx, changed)
	if err != nil {
		return err
	}
	o := review.Read(&review.Submission{Number: j.event.Number, Head: j.event.Head, Changes: contents})
	if o.Kind != review.KindRelease || !hasMain(o.Files) {
		a.Line = "there is no tool to try; the review says what is wrong"
		if o.Kind == review.KindMeta || o.Kind == review.KindGovernance {
			a.Line = "there is no version of a tool to try"
			return nil
		}
		return fault.New(fault.Findings, "no_tool", "%s", a.Line)
	}
	tried, err := j.workshop.Try(ctx, o.Files)
	if err != nil {
		return j.tried("### ❌ The trial failed\n\n", err)
	}
	a.Line = fmt.Sprintf("%s was imported in the sandbox (%s, Python %s)", tried.Name, tried.Driver, tried.Python)
	if tried.Called {
		a.Line = strings.Replace(a.Line, "imported", "imported and called", 1)
	}
	for _, n := range tried.NotEnforced {
		j.say("the sandbox could not enforce: " + n)
	}
	return j.summary("### ✅ The trial\n\n" + block("text", []string{a.Line}))
}

// tried tells a failure in the summary, where the tool's own words stand in code.
func (j *job) tried(title string, err error) error {
	if sumErr := j.summary(title + block("text", strings.Split(err.Error(), "\n"))); sumErr != nil {
		j.say(sumErr.Error())
	}
	return err
}

func hasMain(files []spec.File) bool {
	for _, f := range files {
		if f.Path == spec.FormatPatch.MainFile() {
			return true
		}
	}
	return false
}
