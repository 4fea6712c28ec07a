//go:build unix

package main

import "syscall"

// ownSession leaves the terminal that the tests were started from. Who leads a
// session already has a terminal of the test's making, and keeps it.
func ownSession() { _, _ = syscall.Setsid() }
