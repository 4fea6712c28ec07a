package sanitize

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// confusablesText is the part of Unicode's table of confusable characters (UTS
// #39) that reads as ASCII; docs/unicode writes it.
//
//go:generate sh -c "go run ../../docs/unicode $CONFUSABLES >confusables.txt"
//go:embed confusables.txt
var confusablesText string

// confusables maps a character to the ASCII that a reader takes it for.
var confusables = sync.OnceValue(func() map[rune]string {
	table := map[rune]string{}
	for line := range strings.Lines(confusablesText) {
		fields := strings.Fields(line)
		if strings.HasPrefix(line, "# ") || len(fields) < 2 {
			continue
		}
		for _, hex := range fields[1:] {
			if r, err := strconv.ParseUint(hex, 16, 21); err == nil {
				table[rune(r)] = fields[0]
			}
		}
	}
	return table
})

// imitates tells whether r passes for one Latin letter.
func imitates(r rune) bool {
	if r < utf8.RuneSelf {
		return false
	}
	ascii := confusables()[r]
	return len(ascii) == 1 && isASCIILetter(rune(ascii[0]))
}

func isASCIILetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

// Plain returns the text as a reader takes it, in lower case and as far as it
// can be in ASCII: nothing hidden, no accents, letters of every style as plain
// ones, and the letters of other scripts that pass for Latin as those. It is for
// comparing with words, never for showing: Russian comes out as nonsense.
func Plain(text string) string {
	if isPlain(text) {
		return strings.ToLower(text)
	}
	table := confusables()
	visible := norm.NFKD.String(strip(text, true))
	var b strings.Builder
	b.Grow(len(visible))
	for _, r := range visible {
		switch lower := unicode.ToLower(r); {
		case r < utf8.RuneSelf:
			b.WriteRune(lower)
		case unicode.Is(unicode.M, r) || category(r, utf8.RuneLen(r)) != "":
		case table[lower] != "":
			b.WriteString(strings.ToLower(table[lower]))
		case table[r] != "":
			b.WriteString(strings.ToLower(table[r]))
		case r >= 0x1F1E6 && r <= 0x1F1FF: // the letters that flags are made of
			b.WriteByte(byte('a' + r - 0x1F1E6))
		case isCapital(r):
			b.WriteString(capitalOf(r))
		default:
			b.WriteRune(lower)
		}
	}
	return b.String()
}

// capitalOf is the letter of a small capital, which Unicode's table holds to be
// like the letter only where it is the shape of the small one, too.
func capitalOf(r rune) string {
	const small, plain = "ʙɢʜʟɴʀᴀᴅᴇᴊᴋᴍᴘᴛꜰ", "bghlnradejkmptf"
	if i := strings.IndexRune(small, r); i >= 0 {
		i = utf8.RuneCountInString(small[:i])
		return plain[i : i+1]
	}
	return string(r)
}
