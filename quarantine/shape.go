package quarantine

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// documents are what every format may carry beside its main file.
var documents = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(README\.md|NOTES\.md|LICEN[CS]E([.-][A-Za-z0-9.-]+)?)$`)
})

// carries tells whether the format may have a file of this path. A skill has the
// folders that hosts know, and programs in them, which have rules of their own.
func carries(format spec.Format, path string) bool {
	switch path {
	case format.MainFile():
		return true
	case "closure.json", "pylock.toml":
		return format == spec.FormatPatch || format == spec.FormatInstall // whose package comes by pip
	}
	if format == spec.FormatSkill && spec.FormatOf(path) == "" {
		folder, _, deep := strings.Cut(path, "/")
		switch {
		case deep && slices.Contains(skillFolders(), folder):
			return true
		case !deep && strings.HasSuffix(path, ".md"):
			return true // what SKILL.md leads to
		}
	}
	return documents().MatchString(path)
}

// skillFolders are what skills keep their files in: the three of the published rules,
// and those that skills have had before and beside them.
func skillFolders() []string {
	return []string{"scripts", "references", "assets", "templates", "examples", "resources", "reference"}
}

// checkShape looks at the files themselves: how many, how large, how called,
// and whether they are text [design §3].
func checkShape(c *collector) {
	if c.main == "" {
		c.add(shape, at{}, "the format %s is not known", spec.Quote(string(c.tool.Format)))
		return
	}
	files := c.Release.Files
	if len(files) > limits.ReleaseFiles {
		c.add(shape, at{}, "the release has %d files, allowed are %d", len(files), limits.ReleaseFiles)
	}
	if c.source == nil {
		c.addAs(shape, bad, at{file: c.main}, "add "+c.main, "the main file is missing")
	}
	total := 0
	folded := map[string]string{} // case-folded path, of files and of the folders above them
	for _, f := range files {
		total += len(f.Data)
		where := at{file: f.Path}
		if err := spec.CheckPath(f.Path); err != nil {
			// The path itself is hostile; it stands quoted in the message only.
			c.addAs(shape, bad, at{}, "rename the file", "%v", err)
			continue
		}
		if !carries(c.tool.Format, f.Path) {
			fix := ""
			if c.tool.Format == spec.FormatSkill {
				fix = "keep SKILL.md, documents beside it, and what they use below scripts/, references/ and assets/"
			}
			c.addAs(shape, bad, where, fix, "the file is none of those that the format %s carries", c.tool.Format)
		}
		c.twins(folded, f.Path)
		if len(f.Data) > limits.ToolFile && f.Path != "closure.json" && f.Path != "pylock.toml" {
			c.addAs(shape, bad, where, "keep data out of the release", "the file has %d bytes, allowed are %d", len(f.Data), limits.ToolFile)
		}
		c.textFile(f)
	}
	if n := len(ledger.Encode(c.tool.Permissions())); n > limits.Permissions {
		c.addAs(shape, bad, at{file: c.main}, "ask for less, or for a scope that stands for several", "what the tool asks for has %d bytes, allowed are %d", n, limits.Permissions)
	}
	if total > limits.ReleaseBytes {
		c.addAs(shape, bad, at{}, "keep data out of the release", "the files have %d bytes together, allowed are %d", total, limits.ReleaseBytes)
	}
}

// twins finds two paths that are one on a system that folds case, and a path
// that is a file here and a folder there.
func (c *collector) twins(folded map[string]string, path string) {
	fold := strings.ToLower(path)
	if other, ok := folded[fold]; ok {
		c.addAs(shape, bad, at{file: path}, "rename or remove one of them", "the file is the same as %s where case does not count", spec.Quote(other))
	}
	folded[fold] = path
	for i, ch := range path {
		if ch != '/' {
			continue
		}
		folder := path[:i] + "/"
		fold := strings.ToLower(folder)
		if other, ok := folded[fold]; ok && other != folder {
			c.addAs(shape, bad, at{file: path}, "spell the folder in one way", "the folder is the same as %s where case does not count", spec.Quote(other))
		}
		if other, ok := folded[strings.ToLower(path[:i])]; ok {
			c.addAs(shape, bad, at{file: path}, "rename one of them", "the folder has the name of the file %s", spec.Quote(other))
		}
		folded[fold] = folder
	}
}

var lfsPointer = []byte("version https://git-lfs.github.com/spec/")

// textFile refuses what is no text: every file that a release may have is.
func (c *collector) textFile(f spec.File) {
	where := at{file: f.Path}
	switch {
	case bytes.IndexByte(f.Data, 0) >= 0:
		where.line, where.col = lineCol(f.Data, bytes.IndexByte(f.Data, 0))
		c.addAs(shape, bad, where, "keep binary data out of the release", "the file has a NUL byte")
	case !utf8.Valid(f.Data):
		i := 0
		for {
			r, size := utf8.DecodeRune(f.Data[i:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			i += size
		}
		where.line, where.col = lineCol(f.Data, i)
		c.addAs(shape, bad, where, "save the file as UTF-8", "the file is not UTF-8")
	case bytes.HasPrefix(f.Data, lfsPointer):
		c.addAs(shape, bad, where, "commit the file itself", "the file is a pointer into large file storage")
	}
}

// lineCol turns an offset into a place, both from 1, the column in characters.
func lineCol(data []byte, offset int) (line, col int) {
	before := data[:offset]
	begin := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[begin:]) + 1
}
