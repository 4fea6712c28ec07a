package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/notes"
	"github.com/patch-cat/patch-git/internal/person"
	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) taintCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "taint",
		Short: "Tell servers that live what a conversation has read elsewhere",
		Long: `A server sees what its own tools answer, and neither what you type nor what other
servers answer. An AI host can report both, by a hook that runs "patch-git taint note".
What you typed is then asked for no more, and what others answered is.`,
		Example: `  patch-git taint note --result --from mail < message.txt
  patch-git taint show`,
		Args: noSuchCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.taintNote(), a.taintShow(), a.taintForget())
	return c
}

func (a *app) notes() *notes.Box { return notes.Open(a.host.Paths.Notes(), a.host.Now) }

func (a *app) taintNote() *cobra.Command {
	var prompt, result bool
	var from string
	c := &cobra.Command{
		Use: "note (--prompt | --result) [text...]", Short: "Report what was typed, or what another server answered",
		Long: `The text is what follows, else standard input. What a hook of Claude Code is given on
standard input is understood: of UserPromptSubmit the prompt is noted, of PostToolUse
what the tool answered. Then nothing is printed, because the host reads it.`,
		Example: `  patch-git taint note --prompt "send the report to ann@example.com"
  patch-git taint note --result --from mail < message.txt`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			if prompt == result {
				return usage("%s takes one of --prompt and --result", c.CommandPath()).Hint("%s", c.UseLine())
			}
			if len(from) > limits.NoteFrom {
				return usage("--from: more than %d bytes", limits.NoteFrom).Hint("give a short name of who answered: %s --result --from mail", c.CommandPath())
			}
			kind := notes.Result
			if prompt {
				kind = notes.Prompt
			}
			return a.note(c, kind, from, args)
		},
	}
	c.Flags().BoolVar(&prompt, "prompt", false, "a person typed it: the values in it are that person's own")
	c.Flags().BoolVar(&result, "result", false, "somebody else answered it: nobody vouches for it")
	c.Flags().StringVar(&from, "from", "", "the `SERVER` or tool that answered it")
	_ = c.RegisterFlagCompletionFunc("from", cobra.NoFileCompletions)
	return c
}

func (a *app) note(c *cobra.Command, kind notes.Kind, from string, args []string) error {
	text := strings.Join(args, " ")
	var h hook
	if len(args) == 0 {
		data, err := io.ReadAll(io.LimitReader(a.host.Stdin, limits.NoteInput))
		if err != nil {
			return fault.New(fault.Unavailable, "stdin", "read standard input: %w", err)
		}
		text = string(data)
		if h = readHook(data); h.Event != "" {
			if text, err = h.text(kind); err != nil {
				return err
			}
			if from == "" && kind == notes.Result {
				from = h.Tool[:min(len(h.Tool), limits.NoteFrom)]
			}
			if text == "" {
				return nil
			}
		}
	}
	if kind == notes.Prompt {
		if len(text) > limits.NoteText {
			return fault.New(fault.Denied, "note_too_long", "nobody types %d bytes; %d are believed", len(text), limits.NoteText)
		}
		// A hook runs below its host, whatever the host is.
		if h.Event == "" {
			if err := person.Alone(a.host); err != nil {
				return err
			}
		}
	}
	added, err := a.notes().Add(c.Context(), kind, from, text)
	if err != nil || h.Event != "" {
		return err
	}
	if a.json {
		return a.out.document(map[string]any{"schema": 1, "notes": shownNotes(added, 0)})
	}
	for _, n := range added {
		a.out.printf("%s\n", n.ID)
	}
	return nil
}

// hook is what Claude Code gives to a hook.
type hook struct {
	Event    string          `json:"hook_event_name"`
	Prompt   string          `json:"prompt"`
	Tool     string          `json:"tool_name"`
	Response json.RawMessage `json:"tool_response"`
}

// readHook reads standard input as a hook is given it; anything else is no event.
func readHook(data []byte) hook {
	var h hook
	if data = bytes.TrimSpace(data); len(data) == 0 || data[0] != '{' || json.Unmarshal(data, &h) != nil {
		return hook{}
	}
	return h
}

// text is what is noted of an event. An error of it is never of kind Usage, whose
// exit code tells the host to throw the prompt away.
func (h hook) text(kind notes.Kind) (string, error) {
	switch {
	case h.Event == "UserPromptSubmit" && kind == notes.Prompt:
		return h.Prompt, nil
	case h.Event == "PostToolUse" && kind == notes.Result:
		return string(h.Response), nil
	}
	return "", fault.New(fault.Denied, "hook_event", "a hook of %s has no %s", spec.Quote(h.Event), kind).
		Hint("patch-git setup claude-code writes the hooks that there are")
}

// shownNote is a note as it is listed.
type shownNote struct {
	ID   string     `json:"id"`
	Kind notes.Kind `json:"kind"`
	From string     `json:"from,omitempty"`
	At   string     `json:"at"`
	Size int        `json:"bytes"`
	Cut  bool       `json:"cut,omitempty"`
	Text string     `json:"text,omitempty"`
}

// shownNotes cuts the texts to so many characters; 0 leaves them out.
func shownNotes(list []notes.Note, most int) []shownNote {
	out := make([]shownNote, 0, len(list))
	for _, n := range list {
		text := []rune(n.Text)
		out = append(out, shownNote{n.ID, n.Kind, n.From, n.At.Format(time.RFC3339), len(n.Text), n.Cut, string(text[:min(len(text), most)])})
	}
	return out
}

func (a *app) taintShow() *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "List what was reported and is still good",
		Example: "  patch-git taint show --json", Args: exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			list := a.notes().List()
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "notes": shownNotes(list, limits.TaintShown)})
			}
			if len(list) == 0 {
				a.out.say("no host has reported anything")
			}
			const line = 60 // characters of a text
			var rows [][]string
			for _, n := range shownNotes(list, line) {
				text := strings.Join(strings.Fields(n.Text), " ")
				rows = append(rows, []string{n.At, string(n.Kind), sanitize.ForTerminal(n.From), sanitize.ForTerminal(text)})
			}
			a.out.table(rows)
			return nil
		},
	}
}

func (a *app) taintForget() *cobra.Command {
	return &cobra.Command{
		Use: "forget", Short: "Remove what was reported",
		Long:    `Remove what was reported. A server that lives keeps what it has read of it; end it to begin anew.`,
		Example: "  patch-git taint forget", Args: exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			// A server that did not read a note yet would let pass what it tells of.
			if err := person.Alone(a.host); err != nil {
				return err
			}
			n, err := a.notes().Forget(c.Context())
			if err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "forgotten": n})
			}
			a.out.say("%d note(s) removed", n)
			return nil
		},
	}
}
