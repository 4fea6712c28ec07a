//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

type personKey struct{}

// person needs pseudo-terminals as Linux has them.
func person(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("there is no terminal for a person here")
}
