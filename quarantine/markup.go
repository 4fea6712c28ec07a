package quarantine

import (
	"strings"
	"unicode"

	"github.com/patch-cat/patch-git/spec"
)

// Padding pushes what follows it out of sight.
const (
	maxBlankLines = 12
	maxBlanks     = 60
)

// hiddenMarkup finds what a page does not show and a model reads: comments,
// elements with a style that hides them, and text far below or beside the rest.
func hiddenMarkup(text string, body bool) []remark {
	var out []remark
	found := func(at int, seen string, args ...any) {
		r := remark{rule: hiddenPassage, line: 1 + strings.Count(text[:at], "\n")}
		r.format(seen, args...)
		out = append(out, r)
	}
	if i := strings.Index(text, "<!--"); i >= 0 {
		content, _, _ := strings.Cut(text[i+len("<!--"):], "-->")
		found(i, "has a comment, which says %s", spec.Quote(strings.TrimSpace(content)))
	}
	if i, content := markdownComment(text, body); i >= 0 {
		found(i, "has a link that is never shown and used as a comment, which says %s", spec.Quote(content))
	}
	if i, why := hiddenElement(text, body); i >= 0 {
		_, content, _ := strings.Cut(text[i:], ">")
		content, _, _ = strings.Cut(content, "<")
		found(i, "has an element that is not shown (%s), which says %s", why, spec.Quote(strings.TrimSpace(content)))
	}
	if i, what := padding(text); i >= 0 {
		rest, _, _ := strings.Cut(text[i:], "\n")
		found(i, "goes on after %s with %s", what, spec.Quote(rest))
	}
	return out
}

// markdownComment finds a link reference definition that nobody can follow,
// such as [//]: # (text); in a document only where Markdown takes it for one.
func markdownComment(text string, body bool) (at int, content string) {
	for from := 0; ; {
		i := strings.Index(text[from:], "]:")
		if i < 0 {
			return -1, ""
		}
		i += from
		from = i + 2
		open := strings.LastIndexByte(text[max(0, i-maxLabel):i], '[')
		if open < 0 {
			continue
		}
		open += max(0, i-maxLabel)
		if label := text[open+1 : i]; strings.ContainsAny(label, "\n]") || label != "" && label[0] == '^' {
			continue
		}
		if begin := strings.LastIndexByte(text[:open], '\n') + 1; body && strings.Trim(text[begin:open], " \t>") != "" {
			continue
		}
		rest, _, _ := strings.Cut(text[from:min(len(text), from+maxTag)], "\n")
		rest = strings.TrimSpace(rest)
		target, title, _ := strings.Cut(rest, " ")
		if target == "#" || target == "<>" || target == "" && rest != "" || strings.HasPrefix(target, "<#") {
			if title = strings.Trim(strings.TrimSpace(title), `()"'`); title != "" || !body {
				return open, title
			}
		}
	}
}

const maxLabel = 100

// hiding are the declarations of CSS that take an element out of sight, without
// blanks and in lower case.
var hiding = [...]string{
	"display:none", "visibility:hidden", "visibility:collapse", "opacity:0", "font-size:0", "font-size:1px", "max-height:0",
	"color:transparent", "color:white", "color:#fff", "color:rgba(0,0,0,0)", "text-indent:-", "left:-9", "top:-9",
	"clip:rect(0", "clip-path:", "transform:scale(0", "width:0", "height:0", "line-height:0",
}

// hiddenElement finds the first tag whose content is not shown, and why. In a
// description "script" may be what the text is about; markup it is anyway.
func hiddenElement(text string, body bool) (at int, why string) {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '<')
		if i < 0 {
			return -1, ""
		}
		i += from
		from = i + 1
		end := strings.IndexAny(text[from:min(len(text), from+maxTag)], "<>")
		if end < 0 {
			end = min(len(text), from+maxTag) - from
		}
		name, attributes, _ := strings.Cut(text[from:from+end], " ")
		switch name = strings.ToLower(name); {
		case !isTagName(name):
			continue
		case body && (name == "template" || name == "noscript" || name == "style" || name == "script"):
			return i, name
		}
		attributes = squeeze(attributes)
		if j := strings.Index(attributes, "style="); j >= 0 {
			for declaration := range strings.SplitSeq(attributes[j+len("style="):], ";") {
				for _, h := range hiding {
					if rest, ok := strings.CutPrefix(declaration, h); ok && !strings.HasPrefix(rest, ".") {
						return i, h
					}
				}
			}
		}
		if hasAttribute(text[from:from+end], "hidden") {
			return i, "hidden"
		}
	}
}

const maxTag = 400

// hasAttribute tells whether the tag has the attribute, with a value or without.
func hasAttribute(tag, name string) bool {
	for i, word := range strings.FieldsFunc(strings.ToLower(tag), func(r rune) bool { return unicode.IsSpace(r) || r == '/' }) {
		if word, _, _ = strings.Cut(word, "="); i > 0 && word == name {
			return true
		}
	}
	return false
}

// squeeze is the text in lower case and without blanks, quotes and backslashes.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '"' || r == '\'' || r == '\\' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// padding finds text behind so many blanks that a reader takes the text to have
// ended, and returns where it goes on.
func padding(text string) (at int, what string) {
	lines, blanks := 0, 0
	for i, r := range text {
		switch {
		case r == '\n':
			lines++
			blanks = 0
		case unicode.IsSpace(r) || unicode.Is(unicode.Zs, r):
			blanks++
			if r == '\t' {
				blanks += 3
			}
		case lines > maxBlankLines:
			return i, "many empty lines"
		case blanks >= maxBlanks && !strings.ContainsRune("|-+=#*_.:", r) && (r < 0x2500 || r >= 0x2600):
			return i, "many blanks"
		default:
			lines, blanks = 0, 0
		}
	}
	return -1, ""
}
