//go:build !unix

package keyring

import "io/fs"

// private believes the folder's own access list, which a file in it inherits.
func private(string, fs.FileInfo) error { return nil }
