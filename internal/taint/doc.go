// Package taint tells where a value that a tool is about to be given was seen
// before, when it was seen in something that nobody vouches for [PM-27…29].
//
// A History holds what one conversation has read: the text leaves of untrusted
// outputs, as they are, squeezed to letters and digits, cut into pieces, and as
// they would be read after the usual encodings. Check holds the leaves of a
// call's arguments against it.
//
// It follows values, not meaning: what a model read and tells in words of its own
// is not found. docs/taint.md says what else it cannot see. It is no proof of
// absence, it never changes a value, and it does no I/O.
package taint
