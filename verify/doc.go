// Package verify turns bytes that some registry served into values that can be
// trusted, or refuses them. It is offline and pure: it reads no file, no
// network and no clock, and runs nothing.
//
// The stages follow the authenticated dictionary of package ledger:
//
//	Policy.Head     head.sigstore.json, head.json, revoked.json -> Head
//	Head.Follows    the head is not older than what was seen     -> nil
//	Head.Record     buckets, bucket, record                      -> Record, or proof of absence
//	Record.Release  release.json, evidence, proof, files         -> Verified
//	Policy.Stored   an installed release, before every run       -> Verified
//
// Whoever reads all of a tree goes through Head.Dictionary, Dictionary.Bucket,
// Bucket.Record and Record.Signed: the same checks, one document at a time.
//
// Every refusal is a *fault.Error of kind NotVerified whose Reason is one of
// the constants of [Reason]. Absence that the dictionary proves is NotFound.
package verify
