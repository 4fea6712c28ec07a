// Package quarantine holds the rules that a release must pass before a
// registry takes it and that a client applies again before it runs it: what
// files it has, how it is named, whether its text hides something, and what
// its Python does before anybody calls it.
//
// [Check] is a pure function: no network, no clock, no file, no process, and
// the same subject always gives the same report, byte for byte. What needs
// CPython comes in as [Facts], made by the program of [ProgramSource] inside a
// sandbox; without them the report says "could not tell" as an error and never
// "yes". No finding does not mean safe: the rules bound what a tool can hide,
// not what it can mean, and the sandbox enforces the rest.
//
// A rule is one line in rules.go and one function beside its family; ids are
// stable, and severities only rise where a test shows the attack.
package quarantine
