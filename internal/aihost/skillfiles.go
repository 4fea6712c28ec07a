package aihost

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Receipt is the file .patch-git.json in a folder that this program made. Without it
// a folder is somebody else's, and is neither replaced nor removed.
type Receipt struct {
	Schema   int                    `json:"schema"`
	Skill    string                 `json:"skill"` // also the folder's name
	Version  spec.Version           `json:"version,omitempty"`
	Registry spec.RegistryName      `json:"registry,omitempty"` // "" is a folder that nobody verified
	Files    map[string]spec.Digest `json:"files"`
}

const (
	receiptFile   = ".patch-git.json"
	receiptSchema = 1
	maxReceipt    = 256 * limits.KiB
	stagePrefix   = ".patch-git-new-"
	oldPrefix     = ".patch-git-old-"
)

// InstallSkill puts a skill into a place, as a folder of its name. What was there is
// replaced if this program made it and nobody changed it since. The folder is made
// beside its place and moved there whole; a host sees all of it or none.
func InstallSkill(p SkillPlace, r Receipt, files []spec.File) (replaced bool, err error) {
	r.Schema, r.Files = receiptSchema, map[string]spec.Digest{}
	total := 0
	for _, f := range files {
		if err := spec.CheckPath(f.Path); err != nil {
			return false, fault.New(fault.Denied, "bad_path", "%s: %w", spec.Quote(r.Skill), err)
		}
		r.Files[f.Path] = spec.DigestOf(f.Data)
		total += len(f.Data)
	}
	if len(files) > limits.ReleaseFiles || total > limits.ReleaseBytes {
		return false, fault.New(fault.Denied, "too_large", "the skill has %d files of %d bytes, allowed are %d and %d", len(files), total, limits.ReleaseFiles, limits.ReleaseBytes)
	}
	receipt, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return false, fault.New(fault.Internal, "receipt", "the receipt cannot be written: %w", err)
	}
	root, err := openPlace(p, true)
	if err != nil {
		return false, err
	}
	defer func() { _ = root.Close() }()
	if _, err := ownFolder(root, p, r.Skill, false); err == nil {
		replaced = true
	} else if fault.KindOf(err) != fault.NotFound {
		return false, err
	}
	word := strings.ToLower(rand.Text())
	stage, old := stagePrefix+word, oldPrefix+word
	defer func() { _ = root.RemoveAll(stage) }()
	for _, f := range append(slices.Clone(files), spec.File{Path: receiptFile, Data: append(receipt, '\n')}) {
		if err := stageFile(root, path.Join(stage, f.Path), f.Data); err != nil {
			return false, durable.Classify("write", p.Dir(), err)
		}
	}
	if replaced {
		if err := root.Rename(r.Skill, old); err != nil {
			return false, durable.Classify("replace", filepath.Join(p.Dir(), r.Skill), err)
		}
	}
	if err := root.Rename(stage, r.Skill); err != nil {
		if replaced { // what was there comes back
			_ = root.Rename(old, r.Skill)
		}
		return false, durable.Classify("install", filepath.Join(p.Dir(), r.Skill), err)
	}
	if replaced {
		_ = root.RemoveAll(old)
	}
	return replaced, durable.Classify("install", p.Dir(), durable.SyncDir(p.Dir()))
}

// stageFile writes one file. What says by its first line that it is a program can be
// run; releases carry no modes.
func stageFile(root *os.Root, name string, data []byte) error {
	perm := fs.FileMode(0o644)
	if bytes.HasPrefix(data, []byte("#!")) {
		perm = 0o755
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// RemoveSkill takes a skill out of a place: a folder that this program made, and that
// nobody changed since unless force says that it may go all the same.
func RemoveSkill(p SkillPlace, name string, force bool) (Receipt, error) {
	root, err := openPlace(p, false)
	if err != nil {
		return Receipt{}, err
	}
	defer func() { _ = root.Close() }()
	r, err := ownFolder(root, p, name, force)
	if err != nil {
		return Receipt{}, err
	}
	// Away from its place first, so that a host never sees half of it.
	old := oldPrefix + strings.ToLower(rand.Text())
	if err := root.Rename(name, old); err != nil {
		return Receipt{}, durable.Classify("remove", filepath.Join(p.Dir(), name), err)
	}
	return r, durable.Classify("remove", p.Dir(), root.RemoveAll(old))
}

// openPlace opens the folder of all skills.
func openPlace(p SkillPlace, create bool) (*os.Root, error) {
	if p.Scope == User {
		if create {
			if err := os.MkdirAll(p.Root, 0o755); err != nil {
				return nil, durable.Classify("make", p.Root, err)
			}
		}
		root, err := os.OpenRoot(p.Root)
		return root, missingPlace(p, err)
	}
	top, err := os.OpenRoot(p.Root)
	if err != nil {
		return nil, durable.Classify("open", p.Root, err)
	}
	defer func() { _ = top.Close() }()
	if create {
		err = top.MkdirAll(p.Below, 0o755)
	}
	var root *os.Root
	if err == nil {
		root, err = top.OpenRoot(p.Below)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Denied, "escapes", "%s is no folder, or a link in it leads out of the project", spec.Quote(p.Dir()))
	}
	return root, missingPlace(p, err)
}

func missingPlace(p SkillPlace, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "no_skill", "there are no skills in %s", spec.Quote(p.Dir()))
	}
	return durable.Classify("open", p.Dir(), err)
}

// ownFolder reads the receipt of a folder that is ours. It is of kind NotFound where
// nothing is there, and Denied where something is that this program did not make or
// that somebody changed.
func ownFolder(root *os.Root, p SkillPlace, name string, changed bool) (Receipt, error) {
	var r Receipt
	at := filepath.Join(p.Dir(), name)
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return r, fault.New(fault.NotFound, "no_skill", "there is no %s", spec.Quote(at))
	}
	if err != nil {
		return r, durable.Classify("look at", at, err)
	}
	foreign := func() error {
		return fault.New(fault.Denied, "not_ours", "%s was not made by this program, and stays as it is", spec.Quote(at)).Hint("move it away by hand")
	}
	if !info.IsDir() {
		return r, foreign()
	}
	data, err := readBounded(root, path.Join(name, receiptFile), maxReceipt)
	if err != nil || json.Unmarshal(data, &r) != nil || r.Schema != receiptSchema || r.Skill != name || len(r.Files) == 0 {
		return Receipt{}, foreign()
	}
	if changed {
		return r, nil
	}
	var touched []string
	seen := 0
	err = fs.WalkDir(root.FS(), name, func(at string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(at, name+"/")
		if err != nil || d.IsDir() || rel == receiptFile {
			return err
		}
		want, ours := r.Files[rel]
		if !ours || !d.Type().IsRegular() {
			touched = append(touched, rel)
			return nil
		}
		seen++
		data, err := readBounded(root, at, limits.ReleaseBytes)
		if err != nil || spec.DigestOf(data) != want {
			touched = append(touched, rel)
		}
		return nil
	})
	if err != nil {
		return r, durable.Classify("read", at, err)
	}
	if len(touched) > 0 || seen != len(r.Files) {
		return r, fault.New(fault.Denied, "changed", "%s was changed since it was installed (%s)", spec.Quote(at), spec.Quote(strings.Join(touched, ", "))).
			Hint("patch-git skill remove %s --from %s --%s --force", name, p.Host, p.Scope)
	}
	return r, nil
}

// readBounded reads a regular file of at most the given bytes.
func readBounded(root *os.Root, name string, most int64) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fs.ErrInvalid
	}
	return root.ReadFile(name)
}
