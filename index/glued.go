package index

// A name may have words that stand together ("airquality", from a name that was
// one word in capitals elsewhere). They are cut where the catalogue knows all
// parts from descriptions.
const (
	shortestPart  = 3
	shortestGlued = 2 * shortestPart
	longestGlued  = 32
	mostParts     = 3
)

// parts cuts a word into two or three that are known, of several cuts the one
// whose shortest part is longest, then the one with fewer parts, then the first.
func parts(w string, known func(string) bool) []string {
	if len(w) < shortestGlued || len(w) > longestGlued || known(w) {
		return nil
	}
	return cutWord(w, known, mostParts)
}

func cutWord(w string, known func(string) bool, most int) []string {
	var best []string
	shortest := 0
	for i := shortestPart; i+shortestPart <= len(w); i++ {
		if !known(w[:i]) {
			continue
		}
		rest := []string{w[i:]}
		if !known(w[i:]) {
			if most == 2 {
				continue
			}
			if rest = cutWord(w[i:], known, most-1); rest == nil {
				continue
			}
		}
		n := i
		for _, p := range rest {
			n = min(n, len(p))
		}
		if n > shortest || n == shortest && len(rest)+1 < len(best) {
			best, shortest = append([]string{w[:i]}, rest...), n
		}
	}
	return best
}
