package registry

import "slices"

// Served tells whether a source is a static host, which has files that only
// those have: the others would only be asked in vain.
func Served(src Source) bool {
	switch s := src.(type) {
	case *httpSource:
		return true
	case *mirrored:
		return slices.ContainsFunc(s.sources, Served)
	}
	return false
}
