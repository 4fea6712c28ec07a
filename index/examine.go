package index

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/blevesearch/vellum"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// mostTermBytes is longer than any term that is made: the longest is that of a
// filter for a tag or a licence.
const mostTermBytes = 2048

// Examine reads all of an installed index that a stranger made, and returns a
// fault of kind NotVerified where something is wrong with it. A hostile file can
// make it use any memory and time: the caller runs it in a process of its own.
//
// What it has let pass holds what a search relies on: each list can be read to
// its end, names existing tools in order and gives each an impact that can be;
// each tool can be shown; the dictionary and the groups can be read.
func Examine(ctx context.Context, dir string) (err error) {
	defer damaged(&err)
	x, err := Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }()
	s := x.parts[0].segmentReader
	if !slices.Equal(s.names, fieldNames()) {
		return errIndex("it has the fields %.200q", s.names)
	}
	if err := x.examineTools(ctx); err != nil {
		return err
	}
	if _, err := x.words(); err != nil {
		return err
	}
	if _, err := x.columns(); err != nil {
		return err
	}
	leader, err := x.leader()
	if err != nil {
		return err
	}
	for _, l := range leader.of {
		if leader.of[l] != l {
			return errIndex("a group has no first")
		}
	}
	for _, name := range fieldNames() {
		if err := x.examineField(ctx, s, name); err != nil {
			return err
		}
	}
	return nil
}

// examineTools reads what is stored of each tool, which has to be what a catalogue
// may say of one: a search does not look at that again.
func (x *Index) examineTools(ctx context.Context) error {
	var last spec.Name
	for t := range x.tools {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := x.stored(t, storedCard)
		if err != nil {
			return err
		}
		l, err := ledger.ParseListing(data)
		if err != nil {
			return errIndex("tool %d is not written as a catalogue does: %w", t, err)
		}
		id, err := x.parts[0].id(t)
		if err != nil {
			return errIndex("%w", err)
		}
		if id != string(l.Name) || l.Name <= last {
			return errIndex("tool %d is %s, after %s", t, spec.Quote(string(l.Name)), spec.Quote(string(last)))
		}
		last = l.Name
	}
	return nil
}

// mostOf is the highest impact in a field.
func mostOf(field string) uint64 {
	switch field {
	case fieldID, fieldFacet:
		return 1
	case fieldName:
		return impactName
	}
	return mostImpact
}

// examineField reads the lists of a field.
func (x *Index) examineField(ctx context.Context, s *segmentReader, field string) error {
	f := s.fields[field]
	if f == nil {
		return errIndex("it has no field %s", field)
	}
	if err := examineDictionary(f, len(s.data)); err != nil {
		return errIndex("field %s: %w", field, err)
	}
	it, err := f.Iterator(nil, nil)
	last := ""
	for terms := 0; err == nil; err = it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		key, value := it.Current()
		// A dictionary that leads in a circle has no longest term, and one whose
		// ways meet again and again has more terms than a file can have.
		if terms++; len(key) > mostTermBytes || string(key) <= last || terms > len(s.data) {
			return errIndex("the terms of %s are out of order", field)
		}
		last = string(key)
		if again, ok, err := f.Get(key); err != nil || !ok || again != value {
			return errIndex("a term of %s is not found", field)
		}
		n, most := 0, x.tools
		if field == fieldID {
			most++ // the document of the whole catalogue
		}
		if err := s.each(value, func(doc uint32, impact uint64) error {
			if n++; int(doc) >= most || impact < 1 || impact > mostOf(field) {
				return errLayout
			}
			return nil
		}); err != nil || n == 0 {
			return errIndex("field %s has an impossible list", field)
		}
	}
	if !errors.Is(err, vellum.ErrIteratorDone) {
		return errIndex("%w", err)
	}
	return nil
}

// state is one of a dictionary, as vellum shows it.
type state interface {
	Address() int
	Final() bool
	NumTransitions() int
	TransitionAt(i int) byte
	TransitionFor(b byte) (position, to int, output uint64)
}

// examineDictionary makes sure that every way through a dictionary leads on to a
// term, as it does when it is written from its ends: in a circle, and among
// ways that end nowhere, an iterator does not come back.
func examineDictionary(f *vellum.FST, size int) error {
	const end, none = 0, 1
	if root := f.Start(); root < end || root >= size {
		return errLayout
	}
	return f.Debug(func(_ int, shown any) error {
		s, ok := shown.(state)
		if !ok {
			return fmt.Errorf("vellum shows a state as %T", shown)
		}
		if s.NumTransitions() == 0 && !s.Final() && s.Address() != f.Start() {
			return errLayout
		}
		for i := range s.NumTransitions() {
			_, to, _ := s.TransitionFor(s.TransitionAt(i))
			if to < end || to == none || to >= s.Address() {
				return errLayout
			}
		}
		return nil
	})
}
