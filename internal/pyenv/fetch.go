package pyenv

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
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
	client  *http.Client // for addresses in closures
	own     *http.Client // for mirrors, which the person named
	dir     string       // where <digest>.whl goes
	mirrors []string     // base addresses: <mirror>/<digest>/<file>

	mu    sync.Mutex
	told  func(Progress)
	done  int64
	total int64
}

// newFetcher makes a fetcher into the download cache of one user.
func (p *Pythons) newFetcher(opt InstallOptions) *fetcher {
	return &fetcher{
		client: newClient(p.host.HTTP(), knownHosts(p.host.Getenv)), own: calm(p.host.HTTP()),
		dir: p.downloads(), mirrors: opt.Mirrors, told: opt.Progress,
	}
}

// calm is the host's client with the redirects that a download may follow: few,
// and never from https to something weaker. The digest protects the content;
// this keeps what is asked for from being seen on the way.
func calm(from *http.Client) *http.Client {
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

// all makes every wheel present in f.dir, several at once and the largest
// first, hands each, open and checked, to then as soon as it is there, and
// stops at the first that fails.
func (f *fetcher) all(ctx context.Context, wheels []ledger.Wheel, then func(ledger.Wheel, *os.File) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	var once sync.Once
	var failed error
	queue := make(chan ledger.Wheel)
	for range min(parallel, len(wheels)) {
		group.Go(func() {
			for w := range queue {
				file, err := f.one(ctx, w)
				if err == nil {
					err = errors.Join(then(w, file), file.Close())
				}
				if err != nil {
					once.Do(func() { failed = err; cancel() })
				}
			}
		})
	}
	wheels = slices.SortedStableFunc(slices.Values(wheels), func(a, b ledger.Wheel) int { return cmp.Compare(b.Size, a.Size) })
	for _, w := range wheels {
		queue <- w
	}
	close(queue)
	group.Wait()
	return failed
}

// one downloads a wheel from the first source that has the right bytes, and
// returns it open. Wrong bytes everywhere is "no" (NotVerified "wheel_digest"),
// an address inside of the user's own network too (Denied "wheel_address"); no
// answer from at least one source is "could not tell" (Unavailable
// "wheel_download").
func (f *fetcher) one(ctx context.Context, w ledger.Wheel) (*os.File, error) {
	if file, err := f.have(w); err == nil {
		return file, nil
	}
	// Two processes that add to one partial file would spoil it.
	unlock, err := durable.Lock(ctx, filepath.Join(f.dir, ".lock-"+w.SHA256.Hex()[:2]), limits.Download)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if file, err := f.have(w); err == nil {
		return file, nil
	}
	var last error
	wrong := true
	for _, source := range f.sources(w) {
		for attempt := range limits.HTTPAttempts {
			var file *os.File
			if file, last = f.get(ctx, source, w); last == nil {
				return file, nil
			}
			if ctx.Err() != nil {
				return nil, fmt.Errorf("download %s: %w", w.File, ctx.Err())
			}
			if local(last) {
				return nil, fmt.Errorf("download %s: %w", w.File, last)
			}
			if fault.KindOf(last) == fault.NotVerified || !passing(last) {
				break
			}
			pause(ctx, time.Duration(attempt+1)*200*time.Millisecond)
		}
		if fault.KindOf(last) != fault.NotVerified {
			wrong = false
		}
	}
	if inside, ok := errors.AsType[addressError](last); ok {
		return nil, inside.refusal(w)
	}
	if wrong {
		return nil, last
	}
	return nil, fault.New(fault.Unavailable, "wheel_download", "download %s: %w", w.File, last).
		Hint("check the connection and try again; what has come so far is kept")
}

// have opens a wheel that was downloaded before.
func (f *fetcher) have(w ledger.Wheel) (*os.File, error) {
	file, err := openWheel(wheelPath(f.dir, w.SHA256), w)
	if err == nil {
		f.tell(w.File, w.Size)
	}
	return file, err
}

// source is one place that may have a wheel.
type source struct {
	address string
	client  *http.Client
}

// sources are the mirrors in their order, then the address in the closure.
func (f *fetcher) sources(w ledger.Wheel) []source {
	var out []source
	for _, m := range f.mirrors {
		out = append(out, source{strings.TrimRight(m, "/") + "/" + w.SHA256.Hex() + "/" + url.PathEscape(w.File), f.own})
	}
	return append(out, source{w.URL, f.client})
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
	var inside addressError
	switch {
	case errors.As(err, &redirect), errors.As(err, &inside):
		return false
	case errors.As(err, &status):
		return status >= 500 || status == http.StatusTooManyRequests
	}
	return true
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
	if err := checkWheel(file, w); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// checkWheel reads a whole file and compares length and digest.
func checkWheel(file *os.File, w ledger.Wheel) error {
	sum := sha256.New()
	n, err := io.CopyBuffer(struct{ io.Writer }{sum}, io.NewSectionReader(file, 0, w.Size+1), make([]byte, 256<<10))
	if err == nil && (n != w.Size || spec.Digest(sum.Sum(nil)) != w.SHA256) {
		err = wrongWheel(w, "has another digest than the release lists")
	}
	return err
}

// downloads is where wheels go as they come.
func (p *Pythons) downloads() string { return filepath.Join(p.host.Paths.Cache(), "wheels") }

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
	c.add(int64(len(b)))
	return len(b), nil
}

func (c *counter) add(n int64) {
	if n != 0 {
		c.n += n
		c.f.tell(c.name, n)
	}
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
