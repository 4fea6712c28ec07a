package index

import "github.com/patch-cat/patch-git/internal/limits"

// dictionaryWord is a word of the catalogue with the number of tools that use it.
type dictionaryWord struct {
	text string
	docs int32
}

// lexicon keeps what is known of each word, so that it is worked out once.
type lexicon struct {
	short map[[shortWord]byte]int32 // also of words that are not in lower case
	long  map[string]int32
	words []lexeme
	uses  []use
	most  int // words; of a catalogue that is all gibberish the rest is left out
}

// shortWord is the most bytes of most words: a table that holds them itself need
// not look for them elsewhere in memory.
const shortWord = 16

func newLexicon() *lexicon {
	return &lexicon{short: map[[shortWord]byte]int32{}, long: map[string]int32{}, most: limits.IndexWords}
}

func (x *lexicon) find(text string) (id int32, ok bool) {
	if len(text) > shortWord {
		id, ok = x.long[text]
		return id, ok
	}
	var key [shortWord]byte // no word has a zero byte
	copy(key[:], text)
	id, ok = x.short[key]
	return id, ok
}

func (x *lexicon) put(text string, id int32) {
	if len(text) > shortWord {
		x.long[text] = id
		return
	}
	var key [shortWord]byte
	copy(key[:], text)
	x.short[key] = id
}

// lexeme is a word in lower case.
type lexeme struct {
	text, stem string  // a stop word has no stem
	prefixes   []int32 // in field pre, nil: not made yet
	parts      []int32 // terms in field text of what stands together in it, nil: not made yet
	described  bool    // a description has it
}

// use is what is needed of a word wherever it stands; so there is little of it.
type use struct {
	pair uint64 // of the stem, for near-duplicates; 0: a stop word
	term int32  // in field text, -1: none yet
	docs int32  // tools that use it
	last int32  // of these, the last one, from 1
}

// id of a word as it stands in a text, which is a new one if need be; -1 if there
// is no room for it.
func (x *lexicon) id(text string) int32 {
	id, ok := x.find(text)
	if ok {
		return id
	}
	low := lower(text)
	if id, ok = x.find(low); !ok {
		if len(x.words) >= x.most {
			return -1
		}
		id = int32(len(x.words))
		w, u := lexeme{text: low}, use{term: -1}
		if !isStop(low) {
			w.stem = stem(low)
			u.pair = mix(fnv(w.stem)) | 1
		}
		x.words, x.uses = append(x.words, w), append(x.uses, u)
		x.put(low, id)
	}
	if low != text && len(x.short)+len(x.long) < 2*x.most {
		x.put(text, id)
	}
	return id
}

// described tells whether a description has a word in lower case.
func (x *lexicon) described(w string) bool {
	id, ok := x.find(w)
	return ok && x.words[id].described
}

// dictionary are the words that tools use, sorted; words, which are not terms: a
// correction is shown.
func (x *lexicon) dictionary() []dictionaryWord {
	out := make([]dictionaryWord, 0, len(x.words))
	for _, i := range byBytes(len(x.words), func(i int) string { return x.words[i].text }) {
		if docs := x.uses[i].docs; docs > 0 {
			out = append(out, dictionaryWord{x.words[i].text, docs})
		}
	}
	return out
}
