package sandbox

import (
	"io"
	"time"
)

// goodbye is how long a program has to end by itself once nobody speaks to it any more.
const goodbye = 500 * time.Millisecond

// talk is a conversation with a program: what it writes goes to whoever speaks with it
// beside being kept for the outcome.
type talk struct {
	to   *io.PipeWriter
	from *io.PipeReader
}

// converse has the job's own conversation on the late input, once the gate has opened.
func (t *tree) converse(j Job) {
	t.fed = make(chan struct{})
	r, w := io.Pipe()
	t.talk = &talk{to: w, from: r}
	go func() {
		if t.passes(j) {
			j.Talk(t.stdin, r)
			time.AfterFunc(goodbye, t.kill)
		}
		t.talk.hush()
		t.dry()
	}()
}

// hush lets go of who listens and of who writes: neither waits for the other.
func (k *talk) hush() {
	if k != nil {
		_ = k.from.Close()
	}
}

// heard is what is read, also for whoever speaks with the program.
func (k *talk) heard(r io.Reader) io.Reader {
	if k == nil {
		return r
	}
	return &overheard{r, k.to}
}

type overheard struct {
	r io.Reader
	w *io.PipeWriter
}

func (o *overheard) Read(b []byte) (int, error) {
	n, err := o.r.Read(b)
	if n > 0 {
		_, _ = o.w.Write(b[:n]) // nobody listens any more: it is kept all the same
	}
	if err != nil {
		_ = o.w.Close()
	}
	return n, err
}
