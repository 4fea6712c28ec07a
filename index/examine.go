package index

import (
	"bytes"
	"context"
	"slices"

	segments "github.com/blevesearch/scorch_segment_api/v2"

	"github.com/patch-cat/patch-git/internal/limits"
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
	s := x.parts[0].segment
	if fields := s.Fields(); !slices.Equal(fields, fieldNames()) {
		return errIndex("it has the fields %.200q", fields)
	}
	if err := x.examineTools(ctx); err != nil {
		return err
	}
	if _, err := x.words(); err != nil {
		return err
	}
	leader, err := x.leader()
	if err != nil {
		return err
	}
	for _, l := range leader {
		if leader[l] != l {
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

// examineTools reads what is stored of each tool.
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
		l, err := x.card(int32(t))
		if err != nil {
			return err
		}
		id, err := x.parts[0].segment.DocID(uint64(t))
		if err != nil {
			return errIndex("%w", err)
		}
		if len(data) > limits.LogEntry || !bytes.Equal(append(data, '\n'), ledger.Encode(l)) {
			return errIndex("tool %d is not written as a catalogue does", t)
		}
		if string(id) != string(l.Name) || l.Name <= last {
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
	case fieldSem:
		return mostMeaning
	}
	return mostImpact
}

// examineField reads the lists of a field.
func (x *Index) examineField(ctx context.Context, s segments.Segment, field string) error {
	dictionary, err := s.Dictionary(field)
	if err != nil {
		return errIndex("%w", err)
	}
	last := ""
	for it := dictionary.AutomatonIterator(nil, nil, nil); ; {
		entry, err := it.Next()
		if err != nil {
			return errIndex("%w", err)
		}
		if entry == nil {
			return nil
		}
		// A dictionary that leads in a circle has no longest term.
		if len(entry.Term) > mostTermBytes || entry.Term <= last && last != "" || entry.Term == "" {
			return errIndex("the terms of %s are out of order", field)
		}
		last = entry.Term
		if err := ctx.Err(); err != nil {
			return err
		}
		list, err := dictionary.PostingsList([]byte(entry.Term), nil, nil)
		if err != nil {
			return errIndex("%w", err)
		}
		if err := x.examineList(list, field, entry.Term); err != nil {
			return err
		}
	}
}

// examineList reads a list in the two ways in which a search does.
func (x *Index) examineList(list segments.PostingsList, field, term string) error {
	before, n := int64(-1), 0
	for it := list.Iterator(true, true, true, nil); ; n++ {
		p, err := it.Next()
		if err != nil {
			return errIndex("%w", err)
		}
		if p == nil {
			break
		}
		doc := int64(p.Number())
		most := int64(x.tools)
		if field == fieldID {
			most++ // the document of the whole catalogue
		}
		if doc <= before || doc >= most || p.Frequency() < 1 || p.Frequency() > mostOf(field) || len(p.Locations()) > 0 {
			return errIndex("field %s has an impossible posting", field)
		}
		before = doc
	}
	if n == 0 {
		return errIndex("field %s has an empty list", field)
	}
	if field == fieldID {
		return nil
	}
	m := 0
	if err := x.holders(field, term, func(int32) { m++ }); err != nil {
		return err
	}
	if m != n {
		return errIndex("field %s has a list of %d and %d tools", field, n, m)
	}
	return nil
}
