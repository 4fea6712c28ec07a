// Package notes keeps what a host reports of a conversation and this program does
// not see by itself: what the person typed, and what other servers answered.
//
// A host's hook writes notes with `patch-git taint note`; servers that live read
// them before each call. A note is a file of mode 0600 with a code under a key of
// the user's, good for a while and few in number. Whoever writes one is the user,
// or a program with the user's rights: what the person typed is believed as far as
// that, and no further.
package notes
