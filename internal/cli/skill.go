package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/skillplan"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

func (a *app) skillCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "skill",
		Short: "Check skills, plan their runs, and put them where AI hosts look",
		Long: `A skill is a folder with a SKILL.md, which a model reads. patch-git checks what it
declares, plans a run before anything happens, and installs it for AI hosts.`,
		Example: `  patch-git skill check ./work-log
  patch-git skill run-plan ./work-log --input day=2026-11-22
  patch-git skill install work-log --to claude-code --project`,
		Args: noSuchCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.skillCheck(), a.skillRunPlan(), a.skillInstall(), a.skillRemove())
	return c
}

// skillFolder is a skill that lies in a folder.
type skillFolder struct {
	root     string // absolute
	shown    string // its SKILL.md as a person finds it
	data     []byte
	doc      *manifest.Document
	findings []spec.Finding
}

// readSkill reads the SKILL.md of a folder, or the file itself. That there is none is
// of kind NotFound: the first of the eight rules [SK-39].
func (a *app) readSkill(arg string, mode manifest.Mode) (*skillFolder, error) {
	at := a.path(arg)
	info, err := os.Stat(at)
	missing := func() error {
		return fault.New(fault.NotFound, "no_skill", "there is no skill in %s", spec.Quote(arg)).Hint("a skill is a folder with a file SKILL.md")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing()
	}
	if err != nil {
		return nil, durable.Classify("read", at, err)
	}
	shown := arg
	if info.IsDir() {
		name := ""
		entries, err := os.ReadDir(at)
		if err != nil {
			return nil, durable.Classify("read", at, err)
		}
		for _, e := range entries {
			if e.Name() == spec.FormatSkill.MainFile() || name == "" && strings.EqualFold(e.Name(), spec.FormatSkill.MainFile()) {
				name = e.Name()
			}
		}
		if name == "" {
			return nil, missing()
		}
		at, shown = filepath.Join(at, name), filepath.Join(arg, name)
	}
	if !strings.EqualFold(filepath.Base(at), spec.FormatSkill.MainFile()) {
		return nil, usage("%s is not called %s", spec.Quote(arg), spec.FormatSkill.MainFile())
	}
	data, err := durable.ReadFile(at, limits.SourceScan)
	if err != nil {
		return nil, err
	}
	s := &skillFolder{root: filepath.Dir(at), shown: shown, data: data}
	s.doc, s.findings = manifest.Read(filepath.ToSlash(at), data, mode)
	for i := range s.findings {
		s.findings[i].File = shown
	}
	return s, nil
}

// files are all files of the folder, as a release would have them.
func (s *skillFolder) files() ([]spec.File, error) {
	var files []spec.File
	left := int64(limits.ReleaseBytes)
	err := filepath.WalkDir(s.root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return durable.Classify("read", at, err)
		}
		if d.IsDir() {
			if at != s.root && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasPrefix(d.Name(), ".") {
			return nil
		}
		if len(files) >= limits.ReleaseFiles {
			return fault.New(fault.Denied, "too_large", "%s has more than %d files", spec.Quote(s.root), limits.ReleaseFiles)
		}
		rel, err := filepath.Rel(s.root, at)
		if err != nil {
			return err
		}
		data, err := durable.ReadFileNoFollow(at, left)
		if err != nil {
			return err
		}
		if rel = filepath.ToSlash(rel); strings.EqualFold(rel, spec.FormatSkill.MainFile()) {
			rel = spec.FormatSkill.MainFile()
		}
		left -= int64(len(data))
		files = append(files, spec.File{Path: rel, Data: data})
		return nil
	})
	return files, err
}

// releasedSkill is a skill of a registry, installed here and verified again from its
// own evidence.
func (a *app) releasedSkill(ctx context.Context, arg string) (verify.Verified, error) {
	name, version, versioned := strings.Cut(arg, "@")
	text := strings.ReplaceAll(name, "-", "_")
	if versioned {
		text += "@" + version
	}
	ref, err := spec.ParseRef(text)
	if err != nil {
		return verify.Verified{}, usage("%s is neither a folder nor the name of a skill: %w", spec.Quote(arg), err)
	}
	client, err := a.client()
	if err != nil {
		return verify.Verified{}, err
	}
	v, _, err := client.Check(ctx, ref)
	if err != nil {
		return v, err
	}
	if v.Tool().Format != spec.FormatSkill {
		return v, usage("%s is no skill, its format is %s", ref.Name, v.Tool().Format).Hint("patch-git info %s", ref.Name)
	}
	return v, nil
}

// isFolder tells whether an argument means a place on the disk and not a name.
func (a *app) isFolder(arg string) bool {
	if arg == "." || arg == ".." || strings.ContainsAny(arg, `/\`) || strings.EqualFold(arg, spec.FormatSkill.MainFile()) {
		return true
	}
	info, err := os.Stat(a.path(arg))
	return err == nil && info.IsDir()
}

// releaseFiles are the verified files of a release that its author wrote, without what
// the registry adds to them.
func releaseFiles(v verify.Verified) []spec.File {
	var out []spec.File
	for _, f := range v.Document().Files {
		switch f.Path {
		case ledger.ReportFileName, ledger.ClosureFileName, ledger.PylockFileName:
			continue
		}
		out = append(out, spec.File{Path: f.Path, Data: v.File(f.Path)})
	}
	return out
}

// given reads NAME=VALUE.
func given(flag string, all []string) ([]skillplan.Given, error) {
	var out []skillplan.Given
	for _, one := range all {
		name, value, ok := strings.Cut(one, "=")
		if !ok || name == "" {
			return nil, usage("--%s takes NAME=VALUE", flag)
		}
		out = append(out, skillplan.Given{Name: name, Value: value})
	}
	return out, nil
}

// unreadable is the error of a skill that cannot be used.
func (s *skillFolder) unreadable() error {
	n := 0
	for _, f := range s.findings {
		if f.Blocks() {
			n++
		}
	}
	return fault.New(fault.Findings, "findings", "%s has %d problem(s)", spec.Quote(s.shown), n).Hint("patch-git skill check %s", spec.Quote(s.root))
}

func (s *skillFolder) ok() bool {
	return s.doc != nil && !slices.ContainsFunc(s.findings, spec.Finding.Blocks)
}
