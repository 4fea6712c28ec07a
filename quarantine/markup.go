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
	if i, content := unshownTitle(text); i >= 0 && !body {
		found(i, "has what a page shows in no line, %s", spec.Quote(content))
	}
	if i, content := markdownComment(text, body); i >= 0 {
		found(i, "has a link that is never shown and used as a comment, which says %s", spec.Quote(content))
	}
	if i, why := hiddenElement(text, body); i >= 0 {
		_, content, _ := strings.Cut(text[i:], ">")
		content, _, _ = strings.Cut(content, "<")
		found(i, "has an element that is not shown (%s), which says %s", why, spec.Quote(strings.TrimSpace(content)))
	}
	if i, n := blankMessage(text); n > 0 {
		found(i, "has blanks and tabs mixed at the end of %d lines", n)
	}
	if i, what := padding(text); i >= 0 {
		rest, _, _ := strings.Cut(text[i:], "\n")
		found(i, "goes on after %s with %s", what, spec.Quote(rest))
	}
	return out
}

// unshownTitle finds a sentence where a page shows none: in an instruction to a
// program that reads the page, in the title of a link, in the text of a picture.
func unshownTitle(text string) (at int, content string) {
	for _, mark := range [...]struct{ begin, end string }{{"<![", "]]>"}, {"<?", ">"}, {"<! ", ">"}, {"![", "]"}, {"](", ")"}, {"]: ", "\n"}} {
		for from := 0; ; {
			i := strings.Index(text[from:], mark.begin)
			if i < 0 {
				break
			}
			i += from
			from = i + len(mark.begin)
			inside, _, _ := strings.Cut(text[from:min(len(text), from+maxTag)], mark.end)
			if mark.begin[0] == ']' { // behind an address
				address, title, _ := strings.Cut(inside, " ")
				if !strings.Contains(address, "://") || strings.Trim(title, `'"(`) == title {
					continue
				}
				inside = title
			}
			if strings.Count(strings.TrimSpace(inside), " ") >= minTitle {
				return i, strings.TrimSpace(inside)
			}
		}
	}
	return -1, ""
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

// hiddenElement finds the first tag whose content is not shown, and why. In a
// description "script" may be what the text is about; markup it is anyway.
func hiddenElement(text string, body bool) (at int, why string) {
	ends := map[string]int{}
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
		if j := strings.Index(squeeze(attributes), "style="); j >= 0 {
			style := attributes[max(0, indexFold(attributes, "style")):]
			_, style, _ = strings.Cut(style, "=")
			if declaration, ok := hidesBy(style); ok {
				return i, declaration
			}
		}
		if value := longAttribute(attributes); !body && value {
			return i, "an attribute"
		}
		if !body && strings.Contains(unseen, " "+name+" ") {
			if _, known := ends[name]; !known { // once for each of a few names, so that reading stays linear
				ends[name] = strings.LastIndex(text, "</"+name)
			}
			if ends[name] > i {
				return i, name
			}
		}
		if hasAttribute(text[from:from+end], "hidden") {
			return i, "hidden"
		}
	}
}

const maxTag = 400

// unseen are elements whose content a page does not show, or not at first.
const unseen = " template noscript style script details datalist "

func indexFold(s, sub string) int { return strings.Index(strings.ToLower(s), sub) }

// longAttribute tells whether an attribute holds a sentence, which no page shows.
func longAttribute(attributes string) bool {
	for from := 0; ; {
		i := strings.IndexAny(attributes[from:], `"'`)
		if i < 0 {
			return false
		}
		i += from
		end := strings.IndexByte(attributes[i+1:], attributes[i])
		if end < 0 {
			end = len(attributes) - i - 1
		}
		if strings.Count(strings.TrimSpace(attributes[i+1:i+1+end]), " ") >= minTitle && !strings.ContainsAny(attributes[i+1:i+1+end], ":;{}") {
			return true
		}
		if from = i + 2 + end; from >= len(attributes) {
			return false
		}
	}
}

// minTitle is how many blanks a title has that is a sentence.
const minTitle = 4

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
	if i := emptyRows(text); i >= 0 {
		return i, "many lines that hold nothing"
	}
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

// emptyRows finds text behind many lines that show nothing or a dot, however the
// nothing is written, and returns where it goes on.
func emptyRows(text string) int {
	at, rows, shown := 0, 0, strings.NewReplacer("<br>", "", "<br/>", "", "<br />", "", "&nbsp;", "", "&#160;", "", "&#xa0;", "", "&emsp;", "")
	for row := range strings.Lines(text) {
		bare := row
		if strings.ContainsAny(row, "<&") {
			bare = shown.Replace(strings.ToLower(row))
		}
		switch bare = strings.TrimFunc(bare, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); {
		case bare == "" && (len(strings.TrimSpace(row)) <= 2 || strings.ContainsAny(row, "<&")):
			rows++
		case rows > maxBlankLines:
			return at
		default:
			rows = 0
		}
		at += len(row)
	}
	return -1
}

// minBlankLines is how many lines must end in blanks and tabs to say something.
const minBlankLines = 4

// blankMessage counts the lines that end in blanks mixed with tabs.
func blankMessage(text string) (at, n int) {
	from := 0
	for row := range strings.Lines(text) {
		row = strings.TrimRight(row, "\r\n")
		tail := row[len(strings.TrimRight(row, " \t")):]
		if strings.Contains(tail, " ") && strings.Contains(tail, "\t") && len(tail) >= 4 && len(tail) < len(row) {
			if n++; n == 1 {
				at = from
			}
		}
		from += len(row) + 1
	}
	if n < minBlankLines {
		return 0, 0
	}
	return min(at, len(text)), n
}
