package quarantine

// packageCapabilities tells what a dotted name of a third-party module can do.
func packageCapabilities(string) ([]Capability, bool) { return nil, false }

// methodCapabilities tells what a method of a value that nobody can resolve may
// do while the module is imported.
func methodCapabilities(string, string) []Capability { return nil }
