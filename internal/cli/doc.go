// Package cli is the command line: it turns flags into options, calls one
// function of contribute or consume, and prints what came back. It decides
// nothing about trust.
//
// stdout is the answer, stderr is the talk. Every command knows --json, which
// makes the answer one versioned document on stdout and an error one line of
// JSON on stderr; the exit code is the same with and without it. Prompts go to
// the terminal device and refuse where there is none.
package cli
