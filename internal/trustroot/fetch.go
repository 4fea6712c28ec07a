package trustroot

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// fetcher gets the files of a TUF repository over the host's own client, so
// that the person's proxy is used and their Ctrl-C ends it. It remembers how
// the last download failed: TUF's client may wrap what it was told, and an
// outage must not read like a refusal.
type fetcher struct {
	ctx    context.Context //nolint:containedctx // TUF's client hands none down
	http   *http.Client
	base   string // what the client believes to ask
	mirror string // what is asked in its place
	failed error
}

// DownloadFile is what TUF's client asks for; see its package fetcher.
func (f *fetcher) DownloadFile(address string, most int64, _ time.Duration) ([]byte, error) {
	f.failed = nil
	path, ours := strings.CutPrefix(address, f.base)
	if !ours {
		return nil, fault.New(fault.Internal, "request", "TUF's client asks for %s", spec.Quote(address))
	}
	limit := int64(limits.TUFMetadata)
	if strings.HasPrefix(path, "/targets/") {
		limit = limits.TrustedRoot
	}
	if most > limit {
		return nil, fault.New(fault.NotVerified, "tuf:size", "%s is stated to have %d bytes, allowed are %d", spec.Quote(path), most, limit)
	}
	data, status, err := f.get(f.mirror+path, most)
	switch {
	case err != nil:
		f.failed = err
	case status == http.StatusNotFound && strings.HasSuffix(path, ".root.json"):
		// How TUF's client learns that it has the newest root.
		return nil, &metadata.ErrDownloadHTTP{StatusCode: status, URL: address}
	case status != http.StatusOK:
		f.failed = fault.New(fault.Unavailable, "http_"+strconv.Itoa(status), "get %s: the server answered %d %s", shown(f.mirror+path), status, http.StatusText(status)).
			Hint("try again later, or ask a mirror: patch-git trust update --mirror URL")
	case int64(len(data)) > most:
		return nil, &metadata.ErrDownloadLengthMismatch{Msg: path + " is longer than was stated"}
	}
	return data, f.failed
}

// get returns up to one byte more than most.
func (f *fetcher) get(address string, most int64) ([]byte, int, error) {
	ctx, cancel := context.WithTimeout(f.ctx, limits.HTTPTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, fault.New(fault.Usage, "mirror", "%s is not an address", spec.Quote(address))
	}
	res, err := f.http.Do(req)
	if err != nil {
		return nil, 0, f.outage(address, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, res.StatusCode, nil
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	if err != nil {
		return nil, 0, f.outage(address, err)
	}
	return data, res.StatusCode, nil
}

// outage says why there is no answer, which is never a verdict.
func (f *fetcher) outage(address string, err error) error {
	if errors.Is(f.ctx.Err(), context.Canceled) {
		return f.ctx.Err()
	}
	if refused, ok := errors.AsType[*fault.Error](err); ok { // by the client's rules on redirects
		return fault.New(fault.Unavailable, refused.Reason, "get %s: %s", shown(address), refused.Message)
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	return fault.New(fault.Unavailable, "network", "get %s: %s", shown(address), spec.Quote(err.Error())).
		Hint("check the network connection, or ask a mirror: patch-git trust update --mirror URL")
}

// shown is an address without its password, fit for a message.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return spec.Quote(address)
	}
	return strings.Trim(spec.Quote(u.Redacted()), `"`)
}
