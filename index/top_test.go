package index

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestGroups: the best groups without sorting all are those of sorting all.
func TestGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		tools := 1 + random.IntN(60)
		all := leaders{make([]int32, tools), newSet(tools)}
		for i := range all.of {
			all.of[i] = int32(i)
			if l := int32(random.IntN(i + 1)); random.IntN(2) == 0 && all.of[l] == l && int(l) != i {
				all.of[i] = l
				all.grouped.add(l)
				all.grouped.add(int32(i))
			}
		}
		x := &Index{tools: tools, leader: func() (leaders, error) { return all, nil }}
		var list []found
		for i := range tools {
			if random.IntN(3) > 0 {
				list = append(list, newFound(int32(i), int32(random.IntN(20)/19), int32(random.IntN(9))))
			}
		}
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		want, seen := []group{}, map[int32]int{}
		sorted := slices.Clone(list)
		slices.Sort(sorted)
		slices.Reverse(sorted)
		for _, f := range sorted {
			if at, ok := seen[all.of[f.tool()]]; ok {
				want[at] = append(want[at], f)
				continue
			}
			seen[all.of[f.tool()]] = len(want)
			want = append(want, group{f})
		}
		for _, limit := range []int{0, 1, 2, 10, 100} {
			got, total, err := x.group(&plan{}, slices.Clone(list), limit)
			first := want
			if limit > 0 {
				first = want[:min(limit, len(want))]
			}
			if err != nil || total != len(want) || len(got) != len(first) || len(got) > 0 && !reflect.DeepEqual(got, first) {
				t.Fatalf("limit %d of %d: got %v of %d (%v), want %v", limit, len(want), got, total, err, first)
			}
		}
	}
}

// TestFound: the order is by name of the query, then score, then name of the tool.
func TestFound(t *testing.T) {
	want := []found{newFound(7, 2, 0), newFound(3, 1, 9), newFound(1, 0, 1<<24-1), newFound(2, 0, 5), newFound(4, 0, 5), newFound(0, 0, 0)}
	got := slices.Clone(want)
	slices.Sort(got)
	slices.Reverse(got)
	for i, f := range got {
		if f != want[i] {
			t.Errorf("%d: tool %d, want %d", i, f.tool(), want[i].tool())
		}
	}
	if f := newFound(1<<24-1, 240, 1<<24-1); f.tool() != 1<<24-1 || f.exact() != 240 || f.score() != 1<<24-1 {
		t.Errorf("got %d, %d, %d", f.tool(), f.exact(), f.score())
	}
}

// TestKeptLists: lists are kept within bounds, short ones not at all.
func TestKeptLists(t *testing.T) {
	var l lists
	l.put(fieldText, "short", make([]entry, shortestKept-1))
	l.put(fieldText, "huge", make([]entry, mostKept+1))
	big := make([]entry, mostKept/2)
	for _, term := range []string{"a", "a", "b"} {
		l.put(fieldText, term, big)
	}
	if _, ok := l.get(fieldText, "a"); !ok || len(l.of) != 2 || l.entries != mostKept {
		t.Errorf("%d lists of %d entries are kept", len(l.of), l.entries)
	}
	if _, ok := l.get(fieldPre, "a"); ok {
		t.Error("a list of one field is given for another")
	}
	l.put(fieldText, "c", big)
	if _, ok := l.get(fieldText, "c"); !ok || len(l.of) != 1 || l.entries != len(big) {
		t.Errorf("after the bound, %d lists of %d entries are kept", len(l.of), l.entries)
	}
}
