package ledger_test

import (
	"bytes"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// fuzzDocument: a parser never panics, and accepts canonical bytes only.
func fuzzDocument[T any](f *testing.F, seed any, parse func([]byte) (*T, error)) {
	f.Helper()
	b := ledger.Encode(seed)
	f.Add(b)
	f.Add(bytes.ToUpper(b))
	f.Add(b[:len(b)/2])
	f.Add([]byte(`{"schema":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if doc, err := parse(data); err == nil && !bytes.Equal(ledger.Encode(doc), data) {
			t.Errorf("accepted bytes that are not canonical: %q", data)
		}
	})
}

func FuzzHead(f *testing.F) { fuzzDocument(f, someHead(), ledger.ParseHead) }

func FuzzRegistry(f *testing.F) {
	id := ledger.GitHubIdentity("acme/tools")
	fuzzDocument(f, &ledger.Registry{
		Schema: ledger.RegistrySchema, Name: "acme/tools", Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &id},
	}, ledger.ParseRegistry)
}

func FuzzRelease(f *testing.F) {
	fuzzDocument(f, someRelease(), func(b []byte) (*ledger.Release, error) {
		r, err := ledger.ParseRelease(b)
		if err == nil {
			for _, file := range r.Files {
				if spec.CheckPath(file.Path) != nil {
					panic("unsafe path accepted: " + file.Path)
				}
			}
		}
		return r, err
	})
}

func FuzzRecord(f *testing.F) {
	fuzzDocument(f, someRecord(), func(b []byte) (*ledger.Record, error) { return ledger.ParseRecord(b, "csv_to_json") })
}

func FuzzBucket(f *testing.F) {
	b := ledger.NewBucket()
	b.Names["csv_to_json"] = spec.DigestOf(nil)
	fuzzDocument(f, b, func(data []byte) (*ledger.Bucket, error) {
		return ledger.ParseBucket(data, ledger.BucketOf("csv_to_json"))
	})
}

func FuzzClosure(f *testing.F) {
	fuzzDocument(f, &ledger.Closure{Schema: ledger.ClosureSchema, Python: "3.12", Targets: map[string][]ledger.Wheel{
		"linux": {{Name: "six", Version: "1", File: "six-1.whl", URL: "https://x/six.whl", Size: 1}},
	}}, ledger.ParseClosure)
}

func FuzzBundle(f *testing.F) {
	fuzzDocument(f, ledger.NewBundle("hint", []byte("{}"), []byte("sig")), func(b []byte) (*ledger.Bundle, error) {
		bundle, err := ledger.ParseBundle(b)
		if err == nil {
			if s, err := ledger.ParseStatement(bundle.Envelope.Payload); err == nil {
				_, _ = ledger.ParseAcceptance(s)
				_, _ = ledger.ParseWithdrawal(s)
				_, _ = ledger.ParseHeadPredicate(s)
			}
		}
		return bundle, err
	})
}

func FuzzProof(f *testing.F) {
	fuzzDocument(f, &ledger.Proof{Schema: ledger.ProofSchema, Entry: someEntry(1), Index: 1, Hashes: []spec.Digest{{}}}, func(b []byte) (*ledger.Proof, error) {
		p, err := ledger.ParseProof(b)
		if err == nil {
			_ = p.Included(ledger.LogRoot{Size: 2})
		}
		return p, err
	})
}

func FuzzCheckpoint(f *testing.F) {
	k, der := newKey(f)
	f.Add(signed(f, k, der, ledger.LogRoot{Size: 5}))
	f.Add([]byte("patch-git/demo/tools\n5\nAAAA\n\n— x y\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if root, err := ledger.OpenCheckpoint(data, "demo/tools", der); err == nil && root.Size < 0 {
			t.Errorf("size %d", root.Size)
		}
	})
}

func FuzzCatalogue(f *testing.F) {
	f.Add(ledger.EmptyCatalogue())
	c, err := ledger.UpdateCatalogue(ledger.EmptyCatalogue(), map[spec.Name]*ledger.Listing{"abc": line("abc", "x")})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(c)
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := ledger.ParseCatalogue(data); err != nil {
			return
		}
		same, err := ledger.UpdateCatalogue(data, nil)
		if err != nil || !bytes.Equal(same, data) {
			t.Errorf("changing nothing changes %q to %q, %v", data, same, err)
		}
	})
}

func FuzzEntryTile(f *testing.F) {
	f.Add([]byte{0, 1, 'x'})
	f.Fuzz(func(_ *testing.T, data []byte) {
		entries, err := ledger.SplitEntries(data)
		if err != nil {
			return
		}
		for _, e := range entries {
			_, _ = ledger.ParseEntry(e)
		}
	})
}
