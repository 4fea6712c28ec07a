package index

import "strings"

// How much a term of a query counts, in quarters. Most words of a request do not
// name a tool: some carry the request, some say what is asked of any tool, and
// numbers are what the tool shall be given.
const (
	weightFull = 4
	weightCall = 1 // of numbers, too
	weightAny  = 2
	weightMild = 3
)

// requestWeights returns the terms of a query that count less, in lists with
// blanks around each term, by their weight beginning at 1. They are terms, so stems.
func requestWeights() [weightFull - 1]string {
	return [...]string{
		" abl addit anyon anyth assist besid curious dear finally furthermor hello hey hi hope interest ive kind love mayb " +
			"moreov must ok perhap possibl realli someon someth sorri sure thank tri well wish wonder yes ",
		" api base best better certain come current detail differ each everi exampl fetch final find first gather get give go good great " +
			"idea includ inform keep last latest look lot make mani more most much new next now obtain one option particular plan plugin " + //nolint:misspell // terms, not words
			"provid receiv recent recommend regard relat retriev right see servic sever show specif start suggest take thing think " +
			"time today tomorrow tool two use user various way ",
		" access add allow answer avail chang check complet creat data date day easi easili enabl ensur exact follow full " +
			"high level list month name number question quick result search set share simpl task top total type week work year ",
	}
}

// requestWeight is the weight of a term in a query.
func requestWeight(term string) int32 {
	digits := term != ""
	for i := range len(term) {
		digits = digits && term[i] >= '0' && term[i] <= '9'
	}
	if digits {
		return weightCall
	}
	for i, list := range requestWeights() {
		if strings.Contains(list, " "+term+" ") {
			return int32(i + 1)
		}
	}
	return weightFull
}
