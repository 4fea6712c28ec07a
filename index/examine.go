package index

import (
	"context"
)

// Examine reads all of an installed index that a stranger made, and returns a
// fault of kind NotVerified where something is wrong with it. A hostile file can
// make it use any memory and time: the caller runs it in a process of its own.
func Examine(ctx context.Context, dir string) (err error) {
	defer damaged(&err)
	x, err := Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }()
	for _, read := range []func() error{
		func() error { _, err := x.words(); return err },
		func() error { _, err := x.leader(); return err },
		func() error { _, err := x.columns(); return err },
	} {
		if err := read(); err != nil {
			return err
		}
	}
	last := ""
	for i := range x.tools {
		if err := ctx.Err(); err != nil {
			return err
		}
		card, err := x.card(int32(i))
		if err != nil {
			return err
		}
		if string(card.Name) <= last {
			return errIndex("its tools are out of order at %q", card.Name)
		}
		last = string(card.Name)
	}
	for _, field := range []string{fieldText, fieldPre, fieldSem, fieldName, fieldFacet} {
		var terms []string
		if err := x.terms(field, "", func(t string) { terms = append(terms, t) }); err != nil {
			return err
		}
		for _, t := range terms {
			if _, err := x.visit(field, t, func(int32, int32) {}); err != nil {
				return err
			}
		}
	}
	return nil
}
