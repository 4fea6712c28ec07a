package index

import (
	"slices"

	"github.com/patch-cat/patch-git/ledger"
)

// Two tools are near-duplicates if the pairs of neighbouring terms of their
// descriptions and input names are the same for four fifths: the words alone
// would make one of "CSV to JSON" and "JSON to CSV". And somebody must own both:
// a stranger's copy with more words for searches to find would hide the original.
const (
	alikeOf, alikeAll = 4, 5
	bands, rows       = 8, 3 // of the MinHash by which candidates are found
	mostCompared      = 8    // candidates of one band
)

// sets are sorted sets of numbers, each a range of one list.
type sets struct {
	all  []uint64
	ends []int32
}

// close ends a set, whose numbers stand at the end of the list in any order.
func (s *sets) close() {
	start := 0
	if n := len(s.ends); n > 0 {
		start = int(s.ends[n-1])
	}
	slices.Sort(s.all[start:])
	s.all = s.all[:start+len(slices.Compact(s.all[start:]))]
	s.ends = append(s.ends, int32(len(s.all)))
}

func (s *sets) of(i int) []uint64 {
	start := int32(0)
	if i > 0 {
		start = s.ends[i-1]
	}
	return s.all[start:s.ends[i]]
}

// bucket are documents with the same key of one band, the first of them here.
type bucket struct{ first, more int32 } // more: from 1, of buckets.more

// buckets have no pointers but these: a catalogue has a million.
type buckets struct {
	of   map[uint64]bucket
	more [][]int32
}

func (b *buckets) visit(key uint64, visit func(doc int32) bool) bool {
	one, ok := b.of[key]
	if !ok {
		return false
	}
	if visit(one.first) {
		return true
	}
	return one.more > 0 && slices.ContainsFunc(b.more[one.more-1], visit)
}

func (b *buckets) add(key uint64, doc int32) {
	one, ok := b.of[key]
	switch {
	case !ok:
		b.of[key] = bucket{first: doc}
	case one.more == 0:
		b.more = append(b.more, []int32{doc})
		b.of[key] = bucket{one.first, int32(len(b.more))}
	case len(b.more[one.more-1]) < mostCompared-1:
		b.more[one.more-1] = append(b.more[one.more-1], doc)
	}
}

// duplicates returns for each document the first of its group, which may be
// itself, from the pairs of neighbouring terms.
func duplicates(tools []ledger.Listing, pairs *sets) []int32 {
	leader := make([]int32, len(pairs.ends))
	var tables [bands]buckets
	for b := range tables {
		tables[b].of = make(map[uint64]bucket, len(leader))
	}
	for d := range leader {
		leader[d] = int32(d)
		set := pairs.of(d)
		if len(set) == 0 {
			continue
		}
		keys := bandKeys(set)
		for b, key := range keys {
			if tables[b].visit(key, func(c int32) bool {
				if alike(pairs.of(int(c)), set) && haveOwner(&tools[c], &tools[d]) {
					leader[d] = c
					return true
				}
				return false
			}) {
				break
			}
		}
		if leader[d] != int32(d) {
			continue
		}
		for b, key := range keys {
			tables[b].add(key, int32(d))
		}
	}
	return leader
}

// haveOwner tells whether somebody owns both tools.
func haveOwner(a, b *ledger.Listing) bool {
	return slices.ContainsFunc(a.Owners, func(login string) bool { return slices.Contains(b.Owners, login) })
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
