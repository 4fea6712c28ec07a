package quarantine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// secret is something found that opens a door for who has it.
type secret struct {
	what     string // as in "a GitHub token"
	text     string // never shown
	from     int    // offset in what was searched
	doubtful bool   // what it carries of a checksum is wrong
}

// checkSecrets looks for secrets in every file and in every text of the
// manifest: what is published stays published, also when it is taken back.
func checkSecrets(c *collector) {
	told := map[string]bool{}
	for _, f := range c.Release.Files {
		found := findSecrets(string(f.Data))
		if strings.HasSuffix(f.Path, ".py") {
			found = append(found, findSplit(string(f.Data))...)
		}
		lines := lineStarts(f.Data)
		for _, s := range found {
			if key := f.Path + "\x00" + s.text; !told[key] {
				told[key], told[s.text] = true, true
				line, _ := slices.BinarySearch(lines, s.from+1)
				c.tellSecret(s, at{f.Path, line, s.from - lines[line-1] + 1})
			}
		}
	}
	// The manifest's own escapes can write a token that the file does not show.
	for _, f := range fields(c.tool) {
		for _, s := range findSecrets(f.text) {
			if !told[s.text] {
				told[s.text] = true
				c.tellSecret(s, at{file: c.main})
			}
		}
	}
}

// tellSecret shows of a secret how it begins, and a digest by which its owner
// can tell which one it is: reports are public.
func (c *collector) tellSecret(s secret, where at) {
	sum := sha256.Sum256([]byte(s.text))
	shown := spec.Quote(s.text[:min(len(s.text)/4, 4)])
	if s.doubtful {
		c.warn(leakedSecret, where, "what reads like %s begins with %s (SHA-256 %s), but its checksum is wrong, so it opens nothing", s.what, shown, hex.EncodeToString(sum[:4]))
		return
	}
	c.add(leakedSecret, where, "%s that begins with %s (SHA-256 %s)", s.what, shown, hex.EncodeToString(sum[:4]))
}

// lineStarts are the offsets at which lines begin.
func lineStarts(data []byte) []int {
	starts := []int{0}
	for i := range data {
		if data[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// maxSecrets bounds what one text can make of work: a release with more than
// these has been told enough.
const maxSecrets = 100

// findSecrets finds the first of the secrets of a text.
func findSecrets(text string) (found []secret) {
	eachSecret(text, func(s secret, from, to int) bool {
		// A key is what is between its line ends, and no part of the text.
		s.from = from + max(strings.Index(text[from:to], s.text), 0)
		found = append(found, s)
		return len(found) < maxSecrets
	})
	return found
}

// eachSecret looks through a text once. Every place where a word can begin is
// asked; what is found, and lies between from and to, is stepped over.
func eachSecret(text string, tell func(s secret, from, to int) bool) {
	for i := 0; i < len(text); {
		if i > 0 && isAlnum(text[i-1]) && isAlnum(text[i]) {
			i++
			continue
		}
		s, n := secretAt(text, i)
		if n == 0 {
			i++
			continue
		}
		if s.text != "" && !tell(s, i, i+n) {
			return
		}
		i += n
	}
}

// secretAt returns what begins at an offset and how much of the text it is; a
// secret without text is a placeholder that is to be stepped over.
func secretAt(text string, i int) (secret, int) {
	for _, look := range []func(string, int) (secret, int){shapedAt, privateKeyAt, dottedAt, addressAt, assignedAt} {
		if s, n := look(text, i); n > 0 {
			return s, n
		}
	}
	return secret{}, 0
}

// findSplit looks for tokens that a source writes as strings side by side, or
// joined by a plus: what is constant is as public in two parts as in one.
func findSplit(source string) (found []secret) {
	joined, offsets := unsplit(source)
	if len(offsets) == 0 {
		return nil
	}
	for _, s := range findSecrets(joined) {
		// Only what a joint runs through is new.
		i, _ := slices.BinarySearchFunc(offsets, s.from, func(o [2]int, at int) int { return o[0] - at })
		if i < len(offsets) && offsets[i][0] < s.from+len(s.text) && offsets[i][0] > s.from {
			if i > 0 {
				s.from += offsets[i-1][1] - offsets[i-1][0]
			}
			found = append(found, s)
		}
	}
	return found
}

// unsplit leaves out what stands between two strings of a source: the quotes,
// blanks, a plus, a line break. Each pair is an offset in the result and the
// offset in the source that it comes from.
func unsplit(source string) (string, [][2]int) {
	var b bytes.Buffer
	var offsets [][2]int
	last := 0
	for i := 0; i < len(source); i++ {
		q := source[i]
		if q != '"' && q != '\'' {
			continue
		}
		j, plus := i+1, false
		for j < len(source) && j-i < 200 && (strings.IndexByte(" \t\r\n\\()", source[j]) >= 0 || source[j] == '+' && !plus) {
			plus = plus || source[j] == '+'
			j++
		}
		if j >= len(source) || source[j] != '"' && source[j] != '\'' || j == i+1 && source[j] == q {
			continue
		}
		b.WriteString(source[last:i])
		last = j + 1
		offsets = append(offsets, [2]int{b.Len(), last})
		i = j
	}
	b.WriteString(source[last:])
	return b.String(), offsets
}
