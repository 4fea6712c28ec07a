//go:build !linux

package sandbox

// drivers is empty, so that Open refuses.
func drivers(Options) []driver { return nil }

// HostLibraries are what programs need of the host, here nothing: no driver
// hides it.
func HostLibraries() []Mount { return nil }

// Nothing was ever chosen here, so there is nothing to remember.
func remembered(string) string { return "" }
func remember(string, string)  {}
func forget(string)            {}
