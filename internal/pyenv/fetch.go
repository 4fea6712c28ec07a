package pyenv

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Progress is told now and then while an environment is made, from several
// goroutines but never two at once.
type Progress struct {
	Step        string // "download", "unpack", "compile"
	File        string // the wheel, "" for compile
	Done, Total int64  // bytes of all wheels that had to be downloaded
}

// parallel is how many wheels are downloaded at once. Most are small, so the
// waiting overlaps; more would only split the line.
const parallel = 8

// fetcher downloads the wheels of one closure.
type fetcher struct {
	client  *http.Client
	dir     string   // where <digest>.whl goes
	mirrors []string // base addresses: <mirror>/<digest>/<file>

	mu    sync.Mutex
	told  func(Progress)
	done  int64
	total int64
}

// newClient is the host's client with the redirects that a download may
// follow: few, and never from https to something weaker. The digest protects
// the content; this keeps what is asked for from being seen on the way.
func newClient(from *http.Client) *http.Client {
	c := *from
	c.CheckRedirect = func(to *http.Request, via []*http.Request) error {
		switch {
		case len(via) > limits.HTTPRedirects:
			return redirectError(fmt.Sprintf("more than %d redirects", limits.HTTPRedirects))
		case to.URL.Scheme != "https" && via[0].URL.Scheme == "https":
			return redirectError("redirect from https to another scheme")
		}
		return nil
	}
	return &c
}

// all makes every wheel present in f.dir, several at once, hands each to then
// as soon as it is there, and stops at the first that fails.
func (f *fetcher) all(ctx context.Context, wheels []ledger.Wheel, then func(ledger.Wheel) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	var once sync.Once
	var failed error
	queue := make(chan ledger.Wheel)
	for range min(parallel, len(wheels)) {
		group.Go(func() {
			for w := range queue {
				err := f.one(ctx, w)
				if err == nil {
					err = then(w)
				}
				if err != nil {
					once.Do(func() { failed = err; cancel() })
				}
			}
		})
	}
	for _, w := range wheels {
		queue <- w
	}
	close(queue)
	group.Wait()
	return failed
}

// one downloads a wheel from the first source that has the right bytes.
// Wrong bytes everywhere is "no" (NotVerified "wheel_digest"); no answer from
// at least one source is "could not tell" (Unavailable "wheel_download").
func (f *fetcher) one(ctx context.Context, w ledger.Wheel) error {
	final := wheelPath(f.dir, w.SHA256)
	if file, err := openWheel(final, w); err == nil {
		f.tell(w.File, w.Size)
		return file.Close()
	}
	var last error
	wrong := true
	for _, source := range f.sources(w) {
		for attempt := range limits.HTTPAttempts {
			err := f.get(ctx, source, w, final)
			if err == nil {
				return nil
			}
			last = err
			if ctx.Err() != nil {
				return fmt.Errorf("download %s: %w", w.File, ctx.Err())
			}
			if local(err) {
				return fmt.Errorf("download %s: %w", w.File, err)
			}
			if fault.KindOf(err) == fault.NotVerified || !passing(err) {
				break
			}
			pause(ctx, time.Duration(attempt+1)*200*time.Millisecond)
		}
		if fault.KindOf(last) != fault.NotVerified {
			wrong = false
		}
	}
	if wrong {
		return last
	}
	return fault.New(fault.Unavailable, "wheel_download", "download %s: %w", w.File, last).
		Hint("check the connection and try again; downloads that are complete are kept")
}

// sources are the mirrors in their order, then the address in the closure.
func (f *fetcher) sources(w ledger.Wheel) []string {
	var out []string
	for _, m := range f.mirrors {
		out = append(out, strings.TrimRight(m, "/")+"/"+w.SHA256.Hex()+"/"+url.PathEscape(w.File))
	}
	return append(out, w.URL)
}

// statusError is an answer other than 200.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("server answers %d", int(e)) }

// redirectError is a redirect that is not followed.
type redirectError string

func (e redirectError) Error() string { return string(e) }

// passing tells whether asking the same server again can help.
func passing(err error) bool {
	var status statusError
	var redirect redirectError
	switch {
	case errors.As(err, &redirect):
		return false
	case errors.As(err, &status):
		return status >= 500 || status == http.StatusTooManyRequests
	}
	return true
}

// get downloads from one address into a temporary file beside final, checks
// length and digest while the bytes pass, and renames. A kill at any point
// leaves a temporary file that durable.Sweep takes away.
func (f *fetcher) get(ctx context.Context, source string, w ledger.Wheel, final string) error {
	ctx, cancel := context.WithTimeout(ctx, limits.Download)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, source, nil)
	if err != nil {
		return err
	}
	response, err := f.client.Do(request)
	if err != nil {
		return bareURLError(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return statusError(response.StatusCode)
	}
	if n := response.ContentLength; n >= 0 && n != w.Size {
		return wrongWheel(w, "has %d bytes, not %d", n, w.Size)
	}
	temp := filepath.Join(f.dir, ".patch-tmp-"+rand.Text())
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp) }()
	sum := sha256.New()
	counted := &counter{f: f, name: w.File}
	n, err := io.Copy(io.MultiWriter(file, sum, counted), io.LimitReader(response.Body, w.Size+1))
	if err = errors.Join(err, file.Close()); err == nil {
		switch {
		case n < w.Size:
			err = io.ErrUnexpectedEOF
		case n > w.Size:
			err = wrongWheel(w, "has more than %d bytes", w.Size)
		case spec.Digest(sum.Sum(nil)) != w.SHA256:
			err = wrongWheel(w, "has another digest than the release lists")
		default:
			err = os.Rename(temp, final)
		}
	}
	if err != nil {
		f.tell(w.File, -counted.n)
	}
	return err
}

func wrongWheel(w ledger.Wheel, format string, args ...any) error {
	return fault.New(fault.NotVerified, "wheel_digest", "download %s: file %s", w.File, fmt.Sprintf(format, args...))
}

// openWheel opens a downloaded wheel and checks length and digest of what it
// opened, so that the bytes unpacked from it are the bytes checked.
func openWheel(path string, w ledger.Wheel) (*os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(file, w.Size+1))
	if err == nil && (n != w.Size || spec.Digest(sum.Sum(nil)) != w.SHA256) {
		err = wrongWheel(w, "is damaged")
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func wheelPath(dir string, d spec.Digest) string { return filepath.Join(dir, d.Hex()+".whl") }

// tell reports bytes that came, or were taken back after a failure.
func (f *fetcher) tell(file string, n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done += n
	if f.told != nil {
		f.told(Progress{Step: "download", File: file, Done: f.done, Total: f.total})
	}
}

// unpacking reports that a wheel has come.
func (f *fetcher) unpacking(file string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.told != nil {
		f.told(Progress{Step: "unpack", File: file, Done: f.done, Total: f.total})
	}
}

// counter reports bytes as they pass.
type counter struct {
	f    *fetcher
	name string
	n    int64
}

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	c.f.tell(c.name, int64(len(b)))
	return len(b), nil
}

// bareURLError drops the address, which may carry a mirror's password.
func bareURLError(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
