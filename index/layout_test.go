package index

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	indexapi "github.com/blevesearch/bleve_index_api"
	segments "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v17"
)

// dump is all that a segment says: of each field and term the documents with
// their impacts, and what is stored of each document.
func dump(t *testing.T, s segments.Segment) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, field := range s.Fields() {
		d, err := s.Dictionary(field)
		if err != nil {
			t.Fatal(err)
		}
		for it := d.AutomatonIterator(nil, nil, nil); ; {
			entry, err := it.Next()
			if err != nil {
				t.Fatal(err)
			}
			if entry == nil {
				break
			}
			list, err := d.PostingsList([]byte(entry.Term), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			for it := list.Iterator(true, true, true, nil); ; {
				p, err := it.Next()
				if err != nil {
					t.Fatal(err)
				}
				if p == nil {
					break
				}
				fmt.Fprintf(&text, "%d:%d:%g:%d ", p.Number(), p.Frequency(), p.Norm(), len(p.Locations()))
			}
			out[field+" "+entry.Term] = text.String()
		}
	}
	for d := range s.Count() {
		if err := s.VisitStoredFields(d, func(field string, kind byte, value []byte, at []uint64) bool {
			out[fmt.Sprintf("stored %d %s", d, field)] = fmt.Sprintf("%c %d %s", kind, len(at), value)
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func built(t *testing.T, n, requests int) (*Built, []string) {
	t.Helper()
	tools, queries := catalogue(n, requests)
	b, err := Build(t.Context(), tools)
	if err != nil {
		t.Fatal(err)
	}
	return b, queries
}

// TestSegment: what our writer writes, zapx reads as what its own writer writes.
// There are enough documents for lists of more than one chunk.
func TestSegment(t *testing.T) {
	b, _ := built(t, 1500, 0)
	path := filepath.Join(t.TempDir(), "index")
	if err := Install(t.Context(), path, b.Segment()); err != nil {
		t.Fatal(err)
	}
	ours, err := (&zap.ZapPlugin{}).Open(filepath.Join(path, segmentFile))
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	theirs, _, err := (&zap.ZapPlugin{}).New(zapxDocuments(b))
	if err != nil {
		t.Fatal(err)
	}
	got, want := dump(t, ours), dump(t, theirs)
	if len(want) < 5000 || len(got) != len(want) {
		t.Errorf("%d entries, want %d", len(got), len(want))
	}
	for k := range want {
		if got[k] != want[k] {
			t.Fatalf("%s: got %.80s, want %.80s", k, got[k], want[k])
		}
	}
	if !reflect.DeepEqual(ours.Fields(), theirs.Fields()) {
		t.Errorf("fields %q, want %q", ours.Fields(), theirs.Fields())
	}
}

// TestFormat: our numbers are those of zapx.
func TestFormat(t *testing.T) {
	for name, pair := range map[string][2]uint64{
		"version":    {formatVersion, uint64(zap.Version)},
		"chunks":     {formatChunkMode, uint64(zap.DefaultChunkMode)},
		"dictionary": {sectionDictionary, zap.SectionInvertedTextIndex},
		"synonyms":   {sectionSynonyms, zap.SectionSynonymIndex},
		"shapes":     {sectionShapes, zap.SectionGeoShapeV2Index},
		"indexed":    {optionIndexed, uint64(indexapi.IndexField)},
		"stored":     {optionStored, uint64(indexapi.StoreField)},
		"mask":       {onlyMask, zap.FSTValEncodingMask},
		"one":        {only(77), zap.FSTValEncode1Hit(77, 1)},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %d, zapx has %d", name, pair[0], pair[1])
		}
	}
	if n := len(zap.DefaultFileCallbackId); n != 0 {
		t.Errorf("zapx writes a name of %d bytes", n)
	}
}

// TestBleve: the installed folder is an index that bleve itself opens, and its
// readers give back the impacts; so they do when bleve cut the index into 64 segments.
func TestBleve(t *testing.T) {
	b, _ := built(t, 640, 0)
	dir := filepath.Join(t.TempDir(), "index")
	if err := Install(t.Context(), dir, b.Segment()); err != nil {
		t.Fatal(err)
	}
	one, err := bleve.OpenUsing(dir, map[string]any{"read_only": true})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	many, err := bleve.NewUsing("", bleve.NewIndexMapping(), scorch.Name, scorch.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer many.Close()
	inner, err := many.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	docs := zapxDocuments(b)
	for i := range 64 {
		// Each document needs maps of its own: bleve analyses many at once.
		batch := indexapi.NewBatch()
		for d := i * len(docs) / 64; d < (i+1)*len(docs)/64; d++ {
			own := zapxDocuments(b)[d]
			batch.Update(own)
		}
		if err := inner.Batch(batch); err != nil {
			t.Fatal(err)
		}
	}
	for name, x := range map[string]bleve.Index{"one segment": one, "64 segments": many} {
		inner, err := x.Advanced()
		if err != nil {
			t.Fatal(err)
		}
		reader, err := inner.Reader()
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		if n := len(reader.(*scorch.IndexSnapshot).Segments()); name == "64 segments" && n < 32 {
			t.Errorf("only %d segments", n)
		}
		compared := 0
		for field, f := range b.fields {
			lists := f.lists()
			for id, term := range f.terms {
				if id%7 != 0 {
					continue
				}
				tfr, err := reader.TermFieldReader(t.Context(), []byte(term), field, true, false, false)
				if err != nil {
					t.Fatal(err)
				}
				got := map[string]uint64{}
				for {
					d, err := tfr.Next(nil)
					if err != nil {
						t.Fatal(err)
					}
					if d == nil {
						break
					}
					id, err := reader.ExternalID(d.ID)
					if err != nil {
						t.Fatal(err)
					}
					got[id] = d.Freq
				}
				want := map[string]uint64{}
				for _, p := range lists[id] {
					want[string(b.tools[p.doc].Name)] = uint64(p.impact)
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: %s %q: got %v, want %v", name, field, term, got, want)
				}
				compared += len(want)
			}
		}
		if compared < 1000 {
			t.Errorf("%s: only %d impacts compared", name, compared)
		}
	}
}

// TestLayout: the answer does not depend on how the index is cut, nor on the
// order of the documents in it.
func TestLayout(t *testing.T) {
	b, queries := built(t, 640, 60)
	docs := zapxDocuments(b)
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	var cuts []*segmentReader
	for i := range 64 {
		s, _, err := (&zap.ZapPlugin{}).New(docs[i*len(docs)/64 : (i+1)*len(docs)/64])
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := s.(io.WriterTo).WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		read, err := readSegment(file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		cuts = append(cuts, read)
	}
	many, err := newIndex(cuts...)
	if err != nil {
		t.Fatal(err)
	}
	one := opened(t, b.tools...)
	for _, typed := range append(queries, "", "network:yes", "by:owner3 network:no", `"`+strings.Join(strings.Fields(queries[0])[:2], " ")+`"`, string(b.tools[7].Name)) {
		q, _ := ParseQuery(typed)
		q.Facets = true
		want, err := one.Search(t.Context(), q, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := many.Search(t.Context(), q, 0)
		if err != nil {
			t.Fatal(err)
		}
		if want.Total == 0 {
			t.Errorf("%q finds nothing", typed)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %d hits in 64 segments, %d in one, or others", typed, got.Total, want.Total)
		}
	}
}
