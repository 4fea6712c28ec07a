package convert

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/spec"
)

// openScript matches the first line of a script block (PEP 723).
var openScript = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^# /// script\s*$`) })

// headLine matches what must stay on the first two lines: the interpreter, and a
// coding cookie (PEP 263).
var headLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(#!|[ \t\f]*#.*?coding[:=][ \t]*[-_.a-zA-Z0-9]+)`)
})

// pep723 puts a script block before the frontmatter, which stays: the file is both.
func (c *conversion) pep723() error {
	if c.tool.Format != spec.FormatPatch {
		return impossible("%s has no code of its own; only Python files become scripts", c.tool.Name)
	}
	raw := c.doc.Raw
	if openScript().Match(raw) {
		c.add(c.tool.Format.MainFile(), raw) // it is one already
		return nil
	}
	end := "\n"
	if i := bytes.IndexByte(raw, '\n'); i > 0 && raw[i-1] == '\r' {
		end = "\r\n"
	}
	var b bytes.Buffer
	rest := raw
	for range 2 {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 || !headLine().Match(rest[:i]) {
			break
		}
		b.Write(rest[:i+1])
		rest = rest[i+1:]
	}
	b.WriteString("# /// script" + end)
	b.WriteString("# requires-python = \"==" + c.tool.Runtime.PythonVersion + ".*\"" + end)
	b.WriteString("# dependencies = [")
	for i, p := range c.tool.Runtime.Packages {
		if i > 0 {
			b.WriteString(", ")
		}
		q, err := json.Marshal(p) // a TOML basic string takes the same escapes
		if err != nil {
			return err
		}
		b.Write(q)
	}
	b.WriteString("]" + end + "# ///" + end)
	if !strings.HasPrefix(string(rest), "\n") {
		b.WriteString(end)
	}
	b.Write(rest)
	c.approximated("/runtime/python_version", "a range of releases of "+c.tool.Runtime.PythonVersion)
	c.weakerScript()
	c.add(c.tool.Format.MainFile(), b.Bytes())
	return nil
}

// weakerScript tells that the frontmatter is still there but no runner of scripts
// heeds it.
func (c *conversion) weakerScript() {
	t := c.tool
	if t.Capabilities.HumanConfirm {
		c.weaker("/capabilities/human_confirm", "the frontmatter stays in the file, but runners of scripts ask nobody")
	}
	if !t.Capabilities.Network || t.Capabilities.Filesystem != spec.FilesystemReadWrite {
		c.weaker("/capabilities", "the frontmatter stays in the file, but runners of scripts hold nothing in")
	}
	for _, in := range t.Inputs {
		if in.TaintedOK {
			continue
		}
		c.weaker("/inputs", "the frontmatter stays in the file, but runners of scripts know nothing of taint")
		break
	}
	if len(t.ExternalAuth) > 0 {
		c.weaker("/external_auth", "the frontmatter stays in the file, but nobody mints the token")
	}
}
