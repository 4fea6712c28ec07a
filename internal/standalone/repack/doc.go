// Package repack makes archives of interpreters that package standalone
// unpacks: the one that a program is built with, and small ones of the
// machine's own interpreter for tests. The same input gives the same bytes. It
// runs the interpreter that it packs, unconfined, on the machine of who builds
// or tests; the program that users get does not import it.
package repack
