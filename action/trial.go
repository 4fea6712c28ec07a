package action

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/patch-cat/patch-git/internal/contribute"
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
	if formats := spec.MainFormats(o.Files); o.Kind == review.KindRelease && len(formats) == 1 && formats[0] != spec.FormatPatch {
		a.Line = "there is no trial of this kind of tool (" + formats[0].Noun() + "): nothing of it is run here"
		return nil
	}
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
		return j.untried(err)
	}
	a.Line = fmt.Sprintf("%s was imported in the sandbox (%s, Python %s)", tried.Name, tried.Driver, tried.Python)
	if tried.Called {
		a.Line = strings.Replace(a.Line, "imported", "imported and called", 1)
	}
	for _, n := range tried.NotEnforced {
		j.say("the sandbox could not enforce: " + n)
	}
	return j.tried(a, tried, mainPath(o.Files, contents))
}

// tried tells what a tool was seen to do, in the summary and beside its lines. The
// tool's own words, such as names of files, stand in code.
func (j *job) tried(a *answer, tried *contribute.Tried, path string) error {
	title, lines := "### ✅ The trial\n\n", []string{a.Line}
	for _, w := range tried.Words() {
		lines = append(lines, "seen: "+w)
	}
	var err error
	if spec.Blocking(tried.Findings) {
		title = "### ❌ The trial failed\n\n"
		var found []string
		for _, f := range tried.Findings {
			found = append(found, f.String())
			if f.Fix != "" {
				found = append(found, "  fix: "+f.Fix)
			}
			j.remark(f, path)
		}
		lines = append(found, lines...)
		err = fault.New(fault.Findings, "trial", "%s", strings.Join(found, "\n"))
	}
	lines = append(lines, tried.Unseen)
	if sumErr := j.summary(title + block("text", lines)); sumErr != nil && err == nil {
		return sumErr
	}
	return err
}

// remark puts a finding beside its line, by a command to the runner: this job may
// not set a check. Nothing foreign in it can end the command.
func (j *job) remark(f spec.Finding, path string) {
	if path == "" || strings.Trim(path, pathCharacters) != "" {
		return
	}
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(plain(f.Message+"; fix: "+f.Fix, 1000))
	_, _ = fmt.Fprintf(j.host.Stderr, "::error file=%s,line=%d,title=%s::%s\n", path, max(f.Line, 1), f.ID, message)
}

// mainPath is where the repository has the main file that is tried.
func mainPath(files []spec.File, changed []review.Change) string {
	for _, f := range files {
		for _, c := range changed {
			if f.Path == spec.FormatPatch.MainFile() && bytes.Equal(f.Data, c.Data) && strings.HasSuffix(c.Path, "/"+f.Path) {
				return c.Path
			}
		}
	}
	return ""
}

// untried tells in the summary why nobody can say what a tool does.
func (j *job) untried(err error) error {
	if sumErr := j.summary("### ❌ There was no trial\n\n" + block("text", strings.Split(err.Error(), "\n"))); sumErr != nil {
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
