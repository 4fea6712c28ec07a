package picker

// Fuzzy tells how well a text has all the characters of a pattern in their
// order, as a person remembers a name: better where they begin words or follow
// each other; 0 is not at all. Case and all between the words count nothing.
// Both are names or what was typed for one: ASCII is compared, the rest is
// what it is.
func Fuzzy(pattern, text string) int {
	best := 0
	// Each place where the pattern can begin is tried; names are short.
	for start := range len(text) {
		if score := fuzzyFrom(pattern, text[start:], start == 0 || separates(text[start-1])); score > 0 {
			best = max(best, score-min(start, 4))
		}
	}
	return best
}

func fuzzyFrom(pattern, text string, wordStart bool) int {
	score, at, last := 1, 0, -1
	for i := range len(pattern) {
		p := lower(pattern[i])
		if separates(p) {
			continue
		}
		for at < len(text) && lower(text[at]) != p {
			if at == 0 {
				return 0 // it begins elsewhere
			}
			at++
		}
		if at == len(text) {
			return 0
		}
		switch {
		case at == 0 && wordStart, at > 0 && separates(text[at-1]):
			score += 30
		case last >= 0 && last == at-1:
			score += 34
		default:
			score += 10 - min(at-last, 9)
		}
		last = at
		at++
	}
	if last < 0 {
		return 0
	}
	return score + 16 // so that a late beginning takes nothing to 0
}

func separates(b byte) bool { return b == '_' || b == '-' || b == ' ' }

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b | 0x20
	}
	return b
}
