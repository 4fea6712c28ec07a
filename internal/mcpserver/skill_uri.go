package mcpserver

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// skillScheme begins the addresses of files of skills.
const skillScheme = "skill://"

func fileURI(skill, path string) string { return skillScheme + skill + "/" + path }

// skillName is how the author of a skill writes its name [C-4].
func skillName(n spec.Name) string { return strings.ReplaceAll(string(n), "_", "-") }

// parseFileURI takes an address of a file apart. There is one spelling of each: nothing
// in it is decoded, resolved or made lower case, so that no two checks can read it in two
// ways.
func parseFileURI(uri string) (spec.Name, string, error) {
	bad := func() (spec.Name, string, error) {
		return "", "", fault.New(fault.Usage, "skill_uri", "%s is no address of a file of a skill", spec.Quote(shorten(uri, limits.MCPURI))).
			Hint("resources/list has them, such as %swork-log/%s", skillScheme, spec.FormatSkill.MainFile())
	}
	rest, ok := strings.CutPrefix(uri, skillScheme)
	if !ok || len(uri) > limits.MCPURI {
		return bad()
	}
	skill, file, _ := strings.Cut(rest, "/")
	if manifest.SkillName(skill) != nil || spec.CheckPath(file) != nil {
		return bad()
	}
	name, err := spec.ParseName(strings.ReplaceAll(skill, "-", "_"))
	if err != nil {
		return bad()
	}
	return name, file, nil
}

// types are the kinds of files that a skill has, by the ends of their names. What a
// browser would run is a text like any other.
var types = map[string]string{
	".md": "text/markdown", ".txt": textType, ".py": "text/x-python", ".sh": "text/x-shellscript", ".js": textType, ".ts": textType,
	".json": "application/json", ".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml", ".csv": "text/csv",
	".html": textType, ".svg": textType, ".xml": textType,
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".pdf": "application/pdf",
}

const (
	textType  = "text/plain"
	bytesType = "application/octet-stream"
)

// mimeOf is the type of a file by its name, "" where that says nothing.
func mimeOf(file string) string { return types[strings.ToLower(path.Ext(file))] }

// isText tells whether a file of a type is given as text.
func isText(mime string) bool {
	return !strings.HasPrefix(mime, "image/") && mime != "application/pdf"
}

// contents are the bytes of a file, as text where its name does not speak against it and
// they are one, else base64.
func contents(file string, data []byte) *mcp.ResourceContents {
	mime := mimeOf(file)
	if isText(mime) && utf8.Valid(data) {
		if mime == "" {
			mime = textType
		}
		if len(data) > 0 {
			return &mcp.ResourceContents{MIMEType: mime, Text: string(data)}
		}
		return &mcp.ResourceContents{MIMEType: mime, Blob: []byte{}} // an empty text would be left out
	}
	if mime == "" || isText(mime) {
		mime = bytesType
	}
	return &mcp.ResourceContents{MIMEType: mime, Blob: data}
}
