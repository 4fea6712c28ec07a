package github

// Entry is one entry of a folder of a commit. Its name is as git has it and
// unchecked.
type Entry struct {
	Name string
	Mode string // of git: 040000 is a folder, 100644 a regular file
	SHA  string // of the blob or the tree
	Size int64  // of a blob
}
