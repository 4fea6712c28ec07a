package main

import (
	"context"
	"fmt"
	"maps"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// insider is somebody with the registry's key, who changes what stands under
// the head and leaves the log as it is.
type insider struct {
	key   *signing.Key
	store *registry.Dir
	head  *ledger.Head
}

func newInsider(ts *testscript.TestScript, dir, keyFile string) (*insider, error) {
	key, err := signing.LoadKey(ts.MkAbs(keyFile))
	if err != nil {
		return nil, err
	}
	in := &insider{key: key, store: registry.OpenDir(published(ts, dir))}
	raw, err := in.read(ledger.HeadPath)
	if err == nil {
		in.head, err = ledger.ParseHead(raw)
	}
	return in, err
}

func (in *insider) read(path string) ([]byte, error) {
	return in.store.Read(context.Background(), path, 1<<24)
}

// sign writes the files under a head that is signed anew.
func (in *insider) sign(files map[string][]byte) error {
	ctx := context.Background()
	in.head.Seq++
	raw := ledger.Encode(in.head)
	evidence, err := in.key.Sign(ctx, ledger.NewStatement(in.head.Registry.HeadSubject(), spec.DigestOf(raw), ledger.PredicateHead,
		ledger.HeadPredicate{Registry: ledger.RegistryID{Name: in.head.Registry}, Seq: in.head.Seq, LogSize: in.head.Log.Size}))
	if err != nil {
		return err
	}
	files = maps.Clone(files)
	files[ledger.HeadPath], files[ledger.HeadEvidencePath] = raw, evidence
	for path, data := range files {
		if err := in.store.Write(ctx, path, data, false); err != nil {
			return err
		}
	}
	return nil
}

// conceal is an insider who takes a revocation back without a word in the log:
// the revoked list is empty under a head that the registry's key signed.
func conceal(ts *testscript.TestScript, dir, keyFile string) error {
	in, err := newInsider(ts, dir, keyFile)
	if err != nil {
		return err
	}
	list := ledger.Encode(ledger.NewRevoked())
	in.head.Revoked = spec.DigestOf(list)
	return in.sign(map[string][]byte{ledger.RevokedPath: list})
}

// misleads are what an insider makes a record say.
var misleads = map[string]func(*ledger.Record){
	"nothing": func(*ledger.Record) {},
	"contributor": func(r *ledger.Record) {
		r.Versions[len(r.Versions)-1].Contributor = ledger.Owner{Login: "google", ID: 1342004}
	},
	"pull": func(r *ledger.Record) {
		r.Versions[len(r.Versions)-1].PullRequest = "https://github.com/demo/tools/pull/9"
	},
	"permissions": func(r *ledger.Record) {
		r.Versions[len(r.Versions)-1].Permissions = spec.Permissions{Filesystem: spec.FilesystemNone}
	},
	"description": func(r *ledger.Record) { r.Description = "Pays your bills." },
	"tags":        func(r *ledger.Record) { r.Summary.Tags = []string{"official"} },
	"aliases":     func(r *ledger.Record) { r.Summary.Aliases = []spec.Name{"send_mail"} },
	"license":     func(r *ledger.Record) { r.Summary.License = "CC0-1.0" },
	"examples":    func(r *ledger.Record) { r.Summary.Examples = []string{"Pay my bills"} },
}

// mislead is an insider who lets a record, and the catalogue with it, say what
// neither the evidence nor the manifest says.
func mislead(ts *testscript.TestScript, dir, keyFile, tool, what string) error {
	change, ok := misleads[what]
	if !ok {
		return fmt.Errorf("nobody misleads about %q", what)
	}
	in, err := newInsider(ts, dir, keyFile)
	if err != nil {
		return err
	}
	name := spec.Name(tool)
	i := ledger.BucketOf(name)
	files := map[string][]byte{}
	for _, path := range []string{ledger.RecordPath(name), ledger.BucketPath(i), ledger.BucketsPath, ledger.CataloguePath} {
		if files[path], err = in.read(path); err != nil {
			return err
		}
	}
	record, err := ledger.ParseRecord(files[ledger.RecordPath(name)], name)
	if err != nil {
		return err
	}
	bucket, err := ledger.ParseBucket(files[ledger.BucketPath(i)], i)
	if err != nil {
		return err
	}
	buckets, err := ledger.ParseBuckets(files[ledger.BucketsPath])
	if err != nil {
		return err
	}
	put := func(path string, data []byte) spec.Digest {
		files[path] = data
		return spec.DigestOf(data)
	}
	change(record)
	bucket.Names[name] = put(ledger.RecordPath(name), ledger.Encode(record))
	buckets.Set(i, put(ledger.BucketPath(i), ledger.Encode(bucket)))
	in.head.Buckets = put(ledger.BucketsPath, ledger.Encode(buckets))
	list, err := ledger.UpdateCatalogue(files[ledger.CataloguePath], map[spec.Name]*ledger.Listing{name: ledger.NewListing(record)})
	if err != nil {
		return err
	}
	in.head.Catalogue = put(ledger.CataloguePath, list)
	return in.sign(files)
}
