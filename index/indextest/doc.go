// Package indextest judges rankings: sets of tools and requests with what is
// right for each, the usual measures over them, and catalogues of any size. It is
// for tests and for `make eval-search` alone.
package indextest
