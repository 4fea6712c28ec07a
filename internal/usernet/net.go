package usernet

import (
	"context"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// Net is the network of one run. It is a [sandbox.Uplink].
type Net struct {
	gate  *gate
	doors []door
}

var _ sandbox.Uplink = (*Net)(nil)

// New makes the network of a run that may reach the internet and the
// exceptions. Names among them are looked up now, to learn which of them stand
// for this machine's loopback, and again whenever it matters. The error is of
// kind Usage: a name that turns out to be the loopback, without a port.
func New(ctx context.Context, exceptions []Exception) (*Net, error) {
	if len(exceptions) > limits.NetAllow {
		return nil, fault.New(fault.Usage, "allow_net", "--allow-net is given %d times, allowed are %d", len(exceptions), limits.NetAllow)
	}
	n := &Net{gate: newGate(exceptions)}
	var err error
	n.doors, err = n.gate.doors(ctx)
	return n, err
}
