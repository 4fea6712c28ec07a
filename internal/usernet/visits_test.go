package usernet

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
)

// A tool that asks for more places than are listed makes no longer list.
func TestVisits(t *testing.T) {
	n := &Net{gate: newGate(nil)}
	if list, more := n.Visits(); len(list) != 0 || more != 0 {
		t.Errorf("before: %v, %d", list, more)
	}
	n.gate.visits.note("tcp", "a", reached)
	n.gate.visits.note("tcp", "a", reached)
	n.gate.visits.note("tcp", "a", refused)
	want := []Visit{{"tcp", "a", reached, 2}, {"tcp", "a", refused, 1}}
	if list, more := n.Visits(); !reflect.DeepEqual(list, want) || more != 0 {
		t.Errorf("got %v, %d, want %v", list, more, want)
	}
	for i := range limits.NetVisits {
		n.gate.visits.note("dns", fmt.Sprint(i), sent)
	}
	n.gate.visits.note("tcp", "a", reached)
	if list, more := n.Visits(); len(list) != limits.NetVisits || more != 2 || list[0].Times != 3 {
		t.Errorf("%d listed, %d more, %v", len(list), more, list[0])
	}
}
