package cli

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) newCommand() *cobra.Command {
	var out, description, from string
	c := &cobra.Command{
		Use:   "new name",
		Short: "Write a new tool to start from",
		Long: `Write a new tool: a small one to change, or with --from one that is made of a
function you have. Its parameters, annotations, defaults and docstring become the
manifest; the script block (PEP 723) beside it, which packages and which Python it
needs. The file is parsed in the sandbox and never executed. What the source does
not tell stands as a QUESTION in the manifest.`,
		Example: `  patch-git new word_count
  patch-git new word_count --description "Count the words of a text."
  patch-git new csv_to_json --from convert.py:to_json
  patch-git new fetch_page --from script.py`,
		Args: exactly("name"), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			name, err := spec.ParseName(args[0])
			if err != nil {
				return usage("%w", err).Hint("a name looks like csv_to_json")
			}
			path := a.pathOr(out)
			if path == "" {
				path = a.path(string(name) + ".py")
			}
			if _, err := durable.ReadFile(path, 1); !errors.Is(err, fs.ErrNotExist) {
				return usage("%s exists already", spec.Quote(path)).Hint("choose another file with --output")
			}
			made := &contribute.Derived{Source: contribute.Template(name, description)}
			if from != "" {
				if made, err = a.derive(c.Context(), name, description, from); err != nil {
					return err
				}
			}
			if err := durable.WriteFile(path, made.Source, 0o644); err != nil {
				return err
			}
			return a.written(path, made)
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "the file to write (default NAME.py)")
	c.Flags().StringVar(&description, "description", "", "what goes in and what comes out, in one sentence")
	c.Flags().StringVar(&from, "from", "", "the Python file to make it of, as file.py or file.py:function")
	return c
}

func (a *app) derive(ctx context.Context, name spec.Name, description, from string) (*contribute.Derived, error) {
	w, err := a.workshop()
	if err != nil {
		return nil, err
	}
	return w.Derive(ctx, name, description, a.path(from))
}

// written tells what was made, what it was made of, and what is left to answer.
func (a *app) written(path string, made *contribute.Derived) error {
	if a.json {
		doc := map[string]any{"schema": 1, "file": path}
		if made.Function != "" {
			doc["function"], doc["told"], doc["questions"] = made.Function, made.Told, made.Questions
		}
		return a.out.document(doc)
	}
	a.out.printf("wrote %s\n", safe(path))
	for _, t := range made.Told {
		a.out.say("note: %s", safe(t))
	}
	for _, q := range made.Questions {
		a.out.say("question: %s", safe(q))
	}
	a.out.say("next: patch-git check %s", safe(path))
	return nil
}
