package branch

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// catFile is one `git cat-file --batch` that answers for blob after blob.
type catFile struct {
	ask    *io.PipeWriter
	answer *bufio.Reader
	end    func()
}

func (c *git) catFile(ctx context.Context) *catFile {
	// It outlives the call that needed it first, and ends with Close.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	in, ask := io.Pipe()
	answer, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		exit, stderr, err := c.try(ctx, in, out, "cat-file", "--batch")
		if err == nil {
			err = failed("cat-file", exit, stderr)
		}
		_ = out.CloseWithError(err)
		_ = in.CloseWithError(err)
	}()
	return &catFile{ask, bufio.NewReaderSize(answer, 1<<16), func() {
		_ = ask.Close()
		cancel()
		_ = answer.Close()
		<-done
	}}
}

func (f *catFile) close() {
	if f != nil {
		f.end()
	}
}

// readAll hands over blobs of at most max bytes in their order; a larger one is
// left out. After an error there is nothing more to be had from f.
func (f *catFile) readAll(ids []string, max int64, each func(id string, data []byte) error) error {
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(f.ask, strings.Join(ids, "\n")+"\n")
		sent <- err
	}()
	var err error
	for _, id := range ids {
		data, large, readErr := f.next(id, max)
		if err = readErr; err == nil && !large {
			err = each(id, data)
		}
		if err != nil {
			_ = f.ask.CloseWithError(err) // ends who is still writing
			return cmp.Or(err, <-sent)
		}
	}
	return <-sent
}

// read returns a blob of at most max bytes; large is true for one that has more.
func (f *catFile) read(id string, max int64) (data []byte, large bool, err error) {
	if _, err := io.WriteString(f.ask, id+"\n"); err != nil {
		return nil, false, err
	}
	return f.next(id, max)
}

// next reads the answer about a blob.
func (f *catFile) next(id string, max int64) (data []byte, large bool, err error) {
	line, err := f.answer.ReadString('\n')
	if err != nil {
		return nil, false, err
	}
	part := strings.Fields(line)
	if len(part) != 3 || part[0] != id || part[1] != "blob" {
		return nil, false, fault.New(fault.Unavailable, "git_object", "git object %s cannot be read: %s", id, spec.Quote(strings.TrimSpace(line)))
	}
	size, err := strconv.ParseInt(part[2], 10, 64)
	if err != nil || size < 0 {
		return nil, false, fault.New(fault.Unavailable, "git_object", "git object %s has the size %s", id, spec.Quote(part[2]))
	}
	if size > max {
		_, err := io.CopyN(io.Discard, f.answer, size+1)
		return nil, true, err
	}
	data = make([]byte, size+1) // a line feed follows
	if _, err := io.ReadFull(f.answer, data); err != nil {
		return nil, false, err
	}
	return data[:size], false, nil
}
