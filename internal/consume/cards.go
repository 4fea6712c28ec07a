package consume

import (
	"context"

	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
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
	// Files are the author's of a skill, which is read and not called; nil of everything else.
	Files []ledger.ReleaseFile
	// Parts are the operations of a tool that has several, each as a tool of its own, in
	// the order of the file; nil of a Patch tool.
	Parts []*Card
}

// Operation is what a part is about; nil where the card is of a whole tool.
func (c *Card) Operation() *spec.Operation {
	if len(c.Parts) > 0 || len(c.Tool.Operations) != 1 {
		return nil
	}
	return &c.Tool.Operations[0]
}

// Card verifies the current version of an installed tool as a call does. The error
// says why a call would be refused, such as an edited file or a revocation.
func (c *Client) Card(ctx context.Context, installed toolbox.Installed) (*Card, error) {
	ref := spec.Ref{Name: installed.Name, Version: installed.Current}
	v, receipt, err := c.Check(ctx, ref)
	if err == nil {
		err = c.Recheck(ctx, v, receipt)
	}
	if err != nil {
		return nil, err
	}
	if t := v.Tool(); t.Format == spec.FormatArcade { // of one operation, which the tool's own name means
		card := c.cardOf(View(t, &t.Operations[0]), v.Ref(), v.Registry())
		card.LastUsed = installed.LastUsed
		return card, nil
	}
	card := c.cardOf(v.Tool(), v.Ref(), v.Registry())
	card.LastUsed = installed.LastUsed
	if v.Tool().Skill != nil {
		card.Files = skillFiles(v.Document())
		card.Trust = c.vouched(v.Tool(), v.Registry())
	}
	for i := range v.Tool().Operations {
		card.Parts = append(card.Parts, c.cardOf(View(v.Tool(), &v.Tool().Operations[i]), v.Ref(), v.Registry()))
	}
	return card, nil
}

func (c *Client) cardOf(t *spec.Tool, ref spec.Ref, in spec.RegistryName) *Card {
	return &Card{Ref: ref, Registry: in, Tool: t, Trust: c.trustOf(t, in), Irreversible: irreversible(t)}
}
