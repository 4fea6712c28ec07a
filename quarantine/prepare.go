package quarantine

// Prepare reads the tables that nearly every check asks, each of which takes some
// milliseconds. A caller that waits for an interpreter may do that meanwhile; a
// check that finds them unread reads them itself.
func Prepare() {
	stdlib()
	lexicon()
}
