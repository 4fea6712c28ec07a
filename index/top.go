package index

import (
	"cmp"
	"slices"
)

// found is a tool that a search found, as a number: the higher ranks first. From the
// highest bits: the impact in field name of the whole query (8), the score (24), and
// the complement of the tool (32), so that of equals the lower name is first. A score
// is at most that of limits.QueryTerms terms with ten beginnings each, of weight 4.
type found uint64

func newFound(tool, exact, score int32) found {
	return found(uint64(exact)<<56 | uint64(score)<<32 | uint64(^uint32(tool)))
}

func (f found) tool() int32  { return int32(^uint32(f)) }
func (f found) score() int64 { return int64(f >> 32 & (1<<24 - 1)) }
func (f found) exact() int32 { return int32(f >> 56) }

// group are near-duplicates that a search found, best first.
type group []found

// group puts near-duplicates under the best of them, from a list in any order. It
// returns the first groups, as many as limit says or all for 0, and how many there are.
func (x *Index) group(p *plan, list []found, limit int) (out []group, total int, err error) {
	if limit <= 0 {
		limit = len(list)
	}
	best := newTop(min(limit, len(list)))
	if p.browse {
		for _, f := range list {
			best.offer(f)
		}
		return best.groups(nil), len(list), nil
	}
	all, err := x.leader()
	if err != nil {
		return nil, 0, err
	}
	var alike []member
	for _, f := range list {
		if t := f.tool(); all.grouped.has(t) {
			alike = append(alike, member{all.of[t], f})
			continue
		}
		total++
		best.offer(f)
	}
	slices.SortFunc(alike, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.leader, b.leader), cmp.Compare(b.found, a.found))
	})
	for i, m := range alike {
		if i == 0 || alike[i-1].leader != m.leader {
			total++
			best.offer(m.found)
		}
	}
	return best.groups(alike), total, nil
}

// member is a tool that was found and has near-duplicates, and the first of these.
type member struct {
	leader int32
	found  found
}

// top are the best of what it was offered, the worst of them first (a heap).
type top struct {
	list  []found
	limit int
}

func newTop(limit int) *top { return &top{make([]found, 0, limit), limit} }

func (t *top) offer(f found) {
	switch {
	case len(t.list) < t.limit:
		t.list = append(t.list, f)
		if len(t.list) == t.limit {
			slices.Sort(t.list) // which is a heap
		}
	case t.limit > 0 && f > t.list[0]:
		i := 0
		for {
			child := 2*i + 1
			if child+1 < len(t.list) && t.list[child+1] < t.list[child] {
				child++
			}
			if child >= len(t.list) || f <= t.list[child] {
				break
			}
			t.list[i] = t.list[child]
			i = child
		}
		t.list[i] = f
	}
}

// groups are the best, each with those of alike that rank below it; alike is sorted
// by leader and then best first.
func (t *top) groups(alike []member) []group {
	slices.Sort(t.list)
	slices.Reverse(t.list)
	out := make([]group, len(t.list))
	for i := range t.list {
		out[i] = t.list[i : i+1 : i+1]
	}
	if len(alike) == 0 {
		return out
	}
	at := make(map[found]int, len(out))
	for i, f := range t.list {
		at[f] = i
	}
	for first := 0; first < len(alike); {
		next := first + 1
		for next < len(alike) && alike[next].leader == alike[first].leader {
			next++
		}
		if i, ok := at[alike[first].found]; ok {
			for _, m := range alike[first+1 : next] {
				out[i] = append(out[i], m.found)
			}
		}
		first = next
	}
	return out
}
