//go:build !linux

package durable

// SyncsAll tells whether [SyncAll] does anything here.
const SyncsAll = false

// SyncAll has no counterpart here; write the files with [WriteFile].
func SyncAll(string) error { return nil }
