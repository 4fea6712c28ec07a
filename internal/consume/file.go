package consume

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// FileOptions say by what a file is verified.
type FileOptions struct {
	Bundle   string            // the evidence; "" looks beside the file
	Registry spec.RegistryName // "" is the one that the user trusts
}

// CheckFile verifies a tool's main file that lies anywhere, by the Sigstore
// bundle for it and what is pinned of its registry: offline, like [Client.Check].
func (c *Client) CheckFile(ctx context.Context, path string, o FileOptions) (*ledger.Acceptance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	pin, err := c.pinFor(o.Registry)
	if err != nil {
		return nil, err
	}
	main, err := durable.ReadFile(path, limits.ToolFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "no_file", "there is no file %s", spec.Quote(path))
	}
	if err != nil {
		return nil, err
	}
	evidence, err := evidenceOf(path, o.Bundle)
	if err != nil {
		return nil, err
	}
	last := lastHead(pin)
	a, err := pin.Policy().File(evidence, cmp.Or(spec.FormatOf(filepath.Base(path)), spec.FormatPatch), main)
	if err != nil {
		return nil, err
	}
	ref := spec.Ref{Name: a.Name, Version: a.Version, Digest: a.Release}
	head, err := last()
	if err != nil {
		return nil, err
	}
	if reason := head.RevokedReason(ref); reason != "" {
		return nil, revoked(ref, reason)
	}
	return a, nil
}

// pinFor returns the registry of that name, or the only one there is.
func (c *Client) pinFor(name spec.RegistryName) (toolbox.Pin, error) {
	if name != "" {
		return c.Box.Pin(name)
	}
	pins, err := c.Box.Pins()
	if err != nil {
		return toolbox.Pin{}, err
	}
	switch len(pins) {
	case 0:
		return toolbox.Pin{}, fault.New(fault.NotFound, "no_registry", "no registry is added, so nobody's word counts").
			Hint("patch-git registry add <path or URL>")
	case 1:
		return pins[0], nil
	}
	return toolbox.Pin{}, fault.New(fault.Usage, "registry", "%d registries are added; say which one accepted the file", len(pins)).
		Hint("patch-git verify --registry %s <file>", pins[0].Name)
}

// evidenceOf reads the bundle for a file: the one that is named, the one with
// the file's name before its own, or the one that lies beside the file where
// releases are published.
func evidenceOf(path, bundle string) ([]byte, error) {
	places := []string{path + ".sigstore.json", filepath.Join(filepath.Dir(path), ledger.EvidenceFileName)}
	if bundle != "" {
		places = []string{bundle}
	}
	for _, p := range places {
		data, err := durable.ReadFile(p, limits.Bundle)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if fault.KindOf(err) == fault.Findings {
			err = fault.New(fault.NotVerified, string(verify.ReasonBundle), "evidence %s: %w", spec.Quote(p), err)
		}
		return data, err
	}
	if bundle != "" {
		return nil, fault.New(fault.NotFound, "no_file", "there is no file %s", spec.Quote(bundle))
	}
	return nil, fault.New(fault.NotFound, "no_evidence", "there is no evidence for %s", spec.Quote(path)).
		Hint("name it with --bundle")
}
