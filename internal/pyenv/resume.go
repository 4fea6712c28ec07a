package pyenv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// What has come of a wheel lies in <digest>.part, whichever source it came
// from, until the whole has the digest. A kill or a power cut leaves any bytes
// there: nothing of it is believed before the last byte came and the whole was
// read again. So resuming can cost a download but never a wrong wheel.

// part is the beginning of a wheel.
type part struct {
	file  *os.File
	note  string // path of what says which server had it
	bytes int64
}

func (f *fetcher) openPart(w ledger.Wheel) (*part, error) {
	path := filepath.Join(f.dir, w.SHA256.Hex()+".part")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	p := &part{file: file, note: strings.TrimSuffix(path, ".part") + ".etag"}
	info, err := file.Stat()
	if err == nil {
		if p.bytes = info.Size(); p.bytes > w.Size {
			err = p.restart()
		}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return p, nil
}

// restart throws away what has come.
func (p *part) restart() error {
	_ = os.Remove(p.note) // of other bytes; a server that is asked by it sends the whole
	p.bytes = 0
	return p.file.Truncate(0)
}

// etag is the strong validator that the bytes have at this address, or "".
func (p *part) etag(address string) string {
	b, err := os.ReadFile(p.note)
	if err != nil || p.bytes == 0 {
		return ""
	}
	at, tag, _ := strings.Cut(string(b), "\n")
	if at != spec.DigestOf([]byte(address)).Hex() || !strong(tag) {
		return ""
	}
	return tag
}

// remember keeps the validator of an answer. Without it the next request asks
// for the rest all the same, and the digest finds out what it was the rest of.
func (p *part) remember(address, tag string) {
	if strong(tag) {
		_ = os.WriteFile(p.note, []byte(spec.DigestOf([]byte(address)).Hex()+"\n"+tag), 0o600)
	}
}

// strong tells whether a header field is one strong ETag of reasonable size.
func strong(tag string) bool {
	return len(tag) > 2 && len(tag) <= 200 && tag[0] == '"' && tag[len(tag)-1] == '"' &&
		!strings.ContainsFunc(tag[1:len(tag)-1], func(r rune) bool { return r <= ' ' || r == '"' || r >= 0x7f })
}

// get downloads from one address what is missing of a wheel, and returns the
// whole, checked and under its final name. Bytes that were there before can be
// somebody else's mistake: a whole that is wrong with them is asked for once
// more without.
func (f *fetcher) get(ctx context.Context, from source, w ledger.Wheel) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.Download)
	defer cancel()
	p, err := f.openPart(w)
	if err != nil {
		return nil, err
	}
	counted := &counter{f: f, name: w.File}
	counted.add(p.bytes)
	resumed := p.bytes > 0
	err = f.fill(ctx, from, w, p, counted)
	if again := brokenRange(""); resumed && ctx.Err() == nil && (errors.As(err, &again) || err != nil && whole(p, w)) {
		counted.add(-counted.n)
		if err = p.restart(); err == nil {
			err = f.fill(ctx, from, w, p, counted)
		}
	}
	if err == nil {
		if err = os.Rename(p.file.Name(), wheelPath(f.dir, w.SHA256)); err == nil {
			_ = os.Remove(p.note)
			return p.file, nil
		}
	}
	counted.add(-counted.n)
	if whole(p, w) {
		err = errors.Join(err, p.restart())
	}
	err = errors.Join(err, p.file.Close())
	if p.bytes == 0 {
		_ = os.Remove(p.file.Name())
	}
	return nil, err
}

// whole tells whether there is nothing to add, so that what is wrong is wrong
// to its end.
func whole(p *part, w ledger.Wheel) bool { return p.bytes >= w.Size }

// brokenRange is an answer that is not the rest of what we have.
type brokenRange string

func (e brokenRange) Error() string { return string(e) }

// fill adds what is missing and checks the whole.
func (f *fetcher) fill(ctx context.Context, from source, w ledger.Wheel, p *part, counted *counter) error {
	if !whole(p, w) {
		if err := f.ask(ctx, from, w, p, counted); err != nil {
			return err
		}
	}
	return checkWheel(p.file, w)
}

// ask sends one request for what is missing and appends the answer.
func (f *fetcher) ask(ctx context.Context, from source, w ledger.Wheel, p *part, counted *counter) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from.address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept-Encoding", "identity")
	if p.bytes > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.bytes))
		if tag := p.etag(from.address); tag != "" {
			request.Header.Set("If-Range", tag)
		}
	}
	response, err := from.client.Do(request)
	if err != nil {
		return bareURLError(err)
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusOK: // it knows no ranges, or has another file now
		counted.add(-counted.n)
		if err := p.restart(); err != nil {
			return err
		}
	case response.StatusCode == http.StatusRequestedRangeNotSatisfiable && p.bytes > 0:
		return brokenRange("server has no such part of it")
	case response.StatusCode != http.StatusPartialContent || p.bytes == 0:
		return statusError(response.StatusCode)
	case !continues(response.Header.Get("Content-Range"), p.bytes, w.Size):
		return brokenRange("server sends another part than was asked for")
	}
	if n := response.ContentLength; n >= 0 && n != w.Size-p.bytes {
		if p.bytes > 0 {
			return brokenRange("server sends another length than it says")
		}
		return wrongWheel(w, "has %d bytes, not %d", p.bytes+n, w.Size)
	}
	p.remember(from.address, response.Header.Get("ETag"))
	rest := io.LimitReader(response.Body, w.Size-p.bytes+1)
	n, err := io.CopyBuffer(io.MultiWriter(io.NewOffsetWriter(p.file, p.bytes), counted), rest, make([]byte, 256<<10))
	p.bytes += n
	switch {
	case p.bytes > w.Size:
		return wrongWheel(w, "has more than %d bytes", w.Size)
	case err == nil && p.bytes < w.Size:
		return io.ErrUnexpectedEOF
	}
	return err
}

// continues tells whether a Content-Range is from the given byte to the end of
// a file of the given size.
func continues(field string, from, size int64) bool {
	span := fmt.Sprintf("bytes %d-%d/", from, size-1)
	return field == span+fmt.Sprint(size) || field == span+"*"
}
