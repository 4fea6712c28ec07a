package quarantine

import (
	_ "embed"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// secrets.txt says its own grammar in its head.
//
//go:embed secrets.txt
var shapesText string

// shape is a token that says by its beginning what it is.
type tokenShape struct {
	what, prefix string
	alphabet     alphabet
	least, most  int // letters behind the prefix
}

// shapes are those of secrets.txt by their first byte, longer prefixes first.
var shapes = sync.OnceValue(func() *[256][]tokenShape { return readShapes(shapesText) })

func readShapes(text string) *[256][]tokenShape {
	var all [256][]tokenShape
	for line := range strings.Lines(text) {
		what, list, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok || line[0] == '#' {
			continue
		}
		for one := range strings.SplitSeq(list, ", ") {
			words := strings.Fields(one)
			if len(words) != 3 {
				continue
			}
			s := tokenShape{what: what, prefix: words[0], alphabet: alphabetOf(words[1])}
			number, more := strings.CutSuffix(words[2], "+")
			s.least, _ = strconv.Atoi(number) // TestShapesAreWellFormed reads them all
			if s.most = s.least; more {
				s.most = maxToken
			}
			all[s.prefix[0]] = append(all[s.prefix[0]], s)
		}
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b tokenShape) int { return len(b.prefix) - len(a.prefix) })
	}
	return &all
}

// maxToken is the longest token that is looked at.
const maxToken = 2000

// shapedAt finds a token of secrets.txt.
func shapedAt(text string, i int) (secret, int) {
	for _, s := range shapes()[text[i]] {
		if !strings.HasPrefix(text[i:], s.prefix) {
			continue
		}
		from := i + len(s.prefix)
		n := run(text[from:], s.alphabet, s.most+1)
		if n < s.least || n > s.most || from+n < len(text) && isAlnum(text[from+n]) {
			continue
		}
		body := text[from : from+n]
		token := text[i : from+n]
		// Of capitals alone, a draw can have few digits or none.
		if isPlaceholder(body) || s.alphabet == upper && bits(body) < 2.8 || s.alphabet != upper && s.least > 0 && !isMixed(body) {
			return secret{}, from + n - i
		}
		return secret{what: article(s.what), text: token, doubtful: wrongChecksum(s.prefix, body)}, from + n - i
	}
	return secret{}, 0
}

// article puts "a" or "an" before what begins like it is spoken.
func article(what string) string {
	if strings.ContainsRune("AEIOX", rune(what[0])) || strings.HasPrefix(what, "npm") {
		return "an " + what
	}
	return "a " + what
}

// alphabet is a set of bytes, made of kinds of letters.
type alphabet uint8

const (
	digits alphabet = 1 << iota
	aToF            // of small letters
	gToZ
	upperAToF
	upperGToZ
	dashes // _ and -
	marks  // others that tokens have

	hexLow = digits | aToF
	hexAny = digits | aToF | upperAToF
	lower  = digits | aToF | gToZ
	upper  = digits | upperAToF | upperGToZ
	alnum  = lower | upper
	word   = alnum | dashes
	wide   = word | marks
)

// alphabetOf reads the names that secrets.txt has for alphabets.
func alphabetOf(name string) alphabet {
	switch name {
	case "hex":
		return hexLow
	case "Hex":
		return hexAny
	case "lower":
		return lower
	case "upper":
		return upper
	case "alnum":
		return alnum
	case "word":
		return word
	case "wide":
		return wide
	}
	return 0
}

func kindOf(b byte) alphabet {
	switch {
	case b >= '0' && b <= '9':
		return digits
	case b >= 'a' && b <= 'f':
		return aToF
	case b >= 'g' && b <= 'z':
		return gToZ
	case b >= 'A' && b <= 'F':
		return upperAToF
	case b >= 'G' && b <= 'Z':
		return upperGToZ
	case b == '_' || b == '-':
		return dashes
	case b == '.', b == '=', b == '+', b == '/', b == '~', b == '%', b == ':', b == '|':
		return marks
	}
	return 0
}

// run is how many bytes from the beginning are of an alphabet, up to most.
func run(text string, of alphabet, most int) int {
	n := 0
	for n < len(text) && n < most && kindOf(text[n])&of != 0 {
		n++
	}
	return n
}

// wrongChecksum tells of tokens that end with the checksum of what precedes it
// (GitHub's and npm's) whether it is wrong: then nobody ever gave it out.
func wrongChecksum(prefix, body string) bool {
	if len(body) != 36 || len(prefix) != 4 || prefix[:2] != "gh" && prefix != "npm_" {
		return false
	}
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := crc32.ChecksumIEEE([]byte(body[:30]))
	var want [6]byte
	for i := len(want) - 1; i >= 0; i-- {
		want[i], sum = digits[sum%62], sum/62
	}
	return body[30:] != string(want[:])
}
