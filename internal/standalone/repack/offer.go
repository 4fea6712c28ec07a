package repack

import (
	_ "unsafe" // for go:linkname

	"github.com/patch-cat/patch-git/internal/standalone"
)

// builds is the table of package standalone. The program has no way to change
// it; tests, which have to offer archives that they made themselves, take this
// one.
//
//go:linkname builds github.com/patch-cat/patch-git/internal/standalone.builds
var builds func() []standalone.Build

// Offer makes some builds the table of this process.
func Offer(table []standalone.Build) { builds = func() []standalone.Build { return table } }
