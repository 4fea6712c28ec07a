package cli

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) arcadeCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "arcade",
		Short: "Read and write Arcade tool definitions",
		Long: `Bring Arcade tool definitions into a registry, and give tools of a registry to
Arcade as definitions. What is written is the specified edition (worker-http 1.0);
what one format cannot say of the other is listed and never silently left out.`,
		Example: `  patch-git arcade import tools.jsonl --out ./registry
  patch-git arcade export csv_to_json`,
		Args: noSuchCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.arcadeExport(), a.arcadeImport(), a.arcadeLogin(), a.arcadeLogout())
	return c
}

func (a *app) arcadeExport() *cobra.Command {
	var out string
	var allow bool
	c := &cobra.Command{
		Use:   "export name|file",
		Short: "Write a tool as an Arcade definition",
		Long: `Write an installed tool, or a file of your own, as an Arcade definition of the
specified edition. A definition is an interface without the code: a worker of
Arcade has to answer by it.

What is lost is listed on standard error, in the answer with --json. Where a loss
takes away what protects a person (what the tool says of untrusted text, of
confirmation or of the network), nothing is written without --allow-loss.`,
		Example: `  patch-git arcade export csv_to_json
  patch-git arcade export ./tool.py --output arcade.json
  patch-git arcade export send_mail --allow-loss --json | jq .losses`,
		Args: exactly("name|file"),
		RunE: func(c *cobra.Command, args []string) error {
			doc, _, err := a.documentOf(c.Context(), args[0])
			if err != nil {
				return err
			}
			definition, losses, err := manifest.ArcadeOf(doc)
			if err != nil {
				return err
			}
			if err := manifest.Refused(losses, allow); err != nil {
				a.sayLosses(losses)
				return err
			}
			data := doc.Raw // the same edition is the same bytes
			if definition.Edition != manifest.ArcadeSpecified || doc.Tool.Format != spec.FormatArcade {
				data = manifest.PrintArcade(definition)
			}
			return a.printExport(data, a.pathOr(out), losses)
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "the `file` to write (default standard output)")
	c.Flags().BoolVar(&allow, "allow-loss", false, "write even where what protects a person is lost")
	return c
}

func (a *app) printExport(data []byte, out string, losses []manifest.Loss) error {
	if out != "" {
		if _, err := durable.ReadFile(out, 1); !errors.Is(err, os.ErrNotExist) {
			return usage("%s exists already", spec.Quote(out)).Hint("choose another file with --output")
		}
		if err := durable.WriteFile(out, data, 0o644); err != nil {
			return err
		}
	}
	if a.json {
		if losses == nil {
			losses = []manifest.Loss{}
		}
		doc := map[string]any{"schema": 1, "losses": losses}
		if out != "" {
			doc["file"] = out
		} else {
			doc["definition"] = rawJSON(data)
		}
		return a.out.document(doc)
	}
	if out != "" {
		a.out.printf("wrote %s\n", safe(out))
	} else {
		a.out.printf("%s", data)
	}
	a.sayLosses(losses)
	return nil
}

// sayLosses lists what is lost, what protects a person first in the eye.
func (a *app) sayLosses(losses []manifest.Loss) {
	if a.wantsJSON() || a.quiet {
		return
	}
	for _, l := range losses {
		at := l.Path
		if at == "" {
			at = "/"
		}
		text := string(l.Kind) + " " + safe(at) + ": " + safe(l.Reason)
		if l.Security {
			text = "security: " + text
		}
		a.out.say("%s", oneLine(text))
	}
}
