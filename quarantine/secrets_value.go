package quarantine

import (
	"math"
	"strings"
)

// words that a value has which only shows where a secret goes.
const placeholderWords = `example sample dummy placeholder changeme change-me change_me replace your_ your- yourkey yourtoken
	yoursecret youraccess insert fake_ fake- redacted notreal not-real todo xxxx **** .... ____ ---- <<<< >>>> 123456789 987654321
	0123456 abcdefgh 1111111 0000000 aaaaaaaaaaaa testtest abc123 xyz789 mytoken mysecret mypassword my-secret my_secret my-token my_token my-api my_api`

// isPlaceholder tells whether a value stands for a secret that is not there.
func isPlaceholder(value string) bool {
	low := strings.ToLower(value)
	return hasOne(low, placeholderWords) || strings.ContainsAny(value, "<>{}$*") || sameByte(low)
}

// sameByte tells whether a value is little more than one byte again and again.
func sameByte(s string) bool {
	most := 0
	var count [256]int
	for i := range len(s) {
		if count[s[i]]++; count[s[i]] > most {
			most = count[s[i]]
		}
	}
	return len(s) > 0 && most*2 > len(s)
}

// isMixed tells whether a value is drawn by lot rather than made of words: it
// changes between digits, small and capital letters again and again, and no few
// letters make up most of it.
func isMixed(value string) bool {
	turns, letters, digits, last := 0, 0, 0, byte(0)
	for i := range len(value) {
		kind := byte(0)
		switch b := value[i]; {
		case b >= '0' && b <= '9':
			kind, digits = 'd', digits+1
		case b >= 'a' && b <= 'z':
			kind, letters = 'l', letters+1
		case b >= 'A' && b <= 'Z':
			kind, letters = 'u', letters+1
		default:
			continue
		}
		if last != 0 && kind != last {
			turns++
		}
		last = kind
	}
	n := letters + digits
	if n == 0 || letters == 0 && len(value) < 40 {
		return false
	}
	return turns*10 >= n*2 && bits(value) >= min(3, 0.55*math.Log2(float64(n)))
}

// bits is Shannon's entropy of the bytes of a text, in bits a byte.
func bits(s string) (h float64) {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}
