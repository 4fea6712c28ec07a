package spec

// Formats are all formats, the oldest first.
func Formats() []Format { return []Format{FormatPatch, FormatInstall, FormatSkill, FormatArcade} }

// FormatOf is the format whose main file has this path inside of a version
// directory, letter by letter; "" for every other path.
func FormatOf(path string) Format {
	for _, f := range Formats() {
		if f.MainFile() == path {
			return f
		}
	}
	return ""
}

// MainFormats are the formats whose main files are among the files, in the order
// of [Formats]. A version directory has exactly one: with two, a reader and a
// program could each take another file for what the release is.
func MainFormats(files []File) []Format {
	var out []Format
	for _, format := range Formats() {
		for _, f := range files {
			if f.Path == format.MainFile() {
				out = append(out, format)
				break
			}
		}
	}
	return out
}

// Noun is what a tool of the format is called in a sentence.
func (f Format) Noun() string {
	switch f {
	case FormatPatch:
		return "Patch tool"
	case FormatInstall:
		return "install manifest"
	case FormatSkill:
		return "skill"
	case FormatArcade:
		return "Arcade definition"
	}
	return "tool"
}
