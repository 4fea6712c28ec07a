package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/spec"
)

// drafter makes the draft of one command.
type drafter func(ctx context.Context, w *contribute.Workshop, o contribute.DraftOptions) (*contribute.Draft, error)

// submission is the JSON answer of a command that proposes something.
type submission struct {
	Schema   int                  `json:"schema"`
	OK       bool                 `json:"ok"`
	DryRun   bool                 `json:"dry_run,omitempty"`
	Draft    *contribute.Draft    `json:"draft"`
	Findings []spec.Finding       `json:"findings,omitempty"`
	Number   int                  `json:"number,omitempty"`
	URL      string               `json:"url,omitempty"`
	Head     string               `json:"head,omitempty"`
	How      contribute.How       `json:"how,omitempty"`
	Followed *contribute.Followed `json:"followed,omitempty"`
}

// submit drafts, shows, sends and follows. file is what was typed, for findings.
func (a *app) submit(ctx context.Context, s *submitFlags, file string, draft drafter) error {
	if err := s.check(); err != nil {
		return err
	}
	w, err := a.workshop()
	if err != nil {
		return err
	}
	o, err := a.draftOptions(w, s)
	if err != nil {
		return err
	}
	d, err := draft(ctx, w, o)
	answer := submission{Schema: 1, OK: err == nil, DryRun: s.dry, Draft: d}
	if d != nil && d.Checked != nil {
		answer.Findings = d.Checked.Findings
		if !a.json {
			a.printFindings(file, d.Checked.Findings, d.Checked.Files)
		}
	}
	switch {
	case err != nil && (d == nil || !a.json):
		return err
	case err != nil:
		return a.both(answer, err)
	case s.dry:
		if a.json {
			return a.out.document(answer)
		}
		a.printDraft(d, a.out.printf)
		a.out.say("nothing was sent")
		return nil
	case !a.json && !a.quiet:
		a.printDraft(d, func(format string, args ...any) {
			a.out.say("%s", strings.TrimSuffix(fmt.Sprintf(format, args...), "\n"))
		})
	}
	sent, err := a.send(ctx, w, d, &answer)
	if err != nil {
		return err
	}
	if s.watch && d.Done != contribute.AlreadyPublished {
		answer.Followed, err = w.Follow(ctx, sent, contribute.FollowOptions{
			Reader: a.reader, Every: s.every, Most: s.most, Stage: a.sayStage,
		})
		answer.OK = err == nil
	}
	if a.json {
		return a.both(answer, err)
	}
	if err == nil && answer.Followed != nil {
		a.out.printf("%s\n", a.out.green("published"))
		if d.Tool != nil {
			a.out.say("next: patch-git pull %s@%s", d.Tool.Name, d.Tool.Version)
		}
	}
	return err
}

// both prints a document and returns the error beside it.
func (a *app) both(answer submission, err error) error {
	if docErr := a.out.document(answer); err == nil {
		return docErr
	}
	return err
}

// draftOptions finds out where to and asks for the token.
func (a *app) draftOptions(w *contribute.Workshop, s *submitFlags) (o contribute.DraftOptions, err error) {
	client, err := a.client()
	if err != nil {
		return o, err
	}
	pins, err := client.Box.Pins()
	if err != nil {
		return o, err
	}
	if o.Target, err = contribute.TargetOf(pins, s.registry); err != nil {
		return o, err
	}
	switch {
	case o.Target.Pinned:
		o.Reader = client
	case s.watch:
		return o, usage("--watch sees what %s publishes as its clients do, and it is not added", o.Target.Registry).
			Hint("patch-git registry add https://github.com/%s", o.Target.Repo)
	}
	o.Lenient, o.AskOwner = s.dry, s.askOwner
	o.GitHub = func(ctx context.Context) (contribute.GitHub, bool, error) {
		return w.GitHub(ctx, contribute.HubOptions{Anonymous: s.dry, Show: a.showCode(), Wait: a.sayWait})
	}
	return o, nil
}

// send sends a draft, unless it is in the registry already.
func (a *app) send(ctx context.Context, w *contribute.Workshop, d *contribute.Draft, answer *submission) (*contribute.Sent, error) {
	if d.Done != "" {
		if !a.json {
			a.out.printf("%s: %s has it already\n", d.Done, d.Registry)
		}
		return &contribute.Sent{Draft: d}, nil
	}
	sent, err := w.Send(ctx, d)
	if err != nil {
		return nil, err
	}
	answer.Number, answer.URL, answer.Head, answer.How = sent.Number, sent.URL, sent.Head, sent.How
	if !a.json {
		a.out.printf("%s %s\n", a.out.green(string(sent.How)), safe(sent.URL))
	}
	return sent, nil
}

// reader reads what registries publish, and has read nothing yet.
func (a *app) reader() (contribute.Reader, error) {
	c, err := a.client()
	if err != nil {
		return nil, err
	}
	c.Progress, c.Warn = nil, nil // said once, when the draft was made, is enough
	return c, nil
}

var _ contribute.Reader = (*consume.Client)(nil)

// sayStage tells how far a pull request came.
func (a *app) sayStage(s contribute.Stage) {
	if a.quiet || a.json {
		return
	}
	a.out.say("%s", map[contribute.Stage]string{
		contribute.StageWaiting:  "waiting for the check to begin",
		contribute.StageChecking: "the check runs",
		contribute.StagePassed:   "the check passed; waiting for the merge",
		contribute.StageMerged:   "merged; waiting until clients can read it",
		contribute.StagePullable: "clients read it",
		contribute.StageRefused:  "the check says no",
		contribute.StageHuman:    "the check passed; a maintainer has to merge",
		contribute.StageClosed:   "closed",

		contribute.StageWithdrawn: "published, and taken back",
	}[s])
}

// sayWait tells why GitHub is not asked yet.
func (a *app) sayWait(why string, d time.Duration) {
	if !a.quiet {
		a.out.progress(fmt.Sprintf("waiting %v: %s", d.Round(time.Second), why), 0, 0)
	}
}

// showCode is how a person is asked to sign in, nil where there is none.
func (a *app) showCode() func(code, address string) error {
	if a.json || a.host.Terminal.Open == nil {
		return nil
	}
	tty, err := a.host.Terminal.Open()
	if err != nil {
		return nil
	}
	_ = tty.Close()
	return func(code, address string) error {
		tty, err := a.host.Terminal.Open()
		if err != nil {
			return err
		}
		defer tty.Close()
		a.out.endProgress()
		_, err = fmt.Fprintf(tty, "open %s and type the code %s\n", safe(address), safe(code))
		return err
	}
}
