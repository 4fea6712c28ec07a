// Package packed makes bytes smaller for their way through a network, as zstd
// (RFC 8878) does.
//
// It promises that what a stranger packed costs no more memory than the most
// that the caller expects, and time in proportion to that and to what came; that
// the same bytes are packed the same way each time; and that a patch is plain
// zstd with the old file as raw dictionary, so that `zstd -d --patch-from` reads
// it, too.
//
// It never tells whether bytes are the right ones: that is for the caller, who
// has a digest.
package packed
