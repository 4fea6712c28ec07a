package host

import (
	"errors"
	"os"
	"testing"
)

// TestAbove: the chain ends where nothing is known, and where it goes in circles.
func TestAbove(t *testing.T) {
	by := map[int]int{5: 4, 4: 3, 3: 9, 20: 21, 21: 20}
	parent := func(pid int) (Process, int, error) {
		p, ok := by[pid]
		if !ok {
			return Process{}, 0, errors.New("gone")
		}
		return Process{PID: pid}, p, nil
	}
	for pid, want := range map[int][]int{5: {4, 3}, 3: nil, 20: {21, 20}} {
		list, err := above(pid, parent)
		var got []int
		for _, p := range list {
			got = append(got, p.PID)
		}
		if err != nil || len(got) != len(want) {
			t.Errorf("above %d are %v, %v", pid, got, err)
		}
	}
	if _, err := above(1, parent); err == nil {
		t.Error("who does not know itself knows who started it")
	}
}

// TestStartedBy: the nearest is the parent of this process.
func TestStartedBy(t *testing.T) {
	list, err := System().StartedBy()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system does not tell")
	}
	if err != nil || len(list) == 0 || list[0].PID != os.Getppid() || len(list[0].Args) == 0 || list[0].Args[0] == "" {
		t.Errorf("got %+v, %v; the parent is %d", list, err, os.Getppid())
	}
}
