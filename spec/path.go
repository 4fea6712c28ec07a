package spec

import (
	"slices"
	"strings"
)

// pathWords end the name of an input whose value is a path.
var pathWords = []string{"path", "file", "filename", "dir", "directory", "folder"}

// outputWords begin the name of a path input that the tool writes.
var outputWords = []string{"output", "out", "dest", "destination", "target", "save"}

// IsPath tells whether the value of an input is a path. The manifest has no type
// for that; the name says so: a string whose last word is one for a file or a
// folder (source_path, save_dir).
func (in Input) IsPath() bool {
	words := strings.Split(in.Name, "_")
	return in.Type == TypeString && slices.Contains(pathWords, words[len(words)-1])
}

// IsOutputPath tells whether a path input names what the tool writes, by the first
// word of its name (output_path). All others are for reading, also in a tool that
// may write: the photo that is made smaller stays as it is.
func (in Input) IsOutputPath() bool {
	first, _, _ := strings.Cut(in.Name, "_")
	return in.IsPath() && slices.Contains(outputWords, first)
}

// MayGive tells whether the tool may be given files of the user's, to read or to
// write.
func (c Capabilities) MayGive(write bool) bool {
	return c.Filesystem == FilesystemReadWrite || c.Filesystem == FilesystemReadOnly && !write
}

// NoPaths tells that the tool may be given files and no input can name one.
func (t *Tool) NoPaths() bool {
	return t.Capabilities.MayGive(false) && !slices.ContainsFunc(t.Inputs, Input.IsPath)
}
