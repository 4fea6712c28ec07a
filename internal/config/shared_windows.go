package config

import "io/fs"

// shared cannot tell here, where the mode says nothing; the folder is the user's.
func shared(fs.FileInfo) bool { return false }
