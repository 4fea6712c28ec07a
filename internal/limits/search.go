package limits

// A search.
const (
	Query      = 4 * KiB // what is typed
	QueryTerms = 64      // different terms of it
)
