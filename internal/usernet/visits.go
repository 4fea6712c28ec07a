package usernet

import (
	"sync"

	"github.com/patch-cat/patch-git/internal/limits"
)

// Visit is a place that a tool asked for, and what became of it.
type Visit struct {
	Network string // "tcp", "udp", or "dns" for the name of a place
	Address string // address:port, or the name, as the tool wrote it
	Verdict string // one of those below
	Times   int
}

// What becomes of a wish. A datagram is sent, whether or not anybody hears it.
const (
	reached = "reached"
	sent    = "sent"
	failed  = "failed"  // the world did not answer
	refused = "refused" // the gate did not let it out
)

// visits are the places of one run. A tool can ask for as many as it likes, so
// those beyond the first are only counted.
type visits struct {
	mu   sync.Mutex
	list []Visit
	at   map[Visit]int // by the visit without its number
	more int
}

func (v *visits) note(network, address, verdict string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := Visit{Network: network, Address: address, Verdict: verdict}
	if i, ok := v.at[key]; ok {
		v.list[i].Times++
		return
	}
	if len(v.list) == limits.NetVisits {
		v.more++
		return
	}
	if v.at == nil {
		v.at = map[Visit]int{}
	}
	v.at[key] = len(v.list)
	key.Times = 1
	v.list = append(v.list, key)
}

// Visits are the places that the tool asked for, in their order, and how many
// times it asked for others that are not listed.
func (n *Net) Visits() (list []Visit, more int) {
	v := &n.gate.visits
	v.mu.Lock()
	defer v.mu.Unlock()
	return append(list, v.list...), v.more
}
