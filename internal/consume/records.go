package consume

import (
	"context"

	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Record returns what a registry says of a name, verified: a record without
// versions where the registry proves that it never had the name.
func (c *Client) Record(ctx context.Context, in spec.RegistryName, name spec.Name) (ledger.Record, error) {
	pin, err := c.Box.Pin(in)
	if err != nil {
		return ledger.Record{}, err
	}
	record, err := c.record(ctx, pin, name)
	if verify.Absent(err) {
		return ledger.Record{}, nil
	}
	return record, err
}

func (c *Client) record(ctx context.Context, pin toolbox.Pin, name spec.Name) (doc ledger.Record, err error) {
	err = c.answer(ctx, pin, func(src registry.Source) error {
		chain, err := registry.FetchRecord(ctx, src, name)
		if err != nil {
			return err
		}
		record, err := c.recordOf(ctx, pin, src, chain, name)
		if err == nil {
			doc = record.Document()
		}
		return err
	})
	return doc, err
}

// Files returns the digests of the files of a published version, verified.
func (c *Client) Files(ctx context.Context, in spec.RegistryName, ref spec.Ref) (map[string]spec.Digest, error) {
	pin, err := c.Box.Pin(in)
	if err != nil {
		return nil, err
	}
	f, err := c.findIn(ctx, pin, ref)
	if err != nil {
		return nil, err
	}
	files := map[string]spec.Digest{}
	for _, file := range f.release.Document().Files {
		files[file.Path] = file.SHA256
	}
	return files, nil
}

// Names lists the tools of a registry that can be resolved, verified.
func (c *Client) Names(ctx context.Context, in spec.RegistryName) ([]spec.Name, error) {
	pin, err := c.Box.Pin(in)
	if err != nil {
		return nil, err
	}
	list, err := c.catalogueOf(ctx, pin)
	if err != nil {
		return nil, err
	}
	names := make([]spec.Name, len(list))
	for i, l := range list {
		names[i] = l.Name
	}
	return names, nil
}
