package toolbox

import "io/fs"

// othersWrite cannot be told from a mode on Windows; the folder lies in the
// user's profile, which the system keeps to the user.
func othersWrite(fs.FileInfo) bool { return false }
