package registry

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// MetaPath is where tool.yaml of a name lies in a source tree.
func MetaPath(n spec.Name) string { return toolPath(n, treeMeta) }

// VersionPath is where a file of a version lies in a source tree.
func VersionPath(r spec.Ref, file string) string { return toolPath(r.Name, string(r.Version), file) }

// Yank says why a version is not to be resolved any more.
func (m *Meta) Yank(r spec.Ref, reason string) error {
	if err := checkReason(ledger.EventYank, r, reason); err != nil {
		return err
	}
	if m.Yanked == nil {
		m.Yanked = map[spec.Version]string{}
	}
	m.Yanked[r.Version] = reason
	return nil
}

// Unyank takes a yank back. One that there is not is no error.
func (m *Meta) Unyank(v spec.Version) { delete(m.Yanked, v) }

// Revoke says why a version must not run any more, which nothing takes back.
func (m *Meta) Revoke(r spec.Ref, reason string) error {
	if err := checkReason(ledger.EventRevoke, r, reason); err != nil {
		return err
	}
	if m.Revoked == nil {
		m.Revoked = map[spec.Version]string{}
	}
	m.Revoked[r.Version] = reason
	return nil
}

// Deprecate says why a tool n should not be begun with, and what to use
// instead, which may be nothing. No reason takes the deprecation back.
func (m *Meta) Deprecate(n spec.Name, reason string, instead spec.Name) error {
	if err := checkText("reason", reason); err != nil {
		return err
	}
	switch {
	case reason == "" && instead != "":
		return fault.New(fault.Usage, "reason", "%s names %s instead of it and no reason", n, instead)
	case instead == n:
		return fault.New(fault.Usage, "replaced_by", "%s cannot be replaced by itself", n)
	}
	m.Deprecated, m.ReplacedBy = reason, instead
	return nil
}

// Transfer gives a tool n to other owners.
func (m *Meta) Transfer(n spec.Name, owners []ledger.Owner) error {
	if err := checkOwners(n, owners); err != nil {
		return err
	}
	for i, o := range owners {
		if slices.ContainsFunc(owners[:i], func(p ledger.Owner) bool { return p.ID == o.ID && (o.ID != 0 || p.Login == o.Login) }) {
			return fault.New(fault.Usage, "owners", "%s would have the owner %s twice", n, spec.Quote(o.Login))
		}
	}
	m.Owners = slices.Clone(owners)
	return nil
}

// Amend edits tool.yaml of a tool. The tree must have the version that the
// reference names; without one it must have any.
func (t *Tree) Amend(r spec.Ref, edit func(*Meta) error) error {
	versions, _, err := t.Versions(r.Name)
	if err != nil {
		return err
	}
	switch {
	case len(versions) == 0 && r.Version == "":
		return fault.New(fault.NotFound, "no_tool", "the registry has no %s", r.Name)
	case r.Version != "" && !slices.Contains(versions, r.Version):
		return fault.New(fault.NotFound, "no_version", "the registry has no %s", r.At())
	}
	// Two edits at once would lose one of them.
	unlock, err := durable.Lock(context.Background(), filepath.Join(t.dir, treeLock), limits.LockWait)
	if err != nil {
		return err
	}
	defer unlock()
	m, err := t.Meta(r.Name)
	if err != nil {
		return err
	}
	if len(m.Owners) == 0 {
		return fault.New(fault.Findings, "yaml", "%s names no owner", MetaPath(r.Name)).
			Hint("restore the file from the history of the registry")
	}
	if err := edit(&m); err != nil {
		return err
	}
	return t.writeMeta(r.Name, m)
}
