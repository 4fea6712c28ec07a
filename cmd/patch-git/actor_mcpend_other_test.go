//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

func mcpEnd(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("it looks at /proc") }
