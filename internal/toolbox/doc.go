// Package toolbox holds what one user has installed: releases with their
// evidence, receipts, consents, and the registries that the user trusts.
//
//	tools/<name>.py                        the current version, bytes as in the registry [AR-21]
//	index.json                             name -> version, file, last use [AR-22]
//	receipts/<name>/<version>/             receipt.json, release.json, evidence.sigstore.json, proof.json, consent.json
//	store/<ab>/<digest>                    files of releases by digest [C-11]
//	registries/<owner>/<registry>.json     what is pinned, and the newest head that was verified
//
// receipt.json is the commit point of an install: it is written last, and what
// lies around without one is not installed. index.json is a convenience that
// is rebuilt from the receipts where it is missing.
//
// Only verify.Verified can be installed, and what is installed is verified
// again before it is handed out: a file that was changed on disk is refused.
package toolbox
