// Package inspect audits a whole published tree: everything that the head
// leads to is read, and everything that follows from something else is worked
// out again and compared.
//
// What a client checks is one path through the tree. What only an audit can
// tell is that the log and the dictionary tell the same story: that every
// version that a record shows was logged, that every acceptance that was
// logged is shown, and that yanks and revocations are shown as they were
// logged. A registry that hides an entry from its records, or a version from
// its log, is found here and nowhere else.
//
// The room reads through a registry.Source and writes nothing, prints nothing
// and asks no clock. It trusts the verify.Policy alone. What it finds is of
// two kinds, and they are never mixed: damage (the tree is not what was
// signed) and what could not be read (nobody can tell).
package inspect
