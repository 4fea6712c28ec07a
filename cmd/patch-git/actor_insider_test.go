package main

import (
	"context"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// conceal is an insider who takes a revocation back without a word in the log:
// the revoked list is empty under a head that the registry's key signed.
func conceal(ts *testscript.TestScript, dir, keyFile string) error {
	key, err := signing.LoadKey(ts.MkAbs(keyFile))
	if err != nil {
		return err
	}
	ctx, store := context.Background(), registry.OpenDir(published(ts, dir))
	raw, err := store.Read(ctx, ledger.HeadPath, 1<<20)
	if err != nil {
		return err
	}
	head, err := ledger.ParseHead(raw)
	if err != nil {
		return err
	}
	list := ledger.Encode(ledger.NewRevoked())
	head.Revoked, head.Seq = spec.DigestOf(list), head.Seq+1
	raw = ledger.Encode(head)
	evidence, err := key.Sign(ctx, ledger.NewStatement(head.Registry.HeadSubject(), spec.DigestOf(raw), ledger.PredicateHead,
		ledger.HeadPredicate{Registry: ledger.RegistryID{Name: head.Registry}, Seq: head.Seq, LogSize: head.Log.Size}))
	if err != nil {
		return err
	}
	for path, data := range map[string][]byte{ledger.RevokedPath: list, ledger.HeadPath: raw, ledger.HeadEvidencePath: evidence} {
		if err := store.Write(ctx, path, data, false); err != nil {
			return err
		}
	}
	return nil
}
