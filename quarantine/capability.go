package quarantine

// Capability is one kind of thing outside of itself that a tool reaches.
type Capability string
