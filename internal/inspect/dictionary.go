package inspect

import (
	"bytes"
	"maps"
	"slices"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// dictionary is every record that the head leads to.
type dictionary struct {
	mu      sync.Mutex
	records map[spec.Name]verify.Record
	docs    map[spec.Name]*ledger.Record
	holed   bool // some record could not be read, so that the absence of one proves nothing
}

// readDictionary reads buckets.json, every bucket and every record.
func (a *audit) readDictionary() (*dictionary, error) {
	d := &dictionary{records: map[spec.Name]verify.Record{}, docs: map[spec.Name]*ledger.Record{}}
	data, ok := a.stated(ledger.BucketsPath, a.doc.Buckets, limits.Document)
	var top verify.Dictionary
	if ok {
		var err error
		if top, err = a.head.Dictionary(data); err != nil {
			a.failed(ledger.BucketsPath, err)
			ok = false
		}
	}
	if !ok {
		d.holed = true
		return d, a.stop()
	}
	type wanted struct {
		bucket verify.Bucket
		name   spec.Name
		digest spec.Digest
	}
	var numbers []int
	for i := range 256 {
		if !top.Stated(i).IsZero() {
			numbers = append(numbers, i)
		}
	}
	var names []wanted
	err := each(a, "buckets", numbers, func(i int) {
		bucket, ok := a.bucket(top, i)
		d.mu.Lock()
		defer d.mu.Unlock()
		if !ok {
			d.holed = true
			return
		}
		for n, digest := range bucket.Names() {
			names = append(names, wanted{bucket, n, digest})
		}
	})
	if err != nil {
		return nil, err
	}
	return d, each(a, "records", names, func(w wanted) { a.record(d, w.bucket, w.name, w.digest) })
}

func (a *audit) bucket(top verify.Dictionary, i int) (verify.Bucket, bool) {
	path := ledger.BucketPath(i)
	data, ok := a.stated(path, top.Stated(i), limits.Document)
	if !ok {
		return verify.Bucket{}, false
	}
	a.counts.buckets.Add(1)
	b, err := top.Bucket(i, data)
	if err != nil {
		a.failed(path, err)
	}
	return b, err == nil
}

func (a *audit) record(d *dictionary, b verify.Bucket, name spec.Name, digest spec.Digest) {
	path := ledger.RecordPath(name)
	data, ok := a.stated(path, digest, limits.Document)
	var r verify.Record
	if ok {
		a.counts.records.Add(1)
		var err error
		if r, err = b.Record(data, name); err != nil {
			a.failed(path, err)
			ok = false
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !ok {
		d.holed = true
		return
	}
	doc := r.Document()
	d.records[name], d.docs[name] = r, &doc
}

// compare holds the records against the log, in both directions, and the
// revoked list against both.
func (a *audit) compare(l *log, d *dictionary) {
	for name, r := range d.docs {
		path := ledger.RecordPath(name)
		if len(r.Versions) == 0 {
			a.damage(path, ReasonUnlogged, "the record of %s has no version", name)
		}
		for _, v := range r.Versions {
			a.version(l, path, name, v)
		}
	}
	for at, s := range l.states {
		r := d.docs[at.Name]
		if r == nil && d.holed || r != nil && r.Find(at.Version) != nil {
			continue
		}
		a.damage(ledger.RecordPath(at.Name), ReasonHidden, "entry %d of the log accepts %s, which no record shows", s.index, at.At())
	}
	if !l.holed {
		a.revocations(l)
	}
}

// version holds one version of a record against the log.
func (a *audit) version(l *log, path string, name spec.Name, v ledger.RecordVersion) {
	at := spec.Ref{Name: name, Version: v.Version}
	s, known := l.states[at]
	switch {
	case !known && l.holed:
		return
	case !known:
		a.damage(path, ReasonUnlogged, "the record shows %s, which no entry of the log accepts", at.At())
		return
	case s.index != v.LogIndex:
		a.damage(path, ReasonUnlogged, "the record has %s at entry %d of the log, which has it at %d", at.At(), v.LogIndex, s.index)
	case s.entry.Release != v.Release:
		a.damage(path, ReasonUnlogged, "the record has %s as %s, entry %d accepts %s", at.At(), v.Release, s.index, s.entry.Release)
	case s.entry.Time != v.Published:
		a.damage(path, ReasonUnlogged, "the record has %s published at %s, entry %d at %s", at.At(), v.Published, s.index, s.entry.Time)
	}
	if l.holed {
		return
	}
	a.standing(path, at, "yanked", v.Yanked, s.yanked)
	a.standing(path, at, "revoked", v.Revoked, s.revoked)
	if v.Yanked != "" {
		a.counts.yanked.Add(1)
	}
	if v.Revoked != "" {
		a.counts.revoked.Add(1)
	}
}

// standing compares a state that is shown with what the log amounts to.
func (a *audit) standing(path string, at spec.Ref, state, shown, logged string) {
	switch {
	case shown == logged:
	case shown == "":
		a.damage(path, ReasonHidden, "%s is %s in the log (%s), and %s does not show it", at.At(), state, spec.Quote(logged), path)
	case logged == "":
		a.damage(path, ReasonUnlogged, "%s is %s in %s (%s), and not in the log", at.At(), state, path, spec.Quote(shown))
	default:
		a.damage(path, ReasonUnlogged, "%s is %s for the reason %s in %s, for %s in the log", at.At(), state, spec.Quote(shown), path, spec.Quote(logged))
	}
}

// revocations holds the revoked list against the log.
func (a *audit) revocations(l *log) {
	shown := map[spec.Ref]string{}
	for _, e := range a.head.Revoked() {
		at := spec.Ref{Name: e.Name, Version: e.Version}
		shown[at] = e.Reason
		if l.states[at] == nil {
			a.damage(ledger.RevokedPath, ReasonUnlogged, "%s is on the revoked list, and was never accepted", at.At())
		}
	}
	for at, s := range l.states {
		a.standing(ledger.RevokedPath, at, "revoked", shown[at], s.revoked)
	}
}

// catalogue works the list of tools out from the records.
func (a *audit) catalogue(d *dictionary) error {
	data, ok := a.stated(ledger.CataloguePath, a.doc.Catalogue, limits.Catalogue)
	if !ok {
		return a.stop()
	}
	list, err := a.head.Catalogue(data)
	if err != nil {
		a.failed(ledger.CataloguePath, err)
		return a.stop()
	}
	if d.holed {
		return nil
	}
	want := map[spec.Name]*ledger.Listing{}
	for n, r := range d.docs {
		want[n] = ledger.NewListing(r)
	}
	again, err := ledger.UpdateCatalogue(ledger.EmptyCatalogue(), want)
	if err != nil {
		return fault.New(fault.Internal, "catalogue", "the catalogue cannot be worked out: %w", err)
	}
	if bytes.Equal(again, data) {
		return a.index(list)
	}
	for _, l := range list {
		if w := want[l.Name]; w == nil {
			a.damage(ledger.CataloguePath, ReasonCatalogue, "the catalogue lists %s, of which no record has a version to offer", l.Name)
		} else if !bytes.Equal(ledger.Encode(w), ledger.Encode(&l)) {
			a.damage(ledger.CataloguePath, ReasonCatalogue, "the catalogue says something else of %s than its record", l.Name)
		}
		delete(want, l.Name)
	}
	for _, n := range slices.Sorted(maps.Keys(want)) {
		if want[n] != nil {
			a.damage(ledger.CataloguePath, ReasonCatalogue, "the catalogue does not list %s", n)
		}
	}
	return nil
}
