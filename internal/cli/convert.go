package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/convert"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// serverFormat is the one source that is no format of a registry.
const serverFormat = "server.json"

type convertFlags struct {
	to, from, out string
	o             convert.Options
}

func (a *app) convertCommand() *cobra.Command {
	var f convertFlags
	c := &cobra.Command{
		Use:   "convert file|name --to format",
		Short: "Write a manifest in another format, and tell what is lost",
		Long: `Write what a file or an installed tool says in another format, to standard output or
into a file or folder. What the other format cannot say is listed on standard error, or
with --json in the answer: dropped, approximated, or synthesised because the format asks
for it. Where that concerns taint, confirmation, the network or secrets nothing is
written, unless --allow-loss is given.

  patch      tool.py of this registry       mcp        what an MCP server lists
  install    Agent Tool Install Manifest    openai     functions of OpenAI's API
  skill      SKILL.md                       anthropic  tools of Anthropic's API
  arcade     Arcade tool definition         pep723     a script with its dependencies

A manifest of the same format comes back byte for byte. An install manifest says where
the code comes from, which files don't: --repository and --commit, or --url. The source
may also be a server.json of the MCP registry, which --from tells where its name doesn't.`,
		Example: `  patch-git convert tool.py --to openai
  patch-git convert csv_to_json --to skill -o ./skills/csv-to-json
  patch-git convert tool.py --to install --repository https://git.example/tools --commit 2a4f…
  patch-git convert server.json --to install --json | jq .losses`,
		Args: exactly("file or name"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(c *cobra.Command, args []string) error { return a.convert(c.Context(), &f, args[0]) },
	}
	fl := c.Flags()
	fl.StringVar(&f.to, "to", "", "the `format` to write")
	fl.StringVar(&f.from, "from", "", "the `format` of the file, where its name doesn't tell: patch, install, skill, arcade or server.json")
	fl.StringVarP(&f.out, "output", "o", "", "write into this new file, or folder for a skill and where there are several files")
	fl.StringVar(&f.o.Repository, "repository", "", "git `URL` that the code lies at (for --to install)")
	fl.StringVar(&f.o.Commit, "commit", "", "the whole `SHA` of the commit there")
	fl.StringVar(&f.o.Subpath, "subpath", "", "the `folder` in the repository")
	fl.StringVar(&f.o.URL, "url", "", "`URL` of the main file alone (for --to install)")
	fl.BoolVar(&f.o.AllowLoss, "allow-loss", false, "write it although it loses what protects a person")
	formats := make([]string, 0, len(convert.Targets()))
	for _, t := range convert.Targets() {
		formats = append(formats, string(t))
	}
	_ = c.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("from", cobra.FixedCompletions([]string{"patch", "install", "skill", "arcade", serverFormat}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// converted is the JSON answer.
type converted struct {
	Schema int             `json:"schema"`
	From   string          `json:"from"`
	To     convert.Target  `json:"to"`
	Files  []convertedFile `json:"files"` // none where the losses are refused
	Losses []manifest.Loss `json:"losses"`
}

type convertedFile struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (a *app) convert(ctx context.Context, f *convertFlags, what string) error {
	if f.to == "" {
		return usage("--to is missing").Hint("patch-git convert %s --to openai", what)
	}
	from, r, err := a.converting(ctx, f, what)
	if r == nil {
		return err
	}
	refused := err
	answer := converted{Schema: 1, From: from, To: convert.Target(f.to), Files: []convertedFile{}, Losses: r.Losses}
	if answer.Losses == nil {
		answer.Losses = []manifest.Loss{}
	}
	if refused == nil && f.out != "" {
		if err := a.writeConverted(f.out, r.Files); err != nil {
			return err
		}
	}
	a.sayLosses(r.Losses)
	switch {
	case a.json:
		if refused == nil {
			for _, file := range r.Files {
				answer.Files = append(answer.Files, convertedFile{file.Path, string(file.Data)})
			}
		}
		if err := a.out.document(answer); err != nil {
			return err
		}
	case refused == nil && f.out == "" && len(r.Files) > 1:
		return usage("%s becomes %d files", spec.Quote(what), len(r.Files)).Hint("patch-git convert %s --to %s -o FOLDER", what, f.to)
	case refused == nil && f.out != "":
		a.out.say("wrote %s", pathOf(f.out))
	case refused == nil:
		a.out.printf("%s", r.Files[0].Data)
	}
	return refused
}

// converting reads what is named and converts it. Beside a refusal of losses
// stands the result.
func (a *app) converting(ctx context.Context, f *convertFlags, what string) (from string, r *convert.Result, err error) {
	to := convert.Target(f.to)
	name := filepath.Base(what)
	if f.from == "" && name != serverFormat {
		doc, files, err := a.documentOf(ctx, what)
		if err != nil {
			return "", nil, err
		}
		r, err = convert.To(doc, files, to, f.o)
		return string(doc.Tool.Format), r, err
	}
	data, err := a.fileOf(what)
	if err != nil {
		return "", nil, err
	}
	if f.from == "" || f.from == serverFormat {
		if to != convert.Install {
			return "", nil, usage("a server.json becomes an install manifest, and nothing else at once").Hint("patch-git convert %s --to install", what)
		}
		r, err = convert.FromServer(data, f.o)
		return serverFormat, r, err
	}
	if name = spec.Format(f.from).MainFile(); name == "" {
		return "", nil, usage("%s is no format to convert from", spec.Quote(f.from)).Hint("one of patch, install, skill, arcade, %s", serverFormat)
	}
	doc, files, err := a.ownDocument(name, what, data)
	if err != nil {
		return "", nil, err
	}
	r, err = convert.To(doc, files, to, f.o)
	return string(doc.Tool.Format), r, err
}

// writeConverted writes one file, or a folder, neither of which is there yet. A skill is
// a folder whatever it holds, but where the name of the file is that of its main file.
func (a *app) writeConverted(out string, files []spec.File) error {
	to := a.path(out)
	skill := files[0].Path == spec.FormatSkill.MainFile() && filepath.Base(to) != files[0].Path
	if len(files) == 1 && !skill && !strings.HasSuffix(out, string(filepath.Separator)) {
		if _, err := durable.ReadFile(to, 1); !errors.Is(err, os.ErrNotExist) {
			return usage("%s exists already", spec.Quote(out)).Hint("choose another file with --output")
		}
		return durable.WriteFile(to, files[0].Data, 0o644)
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return fault.New(fault.Usage, "output", "the folder %s cannot be made: %w", spec.Quote(out), err).Hint("give a folder that is not there yet")
	}
	root, err := durable.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return root.WriteFiles(files, 0o644)
}
