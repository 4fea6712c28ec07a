package consume

import (
	"context"

	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
)

// Card is what a list says of an installed tool, verified now.
type Card struct {
	Ref      spec.Ref // pinned
	Registry spec.RegistryName
	LastUsed string // RFC 3339; "" where it never was
	Tool     *spec.Tool
	Trust    Trust // what its output is, of inputs that carry nothing
	// Irreversible: what it does cannot be taken back, so that it is held once the
	// conversation has read anything that nobody vouches for.
	Irreversible bool
}

// Card verifies the current version of an installed tool as a call does. The error
// says why a call would be refused, such as an edited file or a revocation.
func (c *Client) Card(ctx context.Context, t toolbox.Installed) (*Card, error) {
	ref := spec.Ref{Name: t.Name, Version: t.Current}
	v, receipt, err := c.Check(ctx, ref)
	if err == nil {
		err = c.Recheck(ctx, v, receipt)
	}
	if err != nil {
		return nil, err
	}
	return &Card{
		Ref: v.Ref(), Registry: v.Registry(), LastUsed: t.LastUsed, Tool: v.Tool(),
		Trust: c.trustOf(v.Tool(), v.Registry()), Irreversible: irreversible(v.Tool()),
	}, nil
}
