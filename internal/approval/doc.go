// Package approval keeps what waits for a person's word: actions that were held,
// what was decided of them and by which way, and the values that a person said
// yes to before.
//
// The id of a pending action is no capability: it says which action is meant and
// nothing else. What approves is a decision, made where a model cannot reach it,
// bound to the digest of the tool, the canonical arguments and the session, good
// for one run, and gone after a while. Every file is mode 0600 and carries a code
// under a key of the user's, so that a tampered one is refused and not believed.
//
// It never decides, never prints and never runs anything.
package approval
