package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) arcadeImport() *cobra.Command {
	var out, version string
	var o contribute.ArcadeImport
	c := &cobra.Command{
		Use:   "import file|folder",
		Short: "Write Arcade definitions where a registry has its sources",
		Long: `Read Arcade definitions and write each as arcade.json of the specified edition
below tools/ of a folder. A file may hold one definition, JSON Lines, an array, a
page of the engine's API or a toolkit of the documentation; of a folder every .json,
.jsonl and .ndjson file is read. Each definition is read as the edition that it is
of (specified, preview, sdk, engine, docs), and what the specified one cannot say is
listed. One that is of it already is written byte for byte.

The name in a registry is made of toolkit and tool: Github.CreateIssue becomes
github_create_issue. Without --out nothing is written. The exit code is 3 where a
definition cannot be published; the others are written all the same.`,
		Example: `  patch-git arcade import tools.jsonl
  patch-git arcade import toolkits/ --out ./registry
  patch-git arcade import sdk.json --version 1.0.0 --out ./registry --json`,
		Args: exactly("file|folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			if version != "" {
				v, err := spec.ParseVersion(version)
				if err != nil {
					return usage("%w", err)
				}
				o.Version = v
			}
			o.Out = a.pathOr(out)
			return a.importArcade(args[0], o)
		},
	}
	c.Flags().StringVar(&out, "out", "", "the `folder` of a registry's sources")
	c.Flags().StringVar(&version, "version", "", "the version of definitions whose toolkit has none")
	c.Flags().BoolVar(&o.AllowLoss, "allow-loss", false, "write even where what protects a person is lost")
	_ = c.MarkFlagDirname("out")
	return c
}

func (a *app) importArcade(from string, o contribute.ArcadeImport) error {
	all, refused := []contribute.Imported{}, 0
	editions := map[string]int{}
	lost := map[string]int{}
	err := contribute.ImportArcade(a.path(from), o, func(one contribute.Imported) error {
		if rel, err := filepath.Rel(a.path(from), one.File); err == nil { // as the person wrote it
			one.File = filepath.Join(from, rel)
		}
		for i := range one.Findings {
			one.Findings[i].File = one.File
		}
		if one.Refused != nil {
			refused++
		}
		if one.Edition != "" {
			editions[one.Edition]++
		}
		for _, l := range one.Losses {
			lost[lossLine(l)]++
		}
		if a.json {
			all = append(all, one)
			return nil
		}
		a.printImported(&one)
		return nil
	})
	if err != nil {
		return err
	}
	if a.json {
		if err := a.out.document(map[string]any{"schema": 1, "ok": refused == 0, "editions": editions, "definitions": all}); err != nil {
			return err
		}
	} else if !a.quiet {
		for _, e := range slices.Sorted(maps.Keys(editions)) {
			a.out.say("%d of the %s edition", editions[e], e)
		}
		for _, l := range slices.Sorted(maps.Keys(lost)) {
			a.out.say("%s (%d times)", l, lost[l])
		}
	}
	if refused > 0 {
		return fault.New(fault.Findings, "findings", "%d definition(s) cannot be published", refused)
	}
	return nil
}

// lossLine is a loss as it is counted: the places of a thousand are no help.
func lossLine(l manifest.Loss) string {
	text := string(l.Kind) + ": " + safe(l.Reason)
	if l.Security {
		text = "security: " + text
	}
	return oneLine(text)
}

func (a *app) printImported(one *contribute.Imported) {
	at := fmt.Sprintf("%s:%d", pathOf(one.File), one.Line)
	if one.Refused != nil {
		a.out.printf("%s %s: %s\n", a.out.red("refused"), safe(at), safe(one.Refused.Error()))
		a.printFindings(one.File, slices.DeleteFunc(slices.Clone(one.Findings), func(f spec.Finding) bool { return f.Severity != spec.SeverityError }), nil)
		for _, h := range fault.HintsOf(one.Refused) {
			a.out.printf("  hint: %s\n", safe(h))
		}
		return
	}
	verb := "reads"
	if one.Written {
		verb = "wrote"
	}
	a.out.printf("%s %s (%s, %d lost)\n", verb, safe(one.Path), one.Edition, len(one.Losses))
}

// rawJSON is a document inside of another.
func rawJSON(data []byte) json.RawMessage { return json.RawMessage(data) }
