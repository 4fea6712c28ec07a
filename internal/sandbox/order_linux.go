package sandbox

import "encoding/binary"

// order is what the caller's side tells the helper, once, over a pipe.
type order struct {
	job Job // checked; relocated for the landlock driver
	// pidMax bounds the pid namespace, for users whose number of processes
	// the kernel does not; 0 leaves it.
	pidMax int
	// others is added to the limit on processes of one user: the user's other
	// processes, where the kernel counts all of them together, or what keeps
	// that limit behind the one of a control group, which tells that it was met.
	others     int
	links      []link // of the new root
	rehearsal  bool   // set up everything, then exit 0
	leash      bool   // no namespaces: Landlock hides, seccomp does the rest
	scratchDir string // of a leash: where its scratch is
	change     bool   // the process is somebody else yet, and has groups to leave; stays on this side
	shape      shape  // of a box: what its root must be
}

// link is a symbolic link in the new root, such as /lib64 to usr/lib64.
type link struct{ at, to string }

// maxOrder is far beyond what a caller puts together: arguments of a tool
// have their own limit, long before.
const maxOrder = 1 << 30

// encode writes the order, with its length in eight bytes before it.
func (o *order) encode() []byte {
	w := &writer{make([]byte, 8, 8+o.job.room())}
	w.job(&o.job)
	w.num(uint64(o.pidMax))
	w.num(uint64(o.others))
	w.num(uint64(len(o.links)))
	for _, l := range o.links {
		w.text(l.at)
		w.text(l.to)
	}
	w.yes(o.rehearsal)
	w.yes(o.leash)
	w.text(o.scratchDir)
	w.texts(o.shape.apart)
	w.num(uint64(len(o.shape.seen)))
	for _, id := range o.shape.seen {
		w.identity(id)
	}
	w.num(uint64(o.shape.room))
	binary.BigEndian.PutUint64(w.b, uint64(len(w.b)-8))
	return w.b
}

// decode reads what encode wrote, without the length before it.
func (o *order) decode(b []byte) error {
	r := &reader{b: b}
	r.job(&o.job)
	o.pidMax = int(r.num())
	o.others = int(r.num())
	o.links = make([]link, r.length())
	for i := range o.links {
		o.links[i] = link{r.text(), r.text()}
	}
	o.rehearsal = r.yes()
	o.leash = r.yes()
	o.scratchDir = r.text()
	o.shape.apart = r.texts()
	o.shape.seen = make([]Identity, r.length())
	for i := range o.shape.seen {
		o.shape.seen[i] = r.identity()
	}
	o.shape.room = int64(r.num())
	return r.end()
}
