package aihost

import "io/fs"

// foreign cannot tell here; a user writes what the system lets them.
func foreign(fs.FileInfo) bool { return false }
