package quarantine

import (
	"net/url"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// rendered finds what a page shows in another way than a model reads it: links
// whose text is another address, and in a description also pictures, footnotes
// and definitions, which it has no page for.
func rendered(text string, body bool) []remark {
	var out []remark
	found := func(at int, seen string, args ...any) {
		r := remark{rule: renderedOtherwise, mild: true, line: 1 + strings.Count(text[:at], "\n")}
		r.format(seen, args...)
		out = append(out, r)
	}
	for from := 0; len(out) < maxPerRule; {
		i := strings.Index(text[from:], "](")
		if i < 0 {
			break
		}
		i += from
		from = i + 2
		open := strings.LastIndexByte(text[max(0, i-maxTag):i], '[')
		if open < 0 {
			continue
		}
		open += max(0, i-maxTag)
		target, _, _ := strings.Cut(text[from:min(len(text), from+maxTag)], ")")
		label := text[open+1 : i]
		switch picture := open > 0 && text[open-1] == '!'; {
		case picture && !body:
			found(open, "has a picture, %s", spec.Quote(target))
		case !picture && strings.TrimSpace(label) == "" && target != "":
			found(open, "has a link that shows nothing and leads to %s", spec.Quote(target))
		case !picture && otherHost(label, target):
			found(open, "has a link that shows %s and leads to %s", spec.Quote(label), spec.Quote(target))
		}
	}
	if at := footnote(text); at >= 0 && !body {
		found(at, "has a footnote, which a page shows elsewhere")
	}
	return append(out, anchors(text)...)
}

// anchors finds links written in HTML that show another address.
func anchors(text string) []remark {
	var out []remark
	for from := 0; len(out) < maxPerRule; {
		i := strings.Index(text[from:], "href=")
		if i < 0 {
			break
		}
		i += from
		from = i + len("href=")
		tag, rest, ok := strings.Cut(text[from:min(len(text), from+maxTag)], ">")
		if !ok {
			continue
		}
		target, _, _ := strings.Cut(strings.TrimLeft(tag, `"' `), `"`)
		target, _, _ = strings.Cut(target, "'")
		label, _, _ := strings.Cut(rest, "<")
		if otherHost(label, target) {
			r := remark{rule: renderedOtherwise, mild: true, line: 1 + strings.Count(text[:i], "\n")}
			r.format("has a link that shows %s and leads to %s", spec.Quote(label), spec.Quote(target))
			out = append(out, r)
		}
	}
	return out
}

// otherHost tells whether a link's text is itself an address, and of another
// host than the link's.
func otherHost(label, target string) bool {
	shown, leads := hostOf(strings.Trim(label, " *_`")), hostOf(strings.TrimSpace(target))
	return shown != "" && leads != "" && shown != leads
}

// hostOf is the host of what looks like an address, "" for other text.
func hostOf(s string) string {
	if strings.ContainsAny(s, " \n") {
		s, _, _ = strings.Cut(s, " ")
	}
	switch {
	case strings.HasPrefix(s, "www."):
		s = "https://" + s
	case !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://"):
		return ""
	}
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}

// footnote finds a definition such as [^1]: text.
func footnote(text string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], "[^")
		if i < 0 {
			return -1
		}
		i += from
		from = i + 2
		if end := strings.Index(text[from:min(len(text), from+maxLabel)], "]:"); end > 0 && !strings.ContainsAny(text[from:from+end], "\n]") {
			return i
		}
	}
}
