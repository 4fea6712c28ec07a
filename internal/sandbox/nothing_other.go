//go:build !linux

package sandbox

// HostLibraries are what programs need of the host, here nothing: no driver
// hides it.
func HostLibraries() []Mount { return nil }

// No driver here takes long to try, so nothing is remembered.
func remembered(string) string { return "" }
func remember(string, string)  {}
func forget(string)            {}
