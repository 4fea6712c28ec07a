package index

import (
	"math/bits"
	"unicode/utf8"
)

// lettersOf is a set of what a word is made of, a bit for each code point modulo 64.
func lettersOf(w string) uint64 {
	var set uint64
	for _, r := range w {
		set |= 1 << (r % 64)
	}
	return set
}

// apart is how many bits differ; an edit changes at most two.
func apart(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// distance is the optimal string alignment distance: how many insertions,
// deletions, replacements and swaps of neighbours make a word of another. What
// is beyond most is most+1.
func distance(a []rune, other string, most int) int {
	n := utf8.RuneCountInString(other)
	if n-len(a) > most || len(a)-n > most || n > longestWord {
		return most + 1
	}
	var buffer [longestWord]rune
	b := buffer[:0]
	for _, r := range other {
		b = append(b, r)
	}
	var rows [3][longestWord + 1]int
	for j := range n + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, above, twice := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		least := i
		for j := 1; j <= n; j++ {
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+same)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], twice[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most {
			return most + 1
		}
	}
	return min(rows[len(a)%3][n], most+1)
}
