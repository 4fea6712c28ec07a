// Package ledger owns the documents of a published tree: their shape, their
// canonical bytes, their digests, the paths they lie at and the log over them.
// It reads and writes byte slices and knows neither files, networks nor keys.
//
// # The tree
//
// All paths are relative to v1/ and follow from a name and a version alone:
//
//	registry.json                                  who this is, and what to trust
//	head.sigstore.json                             the one mutable pointer: signed, names head.json by digest
//	head.json                                      seq, time, digests of buckets, catalogue and revoked list, log root
//	buckets.json                                   256 digests
//	buckets/<hh>.json                              name -> digest of its record, for names whose sha256 begins with hh
//	records/<ab>/<name>.json                       all versions of one tool
//	releases/<ab>/<name>/<version>/release.json    files of a release with digests; beside it the files,
//	                                               evidence.sigstore.json and proof.json
//	withdrawals/<index>.sigstore.json              evidence of a yank, unyank or revocation, by its place in the log
//	revoked.json                                   what must not run any more
//	search/tools.json                              of every tool what a search looks at and a card shows
//	log/checkpoint, log/tile/…                     C2SP tlog-tiles over the event entries
//	objects/<hh>/<digest>                          head, buckets, bucket, record, revoked list by digest
//
// head.sigstore.json -> head -> buckets -> bucket -> record -> release is an
// authenticated dictionary: it proves what a name maps to and that a name is
// absent. The files with fixed paths are a convenience that lets a client ask
// for all of them at once; where one does not have the digest that its parent
// states (a publication is under way, a cache is stale), the same document
// lies in objects/ under that digest. So a tree is whole at every instant
// between two writes, and one atomic replacement moves it to the next state.
//
// # Canonical bytes
//
// A document is JSON in one line with the members in the order of the Go
// fields, ended by a line feed. Parsing encodes what was decoded once more and
// compares: a document with unknown, duplicate or oddly spelled members, other
// white space or another order of members is refused, so that one digest
// stands for one meaning.
package ledger
