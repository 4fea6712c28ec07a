package contribute

import (
	"cmp"
	"context"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Waiving is what a maintainer wants to let pass.
type Waiving struct {
	Rule     string
	Line     int    // 0 is every line
	File     string // of what a model found, "" is the main file
	Seen     string // what a model found, as the review says it; "" for other rules
	Reason   string
	Approver ledger.Owner
	Days     int // from today on
}

// Waived are waivers of a name and where they belong in a source tree.
type Waived struct {
	Path    string        `json:"path"`
	New     []spec.Waiver `json:"new"`
	Text    string        `json:"text"` // of the whole file
	Written bool          `json:"written"`
}

// Waive makes the waivers of the errors that a rule finds in a file or folder.
// With the folder of a registry it writes them there, beside those that have not
// ended; without one it only tells them. That they count is for a pull request
// to bring about.
func (w *Workshop) Waive(ctx context.Context, file, in string, o Waiving) (*Waived, error) {
	switch {
	case !quarantine.Waivable(o.Rule):
		return nil, fault.New(fault.Denied, "never_waived", "nobody may waive %s", spec.Quote(o.Rule)).Hint("patch-git check --explain %s", o.Rule)
	case o.Days < 1 || o.Days > limits.WaiverDays:
		return nil, fault.New(fault.Usage, "usage", "a waiver holds for 1 to %d days, not for %d", limits.WaiverDays, o.Days)
	}
	l := w.look(ctx, file, in)
	if l.Err != nil {
		return nil, l.Err
	}
	checked := l.Checked
	if checked.Tool == nil || checked.Tool.Name == "" || checked.Tool.Version == "" {
		return nil, fault.New(fault.Findings, "manifest", "the manifest is invalid, so there is nothing to waive").Hint("patch-git check %s", file)
	}
	found := checked.Findings
	said, byModel := quarantine.SaidByModel(o.Rule, cmp.Or(o.File, checked.Tool.Format.MainFile()), o.Line, o.Seen)
	switch {
	case byModel && (o.Seen == "" || o.Line == 0):
		return nil, fault.New(fault.Usage, "usage", "what a model found it may not find again").
			Hint("repeat what the review says: --line 12 --seen 'a model says that this …'")
	case !byModel && (o.Seen != "" || o.File != ""):
		return nil, fault.New(fault.Usage, "usage", "what is seen is for %s to find; --seen and --file are for what a model found", spec.Quote(o.Rule))
	case byModel:
		found = []spec.Finding{said}
	}
	name, today := checked.Tool.Name, w.host.Now().UTC()
	out := &Waived{Path: registry.WaiversPath(name)}
	r := &spec.Release{Ref: spec.Ref{Name: name, Version: checked.Tool.Version}, Files: checked.Files}
	for _, f := range found {
		one, ok := quarantine.WaiverFor(r, f)
		if !ok || !f.Blocks() || f.ID != o.Rule || o.Line > 0 && o.Line != f.Line {
			continue
		}
		one.Reason, one.Approver, one.ApproverID = o.Reason, o.Approver.Login, o.Approver.ID
		one.Since = spec.Day(today.Format(time.DateOnly))
		one.Until = spec.Day(today.AddDate(0, 0, o.Days).Format(time.DateOnly))
		out.New = append(out.New, one)
	}
	if out.New == nil {
		return nil, fault.New(fault.NotFound, "no_finding", "%s finds no error there that could be waived", o.Rule).Hint("patch-git check %s", file)
	}
	all := out.New
	var tree *registry.Tree
	var err error
	if in != "" {
		if tree, err = registry.OpenTree(in); err != nil {
			return nil, err
		}
		given, err := tree.Waivers(name)
		if err != nil {
			return nil, err
		}
		for _, one := range given {
			if until, err := one.Until.Time(); err == nil && today.Before(until.AddDate(0, 0, 1)) {
				all = append(all, one)
			}
		}
	}
	text := registry.EncodeWaivers(all)
	if _, err := registry.ParseWaivers(out.Path, text); err != nil {
		return nil, err
	}
	if out.Text = string(text); tree != nil {
		err, out.Written = tree.WriteWaivers(name, all), true
	}
	return out, err
}
