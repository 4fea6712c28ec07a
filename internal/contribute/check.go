package contribute

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

// Checked is the verdict over one proposed release.
type Checked struct {
	Tool     *spec.Tool         `json:"-"` // nil where the manifest is not readable
	Release  *spec.Release      `json:"-"`
	Report   *quarantine.Report `json:"-"`
	Files    []spec.File        `json:"-"` // as they were read
	File     string             `json:"file"`
	Findings []spec.Finding     `json:"findings"`
	Hints    []string           `json:"-"` // what to do where no interpreter could be asked
}

// OK tells whether a registry would take the release.
func (c *Checked) OK() bool {
	return c.Release != nil && c.Report != nil && c.Report.Passed() && !spec.Blocking(c.Findings)
}

// surroundings are what is known of the registry that a release is meant for;
// the zero value is nothing.
type surroundings struct {
	owner    string
	names    []quarantine.Existing
	previous []quarantine.Published
	waivers  []spec.Waiver  // that hold today
	unread   []spec.Finding // of the waivers
}

// CheckFile checks a main file, or a folder that is laid out like a version
// directory, without any registry around it.
func (w *Workshop) CheckFile(ctx context.Context, path string) (*Checked, error) {
	files, err := readRelease(path, w.Format)
	if err != nil {
		return nil, err
	}
	return w.check(ctx, path, files, surroundings{})
}

// formatOf tells the format of a single file: what the person says, its name, of
// JSON its members, and otherwise that of Python.
func formatOf(path string, data []byte, said spec.Format) spec.Format {
	if said != "" {
		return said
	}
	if named := spec.FormatOf(filepath.Base(path)); named != "" {
		return named
	}
	if strings.EqualFold(filepath.Ext(path), ".json") {
		return cmp.Or(manifest.Sniff(data), spec.FormatInstall) // whose schema says what is missing
	}
	return spec.FormatPatch
}

// readRelease reads the files of a proposed release. A single file becomes the
// main file of its format.
func readRelease(path string, format spec.Format) ([]spec.File, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "no_file", "there is no file %s", spec.Quote(path))
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, "file", "reading %s: %w", spec.Quote(path), err)
	}
	if !info.IsDir() && filepath.Base(path) == spec.FormatSkill.MainFile() {
		// A release of a skill is its folder; by itself the file asks for what lies beside it.
		return readRelease(filepath.Dir(path), format)
	}
	if !info.IsDir() {
		data, err := durable.ReadFile(path, limits.SourceScan)
		if err != nil {
			return nil, err
		}
		return []spec.File{{Path: formatOf(path, data, format).MainFile(), Data: data}}, nil
	}
	var files []spec.File
	left := int64(limits.SourceScan)
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return durable.Classify("read", p, err)
		}
		if len(files) >= limits.ReleaseFiles {
			return fault.New(fault.Findings, "files", "%s has more than %d files", spec.Quote(path), limits.ReleaseFiles)
		}
		rel, err := filepath.Rel(path, p)
		if err != nil {
			return err
		}
		data, err := durable.ReadFileNoFollow(p, left)
		if err != nil {
			return err
		}
		left -= int64(len(data))
		files = append(files, spec.File{Path: filepath.ToSlash(rel), Data: data})
		return nil
	})
	return files, err
}

// ruleNoVersion is the id of a skill without a version, of which the reader only takes note.
const ruleNoVersion = "MAN-844"

// versionless makes an error of the note: whoever reads a skill can do without its
// version, and a registry cannot.
func versionless(found []spec.Finding) {
	for i := range found {
		if found[i].ID == ruleNoVersion {
			found[i].Severity = spec.SeverityError
		}
	}
}

// check reads the manifest and asks every rule.
func (w *Workshop) check(ctx context.Context, shown string, files []spec.File, around surroundings) (*Checked, error) {
	out := &Checked{File: shown, Files: files}
	main, data, wrong := mainOf(files)
	if wrong != nil {
		wrong.File = shown
		out.Findings = []spec.Finding{*wrong}
		return out, nil
	}
	read := manifest.Read
	if w.AssertFormats {
		read = manifest.ReadAsserting
	}
	doc, findings := read(main, data, manifest.Strict)
	out.Findings = findings
	if doc == nil {
		return out, nil
	}
	out.Tool = &doc.Tool
	if doc.Tool.Name == "" || doc.Tool.Version == "" {
		versionless(out.Findings)
		return out, nil // the manifest says too little for the other rules
	}
	out.Release = &spec.Release{Ref: spec.Ref{Name: doc.Tool.Name, Version: doc.Tool.Version}, Tool: doc.Tool, Files: files}
	p := parser{w, cmp.Or(doc.Tool.Runtime.PythonVersion, quarantine.ScriptPython), len(doc.Tool.Runtime.Packages) > 0}
	go quarantine.Prepare() // while the interpreter looks at the file
	facts, factsErr := quarantine.Inspect(ctx, p, out.Release)
	scripts, _ := quarantine.InspectScripts(ctx, p, out.Release) // each has its own error
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	report := quarantine.Check(ctx, quarantine.Subject{
		Release: out.Release, Facts: facts, FactsErr: factsErr, Scripts: scripts,
		Owner: around.owner, Names: around.names, Previous: around.previous, Waivers: around.waivers,
	})
	out.Report, out.Hints = &report, fault.HintsOf(factsErr)
	out.Findings = append(append(out.Findings, report.Findings...), around.unread...)
	spec.SortFindings(out.Findings)
	return out, nil
}

// mainOf finds the one main file. None, or two of which a reader and a program
// could each take another for the release, is a finding.
func mainOf(files []spec.File) (main string, data []byte, wrong *spec.Finding) {
	formats := spec.MainFormats(files)
	if len(formats) != 1 {
		var names []string
		for _, f := range formats {
			names = append(names, f.MainFile())
		}
		wrong = &spec.Finding{
			ID: "GOV-003", Severity: spec.SeverityError, Message: "there are two main files: " + strings.Join(names, " and "),
			Fix: "publish them under names or versions of their own",
		}
		if len(formats) == 0 {
			wrong.Message = "there is no main file: tool.py, install.json, SKILL.md or arcade.json"
			wrong.Fix = "give the main file the name of its format, such as " + spec.FormatPatch.MainFile() + " of a Patch tool"
		}
		return "", nil, wrong
	}
	main = formats[0].MainFile()
	for _, f := range files {
		if f.Path == main {
			data = f.Data
		}
	}
	return main, data, nil
}
