package manifest

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"github.com/patch-cat/patch-git/internal/limits"
)

// fromECMAScript writes a pattern of ECMAScript as the engine has it, which comes
// from .NET: groups that only .NET knows are refused, and what both write alike but
// mean differently is written out.
func fromECMAScript(text string) (string, error) {
	if !strings.ContainsAny(text, `\.`) && !strings.Contains(text, "(?") {
		return text, nil
	}
	var b strings.Builder
	class := false // within [ ]
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			n, err := escapeOf(&b, text[i:])
			if err != nil {
				return "", err
			}
			i += n - 1
		case class:
			class = c != ']'
			b.WriteByte(c)
		case c == '[':
			class = true
			b.WriteByte(c)
		case c == '.': // no line terminator, of which there are four
			b.WriteString(`[^\n\r\u2028\u2029]`)
		case c == '(' && strings.HasPrefix(text[i:], "(?"):
			if !isGroup(text[i+2:]) {
				return "", errors.New("ECMAScript has no such group: " + plainText(firstOf(text[i:], 8)))
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// isGroup tells whether ECMAScript has a group that begins so behind "(?".
func isGroup(s string) bool {
	for _, begin := range []string{":", "=", "!", "<=", "<!"} {
		if strings.HasPrefix(s, begin) {
			return true
		}
	}
	name, _, ok := strings.Cut(s, ">")
	name, begun := strings.CutPrefix(name, "<")
	if !ok || !begun || name == "" || isDigit(name[0]) {
		return false
	}
	return !strings.ContainsFunc(name, func(c rune) bool {
		return c < 0x80 && !isLetter(byte(c)) && !isDigit(byte(c)) && c != '_' && c != '$'
	})
}

// escapeOf writes what a backslash begins, and tells how many bytes that was.
func escapeOf(b *strings.Builder, s string) (int, error) {
	if len(s) < 2 {
		return 0, errors.New(`nothing follows the last \`)
	}
	switch c := s[1]; c {
	case 'p', 'P':
		end := strings.IndexByte(s, '}')
		if len(s) < 3 || s[2] != '{' || end < 0 {
			return 0, errors.New(`\` + string(c) + ` names no property of characters`)
		}
		name := s[3:end]
		if property, value, ok := strings.Cut(name, "="); ok {
			switch property {
			case "Script", "sc", "General_Category", "gc":
				name = value
			default:
				return 0, errors.New("there is no property " + plainText(firstOf(property, 40)))
			}
		}
		if long, ok := categories[name]; ok {
			name = long
		}
		b.WriteString(s[:3] + name + "}")
		return end + 1, nil
	case 'u':
		if r, ok := pairOf(s); ok { // two escapes for one character
			b.WriteRune(r)
			return 12, nil
		}
		b.WriteString(s[:2])
		return 2, nil
	case 'A', 'Z', 'z', 'G', 'a', 'e', 'Q', 'E': // to .NET anchors and control characters
		b.WriteByte(c)
		return 2, nil
	default:
		b.WriteString(s[:2])
		return 2, nil
	}
}

// pairOf reads a character that is written as the two halves of a surrogate pair.
func pairOf(s string) (rune, bool) {
	if len(s) < 12 || s[6:8] != `\u` {
		return 0, false
	}
	high, err := strconv.ParseUint(s[2:6], 16, 16)
	low, too := strconv.ParseUint(s[8:12], 16, 16)
	r := utf16.DecodeRune(rune(high), rune(low))
	return r, err == nil && too == nil && r != utf8.RuneError
}

// categories are the long names of the general categories, as ECMAScript takes them.
var categories = map[string]string{
	"Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me",
	"Number": "N", "Decimal_Number": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
	"Punctuation": "P", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Separator": "Z", "Space_Separator": "Zs", "Other": "C", "Control": "Cc",
}

// firstOf returns at most so many bytes, whole characters.
func firstOf(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// patternCache compiles each pattern of one file once, and not too many of them, for
// matches that may take less time than those of a call.
type patternCache struct {
	known map[string]*regexp2.Regexp
	wrong map[string]error
	size  int // bytes of all of them
}

// Caps on the patterns of one file.
const (
	maxPatterns     = 1_000
	maxPatternBytes = 64 * limits.KiB // all together: half a microsecond each to compile
)

func (c *patternCache) compile(text string) (*regexp2.Regexp, error) {
	if re := c.known[text]; re != nil || c.wrong[text] != nil {
		return re, c.wrong[text]
	}
	if c.size += len(text); len(c.known)+len(c.wrong) >= maxPatterns || c.size > maxPatternBytes {
		return nil, errors.New("the file has too many patterns")
	}
	if c.known == nil {
		c.known, c.wrong = map[string]*regexp2.Regexp{}, map[string]error{}
	}
	re, err := compilePattern(text)
	if err != nil {
		c.wrong[text] = err
		return nil, err
	}
	re.MatchTimeout = readTime
	c.known[text] = re
	return re, nil
}
