package cli

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"math/big"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/person"
	"github.com/patch-cat/patch-git/internal/sanitize"
)

// approveFlags are what `approve` was told.
type approveFlags struct {
	deny, remember, list, full, page bool
}

func (a *app) approveCommand() *cobra.Command {
	var f approveFlags
	c := &cobra.Command{
		Use:   "approve [id]",
		Short: "Say yes or no to what an AI host asked for and what waits for you",
		Long: `Look at the calls that wait for a person, one after the other or the one named, and
decide about each. What is shown is made of the very arguments that will be used.
A yes is for one run of exactly that, within minutes, by the conversation that
asked. It is given by typing a code that is shown at the terminal and nowhere
else; this refuses to run in the shell of an agent, where it can tell.`,
		Example: `  patch-git approve                    what waits, one after the other
  patch-git approve --list             show it, and decide nothing
  patch-git approve <id> --remember    and do not ask again about these values
  patch-git approve forget --all       ask about every value again`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("%s takes one id at most, got %d", c.CommandPath(), len(args)).Hint("%s", c.UseLine())
			}
			return nil
		},
		ValidArgsFunction: a.completeWaiting,
		RunE: func(c *cobra.Command, args []string) error {
			store, err := a.approvals()
			if err != nil {
				return err
			}
			id := ""
			if len(args) == 1 {
				id = args[0]
			}
			return a.approve(c.Context(), store, id, f)
		},
	}
	c.Flags().BoolVar(&f.deny, "deny", false, "say no to the one named")
	c.Flags().BoolVar(&f.remember, "remember", false, "a yes holds for these values, of this version of the tool, for the days that the configuration has")
	c.Flags().BoolVar(&f.list, "list", false, "show what waits, what was decided lately, and what is remembered")
	c.Flags().BoolVar(&f.full, "full", false, "show long values whole")
	c.Flags().BoolVar(&f.page, "page", false, "decide in the browser, on a page that only this terminal has the link of")
	c.AddCommand(a.approveForget())
	return c
}

func (a *app) approve(ctx context.Context, store *approval.Store, text string, f approveFlags) error {
	chosen := 0
	for _, set := range []bool{f.deny, f.remember, f.list, f.page} {
		if set {
			chosen++
		}
	}
	switch {
	case chosen > 1:
		return usage("--deny, --remember, --list and --page are given one at a time").Hint("patch-git approve --help")
	case f.list || a.json && text == "" && chosen == 0: // a program cannot type codes
		if text != "" {
			return usage("--list shows everything, and takes no id").Hint("patch-git approve --list")
		}
		return a.listApprovals(store)
	case f.deny && text == "":
		return usage("--deny needs the id of what is denied").Hint("patch-git approve --list")
	case f.page && text != "":
		return usage("--page shows everything that waits, and takes no id").Hint("patch-git approve --page")
	case f.deny:
		// A no harms nobody: an agent may give it too.
		id, err := approval.ParseID(text)
		if err != nil {
			return err
		}
		e, err := store.Decide(ctx, id, false, approval.ViaTerminal, false)
		if err != nil {
			return err
		}
		return a.decided(e)
	}
	if err := person.Alone(a.host); err != nil {
		return err
	}
	if f.page {
		return a.approvePage(ctx, store)
	}
	waiting, err := a.toDecide(store, text)
	if err != nil {
		return err
	}
	for _, e := range waiting {
		if e, err = a.ask(ctx, store, e, f); err != nil {
			return err
		}
		if err := a.decided(e); err != nil {
			return err
		}
	}
	return nil
}

// toDecide is the entry that was named, or all that wait.
func (a *app) toDecide(store *approval.Store, text string) ([]approval.Entry, error) {
	if text != "" {
		id, err := approval.ParseID(text)
		if err != nil {
			return nil, err
		}
		e, err := store.Get(id)
		if err == nil {
			err = e.Open()
		}
		return []approval.Entry{e}, err
	}
	list, damaged, err := store.List()
	if err != nil {
		return nil, err
	}
	for _, d := range damaged {
		a.warn(d.Error())
	}
	var waiting []approval.Entry
	for _, e := range list {
		if e.State == approval.Pending {
			waiting = append(waiting, e)
		}
	}
	if len(waiting) == 0 {
		a.out.say("nothing waits for your word")
	}
	return waiting, nil
}

// codeTries is how often a code can be typed wrong before nothing is decided.
const codeTries = 3

