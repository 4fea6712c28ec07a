//go:build !linux

package durable_test

import "errors"

// roleFull needs namespaces, which no test asks for on this system.
func roleFull(string) error { return errors.New("no user namespaces on this system") }
