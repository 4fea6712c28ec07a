// Package inflate unpacks what deflate (RFC 1951) packed, of members of wheels.
//
// It is here beside the standard library's because that one hands over bytes one
// by one: here the bits of several symbols are looked up out of one word, in
// tables that answer most of them at once, and what comes out is written in large
// parts, which takes half the time.
//
// It promises to accept what compress/flate accepts and to give the same bytes (a
// fuzz target holds one against the other), to use memory that does not depend on
// what came, and to stop as soon as more comes out than the caller expects.
package inflate
