package registry

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// generation is the next state, made in memory before anything is written.
type generation struct {
	chain      // what the new head states
	store      Store
	evidence   []byte // head.sigstore.json
	checkpoint []byte
	fresh      []file                     // new paths: releases and tiles
	releases   map[string]map[string]bool // folder of each new release -> its paths
	vacant     []string                   // where only a seal that died can have left something
	changes    []change                   // documents that get other bytes

	was       catalogue // of the state before
	catalogue []byte
	lines     map[spec.Name]*ledger.Listing // what changes in it
}

// build makes the documents of the next state, except for the catalogue, which
// grows with the registry, and the head, which states its digest: these are
// made by [generation.top], while the disk is busy with the rest where that may be.
func build(ctx context.Context, store Store, cur *chain, p *plan, o *SealOptions) (*generation, error) {
	g := &generation{chain: chain{store: store, bucket: map[int]*ledger.Bucket{}}, store: store, releases: map[string]map[string]bool{}}
	g.head = &ledger.Head{
		Schema: ledger.HeadSchema, Registry: o.Registry.Name, Seq: 1, Commit: o.Commit,
		Time: ledger.FormatTime(o.Now()),
	}
	if cur.head != nil {
		// A clock that went back must not make the tree's time go back.
		g.head.Seq, g.head.Time = cur.head.Seq+1, max(g.head.Time, cur.head.Time)
	}
	if _, err := ledger.ParseHead(ledger.Encode(g.head)); err != nil {
		return nil, fault.New(fault.Usage, "head", "%w", err)
	}
	if err := g.appendLog(ctx, cur, p, o); err != nil {
		return nil, err
	}
	if err := g.rewriteRecords(ctx, cur, p); err != nil {
		return nil, err
	}
	return g, nil
}

// appendLog writes the events down, and makes the folder of each new release
// with the proof that it is in the log.
func (g *generation) appendLog(ctx context.Context, cur *chain, p *plan, o *SealOptions) error {
	var entries [][]byte
	accepts := make([]ledger.Entry, len(p.accept))
	for i, a := range p.accept {
		accepts[i] = g.entry(ledger.EventAccept, a.ref(), "")
		entries = append(entries, ledger.Encode(accepts[i]))
	}
	withdrawn := make([]ledger.Entry, len(p.withdraw))
	for i, w := range p.withdraw {
		ref := w.ref()
		if r := p.records[w.Name]; r != nil && r.Find(w.Version) != nil {
			ref.Digest = r.Find(w.Version).Release
		} else {
			ref.Digest = p.fresh[w.Name][w.Version]
		}
		withdrawn[i] = g.entry(w.Event, ref, w.Reason)
		entries = append(entries, ledger.Encode(withdrawn[i]))
	}
	before := cur.logRoot()
	log, err := ledger.Append(before, entries, cur.tileReader(ctx))
	if err != nil {
		if fault.KindOf(err) == fault.Unavailable || ctx.Err() != nil {
			return err
		}
		return damaged(cur.store, "the log cannot be continued: %w", err)
	}
	g.head.Log = log.Root
	for _, t := range log.Tiles {
		g.fresh = append(g.fresh, file{t.Path, t.Data, true})
	}
	if g.checkpoint, err = o.Signer.SignCheckpoint(ctx, o.Registry.Name, log.Root); err != nil {
		return err
	}
	var statements []*ledger.Statement
	for _, a := range p.accept {
		statements = append(statements, a.statement(log.Root, o))
	}
	first := before.Size + int64(len(p.accept))
	for i, e := range withdrawn {
		statements = append(statements, withdrawal(e, first+int64(i), log.Root, o))
	}
	evidence, err := signAll(ctx, statements, o)
	if err != nil {
		return err
	}
	for i := range withdrawn {
		g.fresh = append(g.fresh, file{ledger.WithdrawalPath(first + int64(i)), evidence[len(p.accept)+i], true})
	}
	for i, a := range p.accept {
		index := before.Size + int64(i)
		g.vacant = append(g.vacant, ledger.WithdrawalPath(index))
		hashes, err := log.Prove(index)
		if err != nil {
			return err
		}
		proof := ledger.Proof{Schema: ledger.ProofSchema, Entry: accepts[i], Index: index, Hashes: hashes}
		if err := g.addRelease(a, evidence[i], ledger.Encode(proof)); err != nil {
			return err
		}
	}
	return nil
}

func (g *generation) entry(e ledger.Event, r spec.Ref, reason string) ledger.Entry {
	return ledger.Entry{
		Schema: ledger.EntrySchema, Event: e, Name: r.Name, Version: r.Version, Release: r.Digest, Time: g.head.Time, Reason: reason,
	}
}

// signAll makes the evidence of a publication, several statements at a time,
// because a signer may have to ask services on a network.
func signAll(ctx context.Context, statements []*ledger.Statement, o *SealOptions) ([][]byte, error) {
	out, all := make([][]byte, len(statements)), make([]int, len(statements))
	for i := range all {
		all[i] = i
	}
	return out, inParallel(ctx, all, func(ctx context.Context, i int) (err error) {
		out[i], err = o.Signer.Sign(ctx, statements[i])
		if err == nil && len(out[i]) > limits.Bundle {
			err = fmt.Errorf("evidence for %s has %d bytes, allowed are %d", statements[i].Subject[0].Name, len(out[i]), limits.Bundle)
		}
		return err
	})
}

