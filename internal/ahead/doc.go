// Package ahead begins a run while this program itself is still starting.
//
// A run waits for two slow things, this program's own start and verification,
// and the interpreter's. Neither needs the other: what boots here, in the
// sandbox, is the interpreter with the runner, which then waits for the tool.
// The job is the one that the same tool had last time, kept in the user's
// cache. It is a guess and decides nothing: the sandbox gives the tool only to
// a program that was started by exactly the job that the verified tool gets
// now, and ends any other unused.
//
// A check waits for the same two things. Its program is our own and reads the
// source, which it never runs; it is started only for a source of which no answer
// is kept.
//
// What it never does. It starts nothing that has the network or may write to a
// path of the host, so that even a forged guess can do no more than warm the
// processor; and no byte of a tool reaches what it started before the tool was
// verified and its run recorded.
package ahead
