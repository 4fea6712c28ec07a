package taint

import "strings"

// places are the parts of a text that say where something goes, whatever stands around
// them: addresses of mail, hosts of addresses on the web, numbers of accounts. Those
// that are too short to share a part of gramWeight are found in it by this alone.
func places(text string) (out []string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return between(r) || strings.ContainsRune(":/?#&=", r) }) {
		word = strings.TrimFunc(word, sign)
		if strings.Contains(word, "@") || account(word) {
			out = append(out, word)
		}
	}
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, "://")
		if !ok {
			return out
		}
		rest = after
		host := after
		if i := strings.IndexFunc(after, func(r rune) bool { return between(r) || strings.ContainsRune("/?#:", r) }); i >= 0 {
			host = after[:i]
		}
		out = append(out, host)
	}
}

// account tells whether a word is a number of so many digits that it counts nothing.
func account(word string) bool {
	const least = 8
	return len(word) >= least && strings.Trim(word, "0123456789") == ""
}
