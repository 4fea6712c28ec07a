package sandbox

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"time"
)

// The encoding of a job is a plain sequence of fields, because a helper must
// start in a millisecond: no reflection, no scanning, bytes used where they
// arrived. Equal jobs, gate aside, have equal encodings.

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

func (w *writer) identity(i Identity) {
	w.num(i.Dev)
	w.num(i.Ino)
	w.num(uint64(i.Kind))
}

// room is about how many bytes a job takes.
func (j *Job) room() int {
	size := 4096 + len(j.Stdin)
	for _, f := range j.Files {
		size += len(f.Data) + len(f.Target) + 32
	}
	return size
}

func (w *writer) job(j *Job) {
	w.texts(j.Argv)
	w.texts(j.Env)
	w.text(j.Dir)
	if w.yes(j.Late); !j.Late {
		w.bytes(j.Stdin) // a late one comes another way
	}
	w.text(j.StdinFile)
	w.num(uint64(len(j.Mounts)))
	for _, m := range j.Mounts {
		w.text(m.Source)
		w.text(m.Target)
		w.yes(m.Write)
		w.yes(m.Optional)
		w.identity(m.Is)
		w.num(uint64(len(m.Hide)))
		for _, h := range m.Hide {
			w.text(h.Path)
			w.identity(h.Is)
		}
	}
	w.num(uint64(len(j.Files)))
	for _, f := range j.Files {
		w.text(f.Target)
		w.bytes(f.Data)
		w.num(uint64(f.Mode))
	}
	w.yes(j.Network)
	l := &j.Limits
	w.num(uint64(l.Wall))
	w.num(uint64(l.CPU))
	for _, n := range []int64{l.Memory, int64(l.Processes), int64(l.OpenFiles), l.FileSize, l.Scratch, l.Stdout, l.Stderr} {
		w.num(uint64(n))
	}
}

// MarshalBinary encodes a job but for its gate, and its input when that is
// late. The format is that of this version of the program alone.
func (j Job) MarshalBinary() ([]byte, error) {
	w := &writer{make([]byte, 0, j.room())}
	w.job(&j)
	return w.b, nil
}

// UnmarshalBinary reads what MarshalBinary wrote, and refuses all else.
func (j *Job) UnmarshalBinary(b []byte) error {
	*j = Job{}
	r := &reader{b: b}
	r.job(j)
	return r.end()
}

var errWire = errors.New("cut short, or something else")

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

func (r *reader) identity() Identity {
	return Identity{Dev: r.num(), Ino: r.num(), Kind: uint32(r.num())}
}

func (r *reader) job(j *Job) {
	j.Argv = r.texts()
	j.Env = r.texts()
	j.Dir = r.text()
	if j.Late = r.yes(); !j.Late {
		if b := r.bytes(); len(b) > 0 {
			j.Stdin = b
		}
	}
	j.StdinFile = r.text()
	j.Mounts = make([]Mount, r.length())
	for i := range j.Mounts {
		m := &j.Mounts[i]
		m.Source, m.Target, m.Write, m.Optional, m.Is = r.text(), r.text(), r.yes(), r.yes(), r.identity()
		if n := r.length(); n > 0 {
			m.Hide = make([]Hidden, n)
		}
		for k := range m.Hide {
			m.Hide[k] = Hidden{r.text(), r.identity()}
		}
	}
	j.Files = make([]File, r.length())
	for i := range j.Files {
		j.Files[i] = File{r.text(), r.bytes(), fs.FileMode(r.num())}
	}
	j.Network = r.yes()
	l := &j.Limits
	l.Wall = time.Duration(r.num())
	l.CPU = time.Duration(r.num())
	l.Memory = int64(r.num())
	l.Processes = int(r.num())
	l.OpenFiles = int(r.num())
	l.FileSize = int64(r.num())
	l.Scratch = int64(r.num())
	l.Stdout = int64(r.num())
	l.Stderr = int64(r.num())
}

// end tells whether all was read and nothing is left.
func (r *reader) end() error {
	if r.bad || len(r.b) != 0 {
		return errWire
	}
	return nil
}
