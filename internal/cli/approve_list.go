package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/sanitize"
)

// approvals is what waits and was decided.
func (a *app) approvals() (*approval.Store, error) {
	client, err := a.client()
	if err != nil {
		return nil, err
	}
	return client.Approvals()
}

// completeWaiting offers the ids of what waits.
func (a *app) completeWaiting(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	store, err := a.approvals()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, _, _ := store.List()
	var out []string
	for _, e := range list {
		if e.State == approval.Pending && strings.HasPrefix(string(e.ID), prefix) {
			out = append(out, cobra.CompletionWithDesc(string(e.ID), e.Action.What()))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// waiting is one action as `approve --list --json` has it.
type waiting struct {
	ID      approval.ID       `json:"id"`
	Tool    string            `json:"tool"`
	Action  string            `json:"action,omitempty"` // of a tool that has several
	State   approval.State    `json:"state"`
	Held    time.Time         `json:"held_at"`
	Until   time.Time         `json:"until"`
	Via     approval.Via      `json:"via,omitempty"`
	Client  string            `json:"client,omitempty"`
	Args    []approval.Line   `json:"arguments"`
	Reasons []approval.Reason `json:"reasons"`
}

// listApprovals shows what waits, what was decided lately, and what is remembered.
func (a *app) listApprovals(store *approval.Store) error {
	list, damaged, err := store.List()
	if err != nil {
		return err
	}
	remembered, more, err := store.Remembered()
	if err != nil {
		return err
	}
	for _, d := range append(damaged, more...) {
		a.warn(d.Error())
	}
	entries, rows := []waiting{}, [][]string{}
	for _, e := range list {
		act := e.Action
		entries = append(entries, waiting{e.ID, act.Tool.At(), act.Operation, e.State, e.Held, e.Until, e.Via, act.Client, act.Lines(approval.Shown), act.Reasons})
		state := string(e.State)
		if e.State == approval.Pending {
			state = a.out.bold("waits")
		}
		rows = append(rows, []string{string(e.ID), act.What(), state, sanitize.Fit(act.Summary(), 60)})
	}
	if a.json {
		if remembered == nil {
			remembered = []approval.Remembered{}
		}
		return a.out.document(map[string]any{"schema": 1, "approvals": entries, "remembered": remembered})
	}
	if len(list) == 0 {
		a.out.say("nothing waits for your word")
	}
	a.out.table(rows)
	rows = nil
	for _, r := range remembered {
		rows = append(rows, []string{r.Name, r.Tool.At(), "remembered", safe(r.Input) + " = " + sanitize.Fit(r.Value, 60), "until " + r.Until.Local().Format("2006-01-02")})
	}
	a.out.table(rows)
	return nil
}

func (a *app) approveForget() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "forget [name]", Short: "Ask about a remembered value again",
		Example:           "  patch-git approve forget 0123456789abcdef0123456789abcdef\n  patch-git approve forget --all",
		ValidArgsFunction: cobra.NoFileCompletions,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 || all == (len(args) == 1) {
				return usage("%s takes one name, or --all", c.CommandPath()).Hint("patch-git approve --list")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			store, err := a.approvals()
			if err != nil {
				return err
			}
			name := ""
			if !all {
				name = args[0]
			}
			n, err := store.Forget(c.Context(), name)
			if err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "forgotten": n})
			}
			a.out.printf("forgot %d\n", n)
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "every one")
	return c
}
