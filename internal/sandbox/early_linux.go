package sandbox

// The helper begins here and not in main. A Go program initialises all of its
// packages before main, and those that this program needs for other things
// take longer than everything that the helper does; paid a second time by
// every run. Packages are initialised in the order of their import paths as
// soon as what they import is ready, so this one comes before the slow ones.
// In any other process it looks at one string.
func init() { Helper() }