// withdrawal is what is signed about a version that is taken back, or offered again.
func withdrawal(e ledger.Entry, index int64, root ledger.LogRoot, o *SealOptions) *ledger.Statement {
	return ledger.NewStatement(o.Registry.Name.Subject(spec.Ref{Name: e.Name, Version: e.Version}), e.Release, ledger.PredicateWithdrawal,
		ledger.Withdrawal{
			Registry: registryID(o.Registry), Event: e.Event, Name: e.Name, Version: e.Version, Release: e.Release,
			Reason: e.Reason, Time: e.Time, Index: index, Checker: o.Checker, Log: root,
		})
}

// statement is what is signed about a release.
func (a *accepted) statement(root ledger.LogRoot, o *SealOptions) *ledger.Statement {
	return ledger.NewStatement(o.Registry.Name.Subject(spec.Ref{Name: a.doc.Name, Version: a.doc.Version}),
		a.doc.MainFile().SHA256, ledger.PredicateAcceptance, ledger.Acceptance{
			Registry: registryID(o.Registry), Name: a.doc.Name, Version: a.doc.Version, Format: a.doc.Format,
			Release: a.digest, Files: a.doc.Files, Permissions: a.doc.Permissions, Contributor: a.Contributor,
			PullRequest: a.PullRequest, Commit: a.Commit, Report: a.Report, Closure: a.Closure,
			Checker: o.Checker, Log: root,
		})
}

func registryID(r *ledger.Registry) ledger.RegistryID {
	return ledger.RegistryID{Name: r.Name, URI: r.Source}
}

// addRelease lists the files of a release's folder.
func (g *generation) addRelease(a accepted, evidence, proof []byte) error {
	if _, err := ledger.ParseProof(proof); err != nil {
		return err
	}
	paths := map[string]bool{}
	g.releases[ledger.ReleaseDir(a.doc.Name, a.doc.Version)] = paths
	add := func(name string, data []byte) {
		path := ledger.ReleasePath(a.doc.Name, a.doc.Version, name)
		paths[path] = true
		g.fresh = append(g.fresh, file{path, data, true})
	}
	for _, f := range a.Release.Files {
		add(f.Path, f.Data)
	}
	add(ledger.ReleaseFileName, a.raw)
	add(ledger.EvidenceFileName, evidence)
	add(ledger.ProofFileName, proof)
	return nil
}

// rewriteRecords makes the record of every name concerned, and the buckets and
// the revoked list that follow from them.
func (g *generation) rewriteRecords(ctx context.Context, cur *chain, p *plan) error {
	records := p.apply(cur, g.head.Time)
	buckets, revoked := *cur.buckets, *cur.revoked
	revoked.Revoked = slices.Clone(revoked.Revoked)
	g.buckets, g.revoked = &buckets, &revoked
	g.lines = map[spec.Name]*ledger.Listing{}
	for _, n := range sortedNames(records) {
		r := records[n]
		if err := describe(ctx, cur, p, r); err != nil {
			return err
		}
		raw := ledger.Encode(r)
		if _, err := ledger.ParseRecord(raw, n); err != nil {
			return fault.New(fault.Findings, "record", "%w", err)
		}
		old, err := cur.namesIn(ctx, ledger.BucketOf(n))
		if err != nil {
			return err
		}
		g.change(ledger.RecordPath(n), old.Names[n], raw)
		g.editable(ledger.BucketOf(n), old).Names[n] = spec.DigestOf(raw)
		g.lines[n] = ledger.NewListing(r)
	}
	for i, b := range g.bucket {
		raw := ledger.Encode(b)
		if len(raw) > limits.Document {
			return fault.New(fault.Findings, "bucket", "bucket %02x has %d bytes, allowed are %d", i, len(raw), limits.Document)
		}
		g.change(ledger.BucketPath(i), cur.buckets.At(i), raw)
		g.buckets.Set(i, spec.DigestOf(raw))
	}
	p.revoke(g.revoked)
	list := ledger.Encode(g.revoked)
	if _, err := ledger.ParseRevoked(list); err != nil {
		return fault.New(fault.Findings, "revoked", "%w", err)
	}
	var was ledger.Head
	if cur.head != nil {
		was = *cur.head
	}
	g.head.Revoked = g.change(ledger.RevokedPath, was.Revoked, list)
	g.head.Buckets = g.change(ledger.BucketsPath, was.Buckets, ledger.Encode(g.buckets))
	return nil
}

// editable returns a copy of bucket i in the generation.
func (g *generation) editable(i int, old *ledger.Bucket) *ledger.Bucket {
	if g.bucket[i] == nil {
		g.bucket[i] = ledger.NewBucket()
		maps.Copy(g.bucket[i].Names, old.Names)
	}
	return g.bucket[i]
}

// change records a durable document, unless it stays the same, and returns its
// digest.
func (g *generation) change(path string, old spec.Digest, data []byte) spec.Digest {
	d := spec.DigestOf(data)
	if d != old {
		g.changes = append(g.changes, change{path: path, old: old, new: d, data: data, durable: true})
	}
	return d
}
