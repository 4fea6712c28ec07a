//go:build embedpy

package standalone

import _ "embed"

// `make build-full` has docs/python/embed write both files, for one platform.
// They are strings, so that they lie in the part of the program that is read
// from the disk when it is needed, and a start does not touch them.

//go:embed embedded/facts.txt
var facts string

//go:embed embedded/python.tar.gz
var content string
