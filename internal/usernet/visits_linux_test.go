package usernet_test

import (
	"strings"
	"testing"
)

// TestInsideVisits: what a tool asked for is told, with what became of it, what the
// gate refused as well as what it let out.
func TestInsideVisits(t *testing.T) {
	inside(t)
	n := with(t)
	var got []string
	confined(t, n, probes, []spot{{"tcp", "web.test", 80}, {"tcp", "8.8.8.8", 80}, {"tcp", "8.8.8.8", 80}, {"udp", "8.8.8.8", 90}, {"tcp", neighbour, 80}, {"udp", neighbour, 90}}, &got)
	list, more := n.Visits()
	times := map[string]int{}
	for _, v := range list {
		times[strings.Join([]string{v.Network, v.Address, v.Verdict}, " ")] = v.Times
	}
	for want, least := range map[string]int{
		"dns web.test sent": 1, "tcp 8.8.8.8:80 reached": 2, "udp 8.8.8.8:90 sent": 1,
		"tcp " + neighbour + ":80 refused": 1, "udp " + neighbour + ":90 refused": 1,
	} {
		if times[want] < least {
			t.Errorf("%q is told %d times: %v", want, times[want], list)
		}
	}
	if more != 0 {
		t.Errorf("%d more", more)
	}
}