// ask puts one action before the person at the terminal.
func (a *app) ask(ctx context.Context, store *approval.Store, e approval.Entry, f approveFlags) (approval.Entry, error) {
	if f.remember && !e.Action.Rememberable() {
		return e, usage("there is no value in %s that could be remembered: only values that were seen before are", e.ID).Hint("patch-git approve %s", e.ID)
	}
	refusal := fault.New(fault.Denied, "no_terminal", "a word about %s is given at a terminal, and there is none", e.ID).
		Hint("type this at a terminal: patch-git approve %s", e.ID)
	if a.host.Terminal.Open == nil {
		return e, refusal
	}
	tty, err := a.host.Terminal.Open()
	if err != nil {
		return e, refusal
	}
	defer tty.Close()
	a.out.endProgress()
	code, err := newCode()
	if err != nil {
		return e, err
	}
	fmt.Fprint(tty, question(e, f.full))
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewReader(tty); ; {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	over := time.NewTimer(e.Until.Sub(a.host.Now()))
	defer over.Stop()
	for range codeTries {
		fmt.Fprintf(tty, "Type %s to let it run%s, or no to refuse it: ", code, map[bool]string{true: ", and not be asked about these values again"}[f.remember])
		select {
		case <-ctx.Done():
			return e, ctx.Err()
		case <-over.C:
			fmt.Fprintln(tty)
			_, err := store.Decide(ctx, e.ID, false, approval.ViaTerminal, false)
			return e, err // which says that it ran out
		case line, ok := <-lines:
			answer := strings.ToLower(strings.TrimSpace(line))
			switch {
			case !ok:
				return e, undecided(e)
			case answer == code:
				return store.Decide(ctx, e.ID, true, approval.ViaTerminal, f.remember)
			case answer == "" || answer == "n" || answer == "no":
				return store.Decide(ctx, e.ID, false, approval.ViaTerminal, false)
			}
		}
	}
	return e, undecided(e)
}

func undecided(e approval.Entry) error {
	return fault.New(fault.Denied, "undecided", "nothing was decided about %s", e.ID).Hint("patch-git approve %s", e.ID)
}

// newCode is what a person reads at the terminal and types there.
func newCode() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(10_000))
	if err != nil {
		return "", fault.New(fault.Internal, "random", "make a code: %w", err)
	}
	return fmt.Sprintf("%04d", n), nil
}

// question is what a person sees of an action at a terminal. Every line of it begins
// with words of ours, and foreign text stands in it on one line, in quotes.
func question(e approval.Entry, full bool) string {
	var b strings.Builder
	act := e.Action
	fmt.Fprintf(&b, "\n%s wants to run", act.What())
	if act.Client != "" {
		fmt.Fprintf(&b, ", asked by what calls itself %s", inOrder(approval.Shown(act.Client)))
	}
	fmt.Fprintf(&b, "\n\n")
	for _, r := range act.Reasons {
		fmt.Fprintf(&b, "  why   %s\n", inOrder(oneLine(safe(r.Text))))
	}
	show := approval.Shown
	if full {
		show = approval.Whole
	}
	for _, l := range act.Lines(show) {
		fmt.Fprintf(&b, "  with  %s = %s\n", l.Name, l.Value)
		if l.Note != "" {
			fmt.Fprintf(&b, "        take care: %s\n", l.Note)
		}
	}
	fmt.Fprintf(&b, "  from  release %s, source %s, conversation %s\n\n", act.Tool.Digest.Short(), act.Source.Short(), sanitize.Fit(act.Session, 40))
	return b.String()
}

// inOrder writes foreign text within a sentence of ours, which it must not turn around.
func inOrder(text string) string {
	text, _ = sanitize.InOrder(text)
	return text
}

// decided tells what became of an action.
func (a *app) decided(e approval.Entry) error {
	if a.json {
		return a.out.document(struct {
			Schema int            `json:"schema"`
			ID     approval.ID    `json:"id"`
			State  approval.State `json:"state"`
			Via    approval.Via   `json:"via"`
			Until  time.Time      `json:"until"`
		}{1, e.ID, e.State, e.Via, e.Until})
	}
	if e.State == approval.Approved {
		a.out.printf("approved %s %s\n", e.ID, e.Action.What())
		a.out.say("it can run once until %s: tell the AI host to go on", e.Until.Local().Format("15:04:05"))
		return nil
	}
	a.out.printf("%s %s %s\n", e.State, e.ID, e.Action.What())
	return nil
}

// approvePage serves the page until everything is decided or the person leaves.
func (a *app) approvePage(ctx context.Context, store *approval.Store) error {
	refusal := fault.New(fault.Denied, "no_terminal", "the link of the page is shown at a terminal, and there is none").
		Hint("type this at a terminal: patch-git approve --page")
	if a.host.Terminal.Open == nil {
		return refusal
	}
	tty, err := a.host.Terminal.Open()
	if err != nil {
		return refusal
	}
	defer tty.Close()
	page, err := person.OpenPage(store, a.host.Now)
	if err != nil {
		return err
	}
	defer func() { _ = page.Close() }()
	showLink(tty, page.Link(approval.ViaPage))
	return page.Serve(ctx, true)
}

func showLink(tty io.Writer, link string) {
	fmt.Fprintf(tty, "Open this, once, in your browser; Ctrl-C ends it:\n\n  %s\n\n", link)
}
