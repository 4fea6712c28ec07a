package sandbox

import (
	"context"
	"os"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Uplink carries a job's packets to the world, or refuses to. A job with one
// has a network of its own that ends in a device of the kernel, and what is
// read there is all that ever leaves it.
type Uplink interface {
	// Doors are asked for before the sandbox is built, and are the same each time.
	Doors() []Door
	// Serve takes the link, whose files it owns from then on, and returns when
	// it answers. stop ends it; it is called after the job's last process.
	Serve(link Link) (stop func(), err error)
}

// Door is an address of the sandbox's own loopback that leads out: the job
// finds somebody listening there, by TCP and by UDP.
type Door struct {
	IP   [16]byte // as net/netip has it: an IPv4 address is mapped
	Port uint16
}

// Link is the caller's end of a job's network.
type Link struct {
	Tun   *os.File   // one packet for each read and write, without a header
	MTU   int        // bytes of the largest packet
	Doors []*os.File // for each Door a listening socket, then a datagram socket
}

const (
	// Resolver is the address that a job with an Uplink asks for names.
	Resolver = "192.0.0.1"
	// linkMTU makes few packets of many bytes: nothing lies between the two
	// ends of the link that could lose half of one.
	linkMTU = 65520
	// maxDoors keeps all descriptors in one message.
	maxDoors = 64
)

// HostRoutes is the note of a job that has the network and no Uplink.
const HostRoutes = "network: this machine's own services and its local network can be reached"

// reasonNoUplink is why a job that was to have an Uplink did not run.
const reasonNoUplink = "no_uplink"

// noUplink is the refusal of a job whose network cannot be held apart.
func noUplink(why string) error {
	return fault.New(fault.Denied, reasonNoUplink, "the network cannot be filtered here: %s", why).Hint("patch-git doctor")
}

// TryUplink tells, by trying, whether a job can have an Uplink here; nil is
// yes. A yes is remembered like the driver, and by this process until a job could not
// have one; a no is tried again each time.
func (s *Sandbox) TryUplink(ctx context.Context) error {
	if s.links.Load() {
		return nil
	}
	cache := s.uplinkCache()
	if known, _ := remembered(cache); known != s.driver.name() {
		if err := rehearse(ctx, s.driver, nil, Job{Network: true, Uplink: nowhere{}}); err != nil {
			return err
		}
		remember(cache, s.driver.name(), s.groups)
	}
	s.links.Store(true)
	return nil
}

// uplinkCache is the file that remembers it.
func (s *Sandbox) uplinkCache() string {
	if s.opts.Cache == "" {
		return ""
	}
	return s.opts.Cache + "-uplink"
}

// nowhere is the Uplink of a rehearsal.
type nowhere struct{}

func (nowhere) Doors() []Door { return nil }

func (nowhere) Serve(l Link) (func(), error) { return func() { _ = l.Tun.Close() }, nil }
