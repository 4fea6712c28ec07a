package keyring

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// valuesFile and namesFile lie in the folder of [paths.Paths.Secrets].
const (
	valuesFile = "values.json"
	namesFile  = "names.json"
	lockFile   = ".lock"
	schema     = 1
)

// document is a file of this package: for each tool its names, and what is kept
// under them. The values of names.json are empty.
type document struct {
	Schema int                          `json:"schema"`
	Tools  map[string]map[string]string `json:"tools"`
}

// drawer is one such file. Writers hold the lock of its folder; a reader needs
// none, because each state is put there at once.
type drawer struct{ dir, file string }

func (d drawer) path() string { return filepath.Join(d.dir, d.file) }

// read returns the document; an absent one is empty. A file that others may read
// is refused before its content is believed: it may be known to them, or theirs.
func (d drawer) read() (document, error) {
	empty := document{Schema: schema, Tools: map[string]map[string]string{}}
	info, err := os.Lstat(d.path())
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err == nil {
		err = private(d.path(), info)
	}
	var data []byte
	if err == nil {
		data, err = durable.ReadFileNoFollow(d.path(), limits.SecretsFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return document{}, damaged(d.path(), err)
	}
	var doc document
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	// The decoder's own error may quote what it read, which is secret.
	if strict.Decode(&doc) != nil || strict.More() || doc.Schema != schema {
		return document{}, damaged(d.path(), errors.New("it is not what this program writes"))
	}
	if doc.Tools == nil {
		doc.Tools = empty.Tools
	}
	return doc, nil
}

func damaged(path string, err error) error {
	if fault.KindOf(err) == fault.Unavailable {
		return err
	}
	return fault.New(fault.NotVerified, "secrets_damaged", "secrets in %s: %w", spec.Quote(path), err).
		Hint("look at %s; without it each tool asks for its values again: patch-git configure", spec.Quote(path))
}

// change writes what edit makes of the document.
func (d drawer) change(ctx context.Context, edit func(map[string]map[string]string)) error {
	if err := durable.MkdirAll(d.dir); err != nil {
		return err
	}
	unlock, err := durable.Lock(ctx, filepath.Join(d.dir, lockFile), limits.LockWait)
	if err != nil {
		return err
	}
	defer unlock()
	doc, err := d.read()
	if err != nil {
		return err
	}
	edit(doc.Tools)
	maps.DeleteFunc(doc.Tools, func(_ string, names map[string]string) bool { return len(names) == 0 })
	data, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	if len(data) >= limits.SecretsFile {
		return fault.New(fault.Unavailable, "secrets_full", "all secrets together have more than %d bytes", limits.SecretsFile).
			Hint("patch-git list, and remove tools that you do not use")
	}
	return durable.WriteFile(d.path(), append(data, '\n'), 0o600)
}

func (d drawer) put(ctx context.Context, t Tool, name, value string) error {
	return d.change(ctx, func(tools map[string]map[string]string) {
		if tools[t.String()] == nil {
			tools[t.String()] = map[string]string{}
		}
		tools[t.String()][name] = value
	})
}

// take forgets a name. Where there is none nothing is written.
func (d drawer) take(ctx context.Context, t Tool, name string) error {
	doc, err := d.read()
	if _, there := doc.Tools[t.String()][name]; err != nil || !there {
		return err
	}
	return d.change(ctx, func(tools map[string]map[string]string) { delete(tools[t.String()], name) })
}

func (d drawer) names(t Tool) ([]string, error) {
	doc, err := d.read()
	return slices.Sorted(maps.Keys(doc.Tools[t.String()])), err
}

// fileStore keeps values in a file.
type fileStore struct{ drawer }

// File keeps secrets in values.json of a folder, which is made when it is first
// needed.
func File(dir string) Store { return fileStore{drawer{dir, valuesFile}} }

func (s fileStore) Kind() Kind { return KindFile }

func (s fileStore) Get(_ context.Context, t Tool, name string) (Secret, error) {
	if err := checkKey(t, name); err != nil {
		return Secret{}, err
	}
	doc, err := s.read()
	if err != nil {
		return Secret{}, err
	}
	value, there := doc.Tools[t.String()][name]
	if !there {
		return Secret{}, absent(t, name)
	}
	return NewSecret(value), nil
}

func (s fileStore) Set(ctx context.Context, t Tool, name string, v Secret) error {
	if err := checkKey(t, name); err != nil {
		return err
	}
	if err := checkValue(name, v); err != nil {
		return err
	}
	if !utf8.ValidString(v.Reveal()) {
		return fault.New(fault.Usage, "bad_secret", "the value of %s is not UTF-8", name)
	}
	return s.put(ctx, t, name, v.Reveal())
}

func (s fileStore) Delete(ctx context.Context, t Tool, name string) error {
	if err := checkKey(t, name); err != nil {
		return err
	}
	return s.take(ctx, t, name)
}

func (s fileStore) Names(_ context.Context, t Tool) ([]string, error) { return s.names(t) }
