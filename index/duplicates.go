package index

import (
	"slices"

	"github.com/patch-cat/patch-git/ledger"
)

// Two tools are near-duplicates if the pairs of neighbouring terms of their
// descriptions and input names are the same for four fifths: the words alone
// would make one of "CSV to JSON" and "JSON to CSV".
const (
	alikeOf, alikeAll = 4, 5
	bands, rows       = 8, 3 // of the MinHash by which candidates are found
	mostCompared      = 8    // candidates of one band
)

// duplicates returns for each document the first of its group, which may be itself.
func duplicates(tools []ledger.Listing) []int32 {
	leader := make([]int32, len(tools))
	buckets := make([]map[uint64][]int32, bands)
	for b := range buckets {
		buckets[b] = map[uint64][]int32{}
	}
	pairs := make([][]uint64, len(tools))
	terms := map[string]uint64{}
	for d := range tools {
		leader[d] = int32(d)
		pairs[d] = termPairs(&tools[d], terms)
		if len(pairs[d]) == 0 {
			continue
		}
		keys := bandKeys(pairs[d])
	search:
		for b, key := range keys {
			for _, c := range buckets[b][key] {
				if alike(pairs[c], pairs[d]) {
					leader[d] = c
					break search
				}
			}
		}
		if leader[d] != int32(d) {
			pairs[d] = nil
			continue
		}
		for b, key := range keys {
			if list := buckets[b][key]; len(list) < mostCompared {
				buckets[b][key] = append(list, int32(d))
			}
		}
	}
	return leader
}

// termPairs are hashes of the pairs of neighbouring terms, sorted, each once.
func termPairs(l *ledger.Listing, terms map[string]uint64) []uint64 {
	var out []uint64
	read := func(text string) {
		var before uint64
		eachWord(text, func(w word) {
			if !w.leaf {
				return
			}
			h, ok := terms[w.text]
			if !ok {
				if !isStop(w.text) {
					h = mix(fnv(stem(w.text))) | 1
				}
				terms[w.text] = h
			}
			if h == 0 {
				return
			}
			if before != 0 {
				out = append(out, mix(before*31+h))
			}
			before = h
		})
	}
	read(l.Description)
	for _, in := range l.Summary.Inputs {
		read("input " + in.Name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// bandKeys are the MinHash of a set, some rows in each key.
func bandKeys(set []uint64) [bands]uint64 {
	var keys [bands]uint64
	for i := range bands * rows {
		least := ^uint64(0)
		for _, h := range set {
			least = min(least, mix(h+uint64(i)*0x9e3779b97f4a7c15))
		}
		keys[i/rows] = mix(keys[i/rows] ^ least)
	}
	return keys
}

// alike compares two sorted sets.
func alike(a, b []uint64) bool {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return alikeAll*both >= alikeOf*(len(a)+len(b)-both)
}

// fnv is FNV-1a, 32 bit.
func fnv(s string) uint64 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return uint64(h)
}

// mix spreads the bits of x, as splitmix64 does.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
