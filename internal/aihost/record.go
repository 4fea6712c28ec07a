package aihost

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// record says what a file was before we changed it, and what it is since, so that
// it can be given back byte for byte. It and the copy beside it are ours.
type record struct {
	Schema int         `json:"schema"`
	File   string      `json:"file"`
	There  bool        `json:"there"`           // before
	Before spec.Digest `json:"before,omitzero"` // of the copy
	After  spec.Digest `json:"after"`
	// Clean says that nothing of ours was in it before.
	Clean bool `json:"clean"`
}

// base is where the record of a file and the copy lie, but for what they end with.
func base(h *host.Host, s Setting, real string) string {
	return filepath.Join(h.Paths.Hosts(), string(s.Host)+"-"+spec.DigestOf([]byte(real)).Hex()[:16])
}

// lastRecord is the record of a file, if it is of what the file is now and the copy
// is what it says; nil otherwise.
func lastRecord(base string, f file) (*record, string) {
	data, err := durable.ReadFileNoFollow(base+".json", limits.Document)
	var r record
	if err != nil || json.Unmarshal(data, &r) != nil || r.File != f.real || r.After != spec.DigestOf([]byte(f.text)) || !f.there {
		return nil, ""
	}
	if !r.There {
		return &r, ""
	}
	before, err := durable.ReadFileNoFollow(base+".before", limits.HostFile)
	if err != nil || spec.DigestOf(before) != r.Before {
		return nil, ""
	}
	return &r, string(before)
}

// write keeps a copy of what is there and replaces the file.
func (s Setting) write(h *host.Host, f file, w work, after string, undo bool, d *Done) error {
	base := base(h, s, f.real)
	last, before := lastRecord(base, f)
	if undo && last != nil && last.Clean {
		d.Restored, d.Gone = true, !last.There
		text := &before
		if !last.There {
			text = nil
		}
		if err := f.replace(text); err != nil {
			return err
		}
		return forget(base)
	}
	if last == nil || !last.Clean { // else the copy is of what was there before all of ours
		last = &record{Schema: 1, File: f.real, There: f.there}
		if f.there {
			if err := durable.WriteFile(base+".before", []byte(f.text), 0o600); err != nil {
				return err
			}
			last.Before = spec.DigestOf([]byte(f.text))
		}
		steps, _, err := w.drop(f.text)
		last.Clean = err == nil && len(steps) == 0
	}
	if last.There {
		d.Backup = base + ".before"
	}
	last.After = spec.DigestOf([]byte(after))
	data, err := json.Marshal(last)
	if err != nil {
		return err
	}
	// The record comes first. Where the write after it fails it is of no file that
	// there is, and so says nothing.
	if err := durable.WriteFile(base+".json", append(data, '\n'), 0o600); err != nil {
		return err
	}
	return f.replace(&after)
}

func forget(base string) error {
	for _, end := range []string{".json", ".before"} {
		if err := os.Remove(base + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return durable.Classify("remove", base+end, err)
		}
	}
	return nil
}

// present tells whether there is a file.
func present(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
