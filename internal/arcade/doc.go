// Package arcade runs tools through the execute endpoint of Arcade's engine (REST).
//
// A definition says what may be asked; the tool itself runs elsewhere, with accounts
// and secrets that the person gave to Arcade and not to us. What goes out is the
// tool's name and version, the arguments and the name of the user there; what comes
// back is a stranger's text, bounded and read strictly.
//
// The key is sent to the configured address and nowhere else: no redirect is
// followed, plain http is for this machine alone, and no message repeats the key. A
// token of an account, which the engine's answers may carry, is never read.
//
// "No" and "could not tell" differ: what the engine refuses is Denied, NotFound or
// Usage; what cannot be reached, is busy, or answers nonsense is Unavailable, and
// its message says whether the tool may have run. Nothing is tried twice here: only
// who knows that a tool is idempotent may.
package arcade
