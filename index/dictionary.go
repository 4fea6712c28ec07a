package index

// dictionaryWord is a word of the catalogue with the number of tools that use it.
type dictionaryWord struct {
	text string
	docs int32
}

// lexicon keeps what is known of each word, so that it is worked out once.
type lexicon struct {
	ids   map[string]int32 // also of words that are not in lower case
	words []lexeme
}

// lexeme is a word in lower case.
type lexeme struct {
	text      string
	stem      string  // "": a stop word
	pair      uint64  // of the stem, for near-duplicates; 0: a stop word
	term      int32   // in field text, -1: none yet
	docs      int32   // tools that use it
	last      int32   // of these, the last one, from 1
	described bool    // a description has it
	prefixes  []int32 // in field pre, nil: not made yet
	parts     []int32 // terms in field text of what stands together in it, nil: not made yet
}

// id of a word as it stands in a text, which is a new one if need be.
func (x *lexicon) id(text string) int32 {
	id, ok := x.ids[text]
	if ok {
		return id
	}
	low := lower(text)
	if id, ok = x.ids[low]; !ok {
		id = int32(len(x.words))
		w := lexeme{text: low, term: -1}
		if !isStop(low) {
			w.stem = stem(low)
			w.pair = mix(fnv(w.stem)) | 1
		}
		x.words = append(x.words, w)
		x.ids[low] = id
	}
	if low != text {
		x.ids[text] = id
	}
	return id
}

// described tells whether a description has a word in lower case.
func (x *lexicon) described(w string) bool {
	id, ok := x.ids[w]
	return ok && x.words[id].described
}

// dictionary are the words that tools use, sorted; words, which are not terms: a
// correction is shown.
func (x *lexicon) dictionary() []dictionaryWord {
	out := make([]dictionaryWord, 0, len(x.words))
	for _, i := range byBytes(len(x.words), func(i int) string { return x.words[i].text }) {
		if w := x.words[i]; w.docs > 0 {
			out = append(out, dictionaryWord{w.text, w.docs})
		}
	}
	return out
}
