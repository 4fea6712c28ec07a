package action

import (
	"context"
	"errors"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/spec"
)

// Options are what the command line says beside the verb.
type Options struct {
	In      string // folder of the registry, a checkout of the default branch; "" is the working directory
	Work    string // folder of the documents between jobs; "" is RUNNER_TEMP/patch-git
	Version string // of the program
	Say     func(text string)
}

// Run does what a verb of `patch-git action` says, and returns a line for the
// log and the same as a document. It has the shape that package cli asks for.
// say is told what goes into the log beside that, line by line.
func Run(ctx context.Context, h *host.Host, verb, in, work, version string, say func(text string)) (line string, doc any, err error) {
	j, err := newJob(h, Options{In: in, Work: work, Version: version, Say: say})
	if err != nil {
		return "", nil, forLog(err)
	}
	a, err := j.do(ctx, verb)
	if err != nil {
		err = forLog(err)
	}
	return logLine(a.Line), a, err
}

// answer is what a verb did.
type answer struct {
	Schema     int    `json:"schema"`
	Verb       string `json:"verb"`
	Pull       int    `json:"pull,omitempty"`
	Head       string `json:"head,omitempty"`
	Verdict    string `json:"verdict,omitempty"`
	Conclusion string `json:"conclusion,omitempty"`
	Merged     string `json:"merged,omitempty"` // the commit
	Line       string `json:"line"`             // for a person
}

func (j *job) do(ctx context.Context, verb string) (a answer, err error) {
	verbs := map[string]func(context.Context, *answer) error{
		"quarantine": j.quarantine, "judge": j.judge, "report": j.report,
		"trial": j.trial, "publish": j.publish, "nightly": j.nightly,
	}
	do, ok := verbs[verb]
	if !ok {
		return a, fault.New(fault.Usage, "usage", "there is no verb %s of the action", spec.Quote(verb)).Hint("patch-git action --help")
	}
	a = answer{Schema: 1, Verb: verb, Pull: j.event.Number, Head: j.event.Head}
	return a, do(ctx, &a)
}

// forLog makes an error's text fit for the log of a job, which a runner reads
// for commands: it may repeat what a tool or a stranger wrote.
func forLog(err error) error {
	e := fault.New(fault.KindOf(err), fault.ReasonOf(err), "%s", logLine(err.Error()))
	if own, ok := errors.AsType[*fault.Error](err); ok {
		for _, h := range own.Hints {
			e = e.Hint("%s", logLine(h))
		}
	}
	return e
}

// only refuses a verb for which the workflow was started by another event.
func (j *job) only(events ...string) error {
	if slices.Contains(events, j.event.Name) {
		return nil
	}
	return fault.New(fault.Usage, "event", "this verb is not for the event %s", spec.Quote(j.event.Name)).
		Hint("docs/action.md tells which workflow calls which verb")
}
