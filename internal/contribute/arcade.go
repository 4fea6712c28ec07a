package contribute

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// ArcadeImport says how definitions are imported.
type ArcadeImport struct {
	Out       string       // the folder of a registry's sources; "" writes nothing
	Version   spec.Version // of definitions whose toolkit has none that a registry can have; "" gives none
	AllowLoss bool         // write even what loses what protects a person
}

// Imported is what became of one definition.
type Imported struct {
	File     string          `json:"file"`
	Line     int             `json:"line"`
	Edition  string          `json:"edition,omitempty"`
	FQN      string          `json:"fully_qualified_name,omitempty"`
	Name     spec.Name       `json:"name,omitempty"`
	Version  spec.Version    `json:"version,omitempty"`
	Path     string          `json:"path,omitempty"` // in the folder, of what may be written
	Written  bool            `json:"written"`
	Losses   []manifest.Loss `json:"losses"`
	Findings []spec.Finding  `json:"findings"`
	Refused  error           `json:"-"` // why it is not written
	Reason   string          `json:"refused,omitempty"`
}

// importSuffixes are the names of files that a folder is looked through for.
var importSuffixes = []string{".json", ".jsonl", ".ndjson"}

// ImportArcade reads all definitions of a file, or of the files of a folder, and
// writes each in the specified edition to where a registry has its sources. What
// cannot be published is refused by itself and keeps nothing else from being
// written. A file of a folder that holds no definition is passed over; each, of each
// definition, in the order of the files.
//
// The error is of a file or folder that cannot be read or written, Findings
// "no_definition" of a file without one.
func ImportArcade(from string, o ArcadeImport, each func(Imported) error) error {
	files, folder, err := importFiles(from)
	if err != nil {
		return err
	}
	in := &arcadeImport{ArcadeImport: o, taken: map[spec.Name]string{}, paths: map[string][]byte{}}
	if o.Out != "" {
		root, err := durable.OpenRoot(o.Out)
		if err != nil {
			return err
		}
		defer func() { _ = root.Close() }()
		in.root = root
	}
	found := 0
	for _, file := range files {
		data, err := durable.ReadFile(file, limits.ArcadeFile)
		if errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.NotFound, "no_file", "there is no file %s", spec.Quote(file))
		}
		if err != nil {
			return err
		}
		all, err := manifest.ReadArcade(filepath.Base(file), data)
		if errors.Is(err, manifest.ErrNoDefinition) && folder {
			continue
		}
		if err != nil {
			return fault.New(fault.Findings, "no_definition", "read %s: %w", spec.Quote(file), err)
		}
		for i := range all {
			found++
			one := in.one(file, &all[i])
			if one.Refused != nil {
				one.Reason = fault.ReasonOf(one.Refused)
			}
			if err := each(one); err != nil {
				return err
			}
		}
	}
	if found == 0 {
		return fault.New(fault.Findings, "no_definition", "%s holds no Arcade definition", spec.Quote(from))
	}
	return nil
}

// importFiles are the files to read: the one that is named, or those of a folder,
// without hidden ones and links.
func importFiles(from string) (files []string, folder bool, err error) {
	err = filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && p == from:
			return fault.New(fault.NotFound, "no_file", "there is no file %s", spec.Quote(from))
		case err != nil:
			return durable.Classify("read", p, err)
		case p == from && d.IsDir():
			folder = true
		case p == from: // whatever it is called
			files = append(files, p)
		case strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && slices.Contains(importSuffixes, strings.ToLower(filepath.Ext(p))):
			files = append(files, p)
		}
		return nil
	})
	return files, folder, err
}

// arcadeImport is one import.
type arcadeImport struct {
	ArcadeImport

	root  *durable.Root
	taken map[spec.Name]string // qualified name in lower case that has the name
	paths map[string][]byte    // what this import has for a path
}

func (in *arcadeImport) one(file string, d *manifest.ArcadeDefinition) Imported {
	got := Imported{File: file, Line: d.Line, Losses: d.Losses, Findings: d.Findings}
	if d.Arcade == nil {
		got.Refused = fault.New(fault.Findings, "manifest", "%s:%d is no definition that can be read", spec.Quote(file), d.Line)
		return got.whole()
	}
	got.Edition, got.FQN = d.Arcade.Edition, d.Arcade.FQN
	if in.Version != "" && d.Tool.Version == "" {
		d.SetVersion(in.Version)
		got.Losses = d.Losses
	}
	data, findings := d.Publishable()
	got.Name, got.Version, got.Findings = d.Tool.Name, d.Tool.Version, union(got.Findings, findings)
	switch {
	case data == nil || spec.Blocking(findings) || got.Name == "" || got.Version == "":
		got.Refused = fault.New(fault.Findings, "manifest", "%s cannot be published as it is", spec.Quote(got.FQN))
	default:
		got.Refused = manifest.Refused(d.Losses, in.AllowLoss)
	}
	if got.Refused == nil {
		got.Refused = in.write(&got, data)
	}
	return got.whole()
}

// union are the findings of both readings, each once: the strict one's where both
// have it.
func union(lenient, strict []spec.Finding) []spec.Finding {
	out := slices.DeleteFunc(slices.Clone(lenient), func(f spec.Finding) bool {
		return slices.ContainsFunc(strict, func(o spec.Finding) bool { return o.ID == f.ID && o.Message == f.Message })
	})
	return append(out, strict...)
}

// whole makes lists that JSON shows as lists.
func (i Imported) whole() Imported {
	if i.Losses == nil {
		i.Losses = []manifest.Loss{}
	}
	if i.Findings == nil {
		i.Findings = []spec.Finding{}
	}
	return i
}

// write puts the definition where a registry looks for it. A version that is there
// with other bytes is another release, and no import changes a release.
func (in *arcadeImport) write(got *Imported, data []byte) error {
	qualified, _ := manifest.ArcadeFQN(strings.ToLower(got.FQN))
	if other := in.taken[got.Name]; other != "" && other != qualified {
		return fault.New(fault.Findings, "name_taken", "%s and %s have one name in a registry, %s", spec.Quote(other), spec.Quote(qualified), got.Name)
	}
	got.Path = path.Join("tools", got.Name.Shard(), string(got.Name), string(got.Version), spec.FormatArcade.MainFile())
	if before, ok := in.paths[got.Path]; ok && !bytes.Equal(before, data) {
		return differs(got)
	}
	if in.root != nil {
		if err := in.root.Revise(got.Path, limits.ToolFile, 0o644, func(old []byte, err error) ([]byte, error) {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return data, nil
			case err != nil:
				return nil, err
			case !bytes.Equal(old, data):
				return nil, differs(got)
			}
			return nil, nil // it is there
		}); err != nil {
			return err
		}
		got.Written = true
	}
	in.taken[got.Name], in.paths[got.Path] = qualified, data
	return nil
}

func differs(got *Imported) error {
	return fault.New(fault.Findings, "version_exists", "%s@%s is there already with other content", got.Name, got.Version).
		Hint("a version never changes: give the toolkit another one")
}
