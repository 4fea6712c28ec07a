package sandbox

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"time"
)

// order is what the caller's side tells the helper, once, over a pipe. Its
// encoding is a plain sequence of fields, because the helper must start in a
// millisecond: no reflection, no scanning, bytes used where they arrived.
type order struct {
	job Job // checked; relocated for the landlock driver
	// pidMax bounds the pid namespace, for users whose number of processes
	// the kernel does not; 0 leaves it.
	pidMax int
	// others is what the user's other processes add to the limit on
	// processes, where the kernel counts all of them together.
	others     int
	links      []link // of the new root
	rehearsal  bool   // set up everything, then exit 0
	leash      bool   // no namespaces: Landlock hides, seccomp does the rest
	scratchDir string // of a leash: where its scratch is
}

// link is a symbolic link in the new root, such as /lib64 to usr/lib64.
type link struct{ at, to string }

// maxOrder is far beyond what a caller puts together: arguments of a tool
// have their own limit, long before.
const maxOrder = 1 << 30

type writer struct{ b []byte }

func (w *writer) num(n uint64)   { w.b = binary.AppendUvarint(w.b, n) }
func (w *writer) text(s string)  { w.num(uint64(len(s))); w.b = append(w.b, s...) }
func (w *writer) bytes(b []byte) { w.num(uint64(len(b))); w.b = append(w.b, b...) }
func (w *writer) yes(v bool) {
	if v {
		w.num(1)
	} else {
		w.num(0)
	}
}

func (w *writer) texts(list []string) {
	w.num(uint64(len(list)))
	for _, s := range list {
		w.text(s)
	}
}

// encode writes the order, with its length in eight bytes before it.
func (o *order) encode() []byte {
	size := 4096 + len(o.job.Stdin)
	for _, f := range o.job.Files {
		size += len(f.Data) + len(f.Target) + 32
	}
	w := &writer{make([]byte, 8, size)}
	j := &o.job
	w.texts(j.Argv)
	w.texts(j.Env)
	w.text(j.Dir)
	if j.Late {
		w.bytes(nil) // comes another way
	} else {
		w.bytes(j.Stdin)
	}
	w.text(j.StdinFile)
	w.yes(j.Late)
	w.num(uint64(len(j.Mounts)))
	for _, m := range j.Mounts {
		w.text(m.Source)
		w.text(m.Target)
		w.yes(m.Write)
	}
	w.num(uint64(len(j.Files)))
	for _, f := range j.Files {
		w.text(f.Target)
		w.bytes(f.Data)
		w.num(uint64(f.Mode))
	}
	w.yes(j.Network)
	l := &j.Limits
	w.num(uint64(l.CPU))
	for _, n := range []int64{l.Memory, int64(l.Processes), int64(l.OpenFiles), l.FileSize, l.Scratch} {
		w.num(uint64(n))
	}
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
	binary.BigEndian.PutUint64(w.b, uint64(len(w.b)-8))
	return w.b
}

var errOrder = errors.New("order is cut short or not an order")

type reader struct {
	b   []byte
	bad bool
}

func (r *reader) num() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *reader) bytes() []byte {
	n := r.num()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) text() string { return string(r.bytes()) }
func (r *reader) yes() bool    { return r.num() == 1 }

// length reads how many elements follow; each takes a byte at least, so a
// false length cannot ask for memory that was not sent.
func (r *reader) length() int {
	n := r.num()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return 0
	}
	return int(n)
}

func (r *reader) texts() []string {
	list := make([]string, r.length())
	for i := range list {
		list[i] = r.text()
	}
	return list
}

// decode reads what encode wrote, without the length before it.
func (o *order) decode(b []byte) error {
	r := &reader{b: b}
	j := &o.job
	j.Argv = r.texts()
	j.Env = r.texts()
	j.Dir = r.text()
	j.Stdin = r.bytes()
	j.StdinFile = r.text()
	j.Late = r.yes()
	j.Mounts = make([]Mount, r.length())
	for i := range j.Mounts {
		j.Mounts[i] = Mount{r.text(), r.text(), r.yes()}
	}
	j.Files = make([]File, r.length())
	for i := range j.Files {
		j.Files[i] = File{r.text(), r.bytes(), fs.FileMode(r.num())}
	}
	j.Network = r.yes()
	l := &j.Limits
	l.CPU = time.Duration(r.num())
	l.Memory = int64(r.num())
	l.Processes = int(r.num())
	l.OpenFiles = int(r.num())
	l.FileSize = int64(r.num())
	l.Scratch = int64(r.num())
	o.pidMax = int(r.num())
	o.others = int(r.num())
	o.links = make([]link, r.length())
	for i := range o.links {
		o.links[i] = link{r.text(), r.text()}
	}
	o.rehearsal = r.yes()
	o.leash = r.yes()
	o.scratchDir = r.text()
	if r.bad || len(r.b) != 0 {
		return errOrder
	}
	return nil
}
