// Package skillplan makes the plan of a skill before anything of it runs: which
// inputs it gets and whether they fit their schemas, which paths they lead to,
// whether the commands, files and environment variables that it asks for are there
// [SK-39…46]. A plan lists every problem, in the order of those rules, and nothing
// runs while there is one [SK-54].
//
// What a skill says of itself (destructive, network, interactive) is a hint of its
// author and is called so [SK-35]. Two things are ours: the timeout ends the whole
// tree of what runs under the plan, and what runs, runs in the sandbox, as does a
// command that is asked for its version.
//
// "No" and "could not tell" are different: a command that is too old is a problem, one
// whose version nobody could learn is untold.
package skillplan
