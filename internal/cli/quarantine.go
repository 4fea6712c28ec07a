package cli

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/judge"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) quarantineCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "quarantine", Short: "Let a model look at what nobody should trust",
		Example: "  patch-git quarantine summarize page.txt\n  patch-git quarantine judge tool.py",
		Args:    noSuchCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.summarizeCommand(), a.judgeCommand())
	return c
}

func (a *app) summarizeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "summarize [file|-]", Short: "Tell what an untrusted text is about, so that no agent has to read it",
		Long: `Let a model that has no tools read a text of at most 50,000 characters, and answer
with two or three sentences and with flags: what the text may do to an agent that
reads it. What hides or gives orders is also looked for without a model. Nothing of
it is kept. docs/judge.md tells which model is asked and how to name one.

The exit code is 0 where nothing is flagged, 3 where something is, and 7 where
nobody could tell, for want of a model or of a usable answer: then the text counts
as suspicious. Without a file, or with -, standard input is read.`,
		Example: `  patch-git quarantine summarize page.txt
  curl -s https://example.com | patch-git quarantine summarize --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exactly("file")(c, args)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			text, err := a.untrusted(args)
			if err != nil {
				return err
			}
			w, err := a.workshop()
			if err != nil {
				return err
			}
			s, err := w.Summarize(c.Context(), text)
			if err != nil {
				return err
			}
			if a.json {
				if err := a.out.document(s); err != nil { // the documented shape, and nothing else
					return err
				}
			} else {
				a.printSummary(s)
			}
			return verdictOf(s)
		},
	}
}

// untrusted reads the text that is to be told about.
func (a *app) untrusted(args []string) (string, error) {
	const most = limits.SummaryText * 4 // bytes of so many characters
	if len(args) == 1 && args[0] != "-" {
		data, err := durable.ReadFile(a.path(args[0]), most)
		if errors.Is(err, fs.ErrNotExist) {
			return "", fault.New(fault.NotFound, "no_file", "there is no file %s", spec.Quote(args[0]))
		}
		return string(data), err
	}
	data, err := io.ReadAll(io.LimitReader(a.host.Stdin, most+1))
	if err != nil {
		return "", fault.New(fault.Unavailable, "stdin", "reading standard input: %w", err)
	}
	return string(data), nil // what is too long is said to be that
}

func (a *app) printSummary(s *judge.Summary) {
	a.out.printf("%s\n", safe(s.Summary))
	for _, f := range s.Flags {
		text := safe(string(f))
		if !f.Operational() {
			text = a.out.red(text)
		}
		a.out.printf("  flag  %s\n", text)
	}
}

// verdictOf is the exit code of a summary, the same in both forms.
func verdictOf(s *judge.Summary) error {
	words := make([]string, len(s.Flags))
	for i, f := range s.Flags {
		words[i] = string(f)
	}
	switch {
	case slices.Contains(s.Flags, judge.FlagDisabled):
		return fault.New(fault.Unavailable, string(judge.FlagDisabled), "no model is configured, so nobody can tell").
			Hint("set %s, %s and %s, as docs/judge.md says", judge.EnvKind, judge.EnvURL, judge.EnvModel)
	case !s.Told():
		for _, f := range s.Flags {
			if f.Operational() {
				return fault.New(fault.Unavailable, string(f), "the model could not tell, so the text counts as suspicious")
			}
		}
		return fault.New(fault.Unavailable, string(judge.FlagError), "there is no summary, so the text counts as suspicious")
	case len(s.Flags) > 0:
		return fault.New(fault.Findings, "flagged", "the text is flagged: %s", strings.Join(words, ", "))
	}
	return nil
}
