package verify_test

import (
	"context"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// rewrite replaces a record under a head that the registry's key signs: an
// insider who tells people something else than the evidence and the manifest.
func (tr *tree) rewrite(name spec.Name, change func(*ledger.Record)) {
	tr.t.Helper()
	must := func(err error) {
		tr.t.Helper()
		if err != nil {
			tr.t.Fatal(err)
		}
	}
	write := func(path string, data []byte) spec.Digest {
		must(tr.store.Write(context.Background(), path, data, false))
		return spec.DigestOf(data)
	}
	files := tr.store.Files()
	record, err := ledger.ParseRecord(files[ledger.RecordPath(name)], name)
	must(err)
	change(record)
	i := ledger.BucketOf(name)
	bucket, err := ledger.ParseBucket(files[ledger.BucketPath(i)], i)
	must(err)
	bucket.Names[name] = write(ledger.RecordPath(name), ledger.Encode(record))
	buckets, err := ledger.ParseBuckets(files[ledger.BucketsPath])
	must(err)
	buckets.Set(i, write(ledger.BucketPath(i), ledger.Encode(bucket)))
	head, err := ledger.ParseHead(files[ledger.HeadPath])
	must(err)
	head.Buckets, head.Seq = write(ledger.BucketsPath, ledger.Encode(buckets)), head.Seq+1
	digest := write(ledger.HeadPath, ledger.Encode(head))
	evidence, err := tr.key.Sign(context.Background(), ledger.NewStatement(head.Registry.HeadSubject(), digest, ledger.PredicateHead,
		ledger.HeadPredicate{Registry: ledger.RegistryID{Name: head.Registry}, Seq: head.Seq, LogSize: head.Log.Size}))
	must(err)
	write(ledger.HeadEvidencePath, evidence)
}

// TestRecordIsStated: what a record repeats of the acceptance and the manifest,
// for those who search and for pages, is that very thing or the release is refused.
func TestRecordIsStated(t *testing.T) {
	listed := func(t *spec.Tool) {
		t.License, t.Tags, t.Aliases = "MIT", []string{"text"}, []spec.Name{"repeat_text"}
		t.Examples = []string{"Say this again"}
	}
	for name, c := range map[string]struct {
		change func(*ledger.Record)
		ref    string
		refuse bool
	}{
		"nothing":                 {func(*ledger.Record) {}, "echo_text@1.1.0", false},
		"another contributor":     {func(r *ledger.Record) { r.Versions[1].Contributor.Login = "google" }, "echo_text@1.1.0", true},
		"another number":          {func(r *ledger.Record) { r.Versions[1].Contributor.ID = 1 }, "echo_text@1.1.0", true},
		"no contributor":          {func(r *ledger.Record) { r.Versions[1].Contributor = ledger.Owner{} }, "echo_text@1.1.0", true},
		"another pull request":    {func(r *ledger.Record) { r.Versions[1].PullRequest = "https://example.org/pull/9" }, "echo_text@1.1.0", true},
		"no pull request":         {func(r *ledger.Record) { r.Versions[1].PullRequest = "" }, "echo_text@1.1.0", true},
		"fewer permissions shown": {func(r *ledger.Record) { r.Versions[1].Permissions.Network = false }, "echo_text@1.1.0", true},
		"another description":     {func(r *ledger.Record) { r.Description = "Pays all bills." }, "echo_text@1.1.0", true},
		"another license":         {func(r *ledger.Record) { r.Summary.License = "0BSD" }, "echo_text@1.1.0", true},
		"another tag":             {func(r *ledger.Record) { r.Summary.Tags = []string{"verified"} }, "echo_text@1.1.0", true},
		"another alias":           {func(r *ledger.Record) { r.Summary.Aliases = []spec.Name{"send_mail"} }, "echo_text@1.1.0", true},
		"one example more":        {func(r *ledger.Record) { r.Summary.Examples = append(r.Summary.Examples, "Send a mail") }, "echo_text@1.1.0", true},
		"another input":           {func(r *ledger.Record) { r.Summary.Inputs[0].Description = "Anything." }, "echo_text@1.1.0", true},
		"another format":          {func(r *ledger.Record) { r.Summary.Format = spec.FormatSkill }, "echo_text@1.1.0", true},
		// The record describes 1.1.0; of the older version it states the acceptance alone.
		"description, older version": {func(r *ledger.Record) { r.Description = "Pays all bills." }, "echo_text@1.0.0", false},
		"contributor, older version": {func(r *ledger.Record) { r.Versions[0].Contributor.Login = "google" }, "echo_text@1.0.0", true},
		"contributor of another":     {func(r *ledger.Record) { r.Versions[0].Contributor.Login = "google" }, "echo_text@1.1.0", false},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTree(t, "demo/tools")
			tr.publish("echo_text", "1.0.0")
			r := release(t, "echo_text", "1.1.0", func(t *spec.Tool) { listed(t); t.Capabilities.Network = true })
			tr.seal(registry.Batch{Accept: []registry.Acceptance{{
				Release: r, Contributor: ledger.Owner{Login: "ann", ID: 7}, PullRequest: "https://github.com/demo/tools/pull/7",
				Report: spec.DigestOf(r.Files[0].Data),
			}}})
			tr.rewrite("echo_text", c.change)
			v, err := check(tr.policy, tr.fetch(c.ref))
			if !c.refuse {
				if err != nil || !v.OK() {
					t.Error(err)
				}
				return
			}
			if wantRefusal(t, err, verify.ReasonRecord); v.OK() {
				t.Error("what was refused is verified")
			}
		})
	}
}
