package provision

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// url downloads a single executable artifact. It has no name that anybody would start
// it by, nor the rights for that, before its digest was found to be the stated one
// [TI-P8].
func (w *work) url(ctx context.Context) error {
	a := w.d.Install
	want, err := spec.ParseDigest("sha256:" + a.SHA256)
	if err != nil {
		return refused("the download has no SHA-256")
	}
	u, err := url.Parse(a.URL)
	if err != nil {
		return refused("%s is no address", spec.Quote(a.URL))
	}
	name, at := w.artifactName(path.Base(u.Path))
	if spec.CheckPath(name) != nil || strings.Contains(name, "/") {
		return refused("the download has no name that a file can have: %s", spec.Quote(name))
	}
	part := filepath.Join(filepath.Dir(w.stage), "download")
	size, err := w.p.download(ctx, a.URL, part, want)
	if err != nil {
		return err
	}
	file := filepath.Join(w.stage, name)
	w.p.did("download")
	if err := errors.Join(os.Chmod(part, 0o755), os.Rename(part, file)); err != nil {
		return err
	}
	w.done.Dir, w.done.Files, w.done.Bytes, w.done.SHA256 = w.final, 1, size, want
	w.done.Source = a.URL + " " + want.String()
	w.done.Mounts = []Mount{same(w.final)}
	return w.command(ctx, func(_ string, i int) ([]string, bool, error) {
		if i != at {
			return nil, false, nil
		}
		if i > 0 {
			return []string{filepath.Join(w.final, name)}, true, nil
		}
		argv, err := w.starts(ctx, name)
		return argv, true, err
	})
}

// artifactName is what the download is to be called, and which word of the command
// it is: an argument that is the name in its address, as of a script, else the program.
func (w *work) artifactName(inAddress string) (name string, at int) {
	if i := slices.Index(w.d.Command, inAddress); i > 0 {
		return inAddress, i
	}
	if len(w.d.Command) > 0 {
		return path.Base(w.d.Command[0]), 0
	}
	return inAddress, 0
}

// download writes what an address answers to a file, if it has the digest.
func (p *Provisioner) download(ctx context.Context, address, file string, want spec.Digest) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, refused("%s is no address", spec.Quote(address))
	}
	// The digest is of the file as it lies there.
	request.Header.Set("Accept-Encoding", "identity")
	response, err := p.client().Do(request)
	if err != nil {
		return 0, p.unreachable(ctx, "download", err)
	}
	defer func() { _ = response.Body.Close() }()
	switch {
	case response.StatusCode == http.StatusNotFound, response.StatusCode == http.StatusGone:
		return 0, fault.New(fault.NotFound, "no_artifact", "%s answers %d: it is not there any more", spec.Quote(address), response.StatusCode)
	case response.StatusCode != http.StatusOK:
		return 0, fault.New(fault.Unavailable, "download", "%s answers %d", spec.Quote(address), response.StatusCode)
	case response.ContentLength > limits.Artifact:
		return 0, refused("%s has %d bytes, allowed are %d", spec.Quote(address), response.ContentLength, int64(limits.Artifact))
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, sum), &counted{r: io.LimitReader(response.Body, limits.Artifact+1), p: p, total: response.ContentLength})
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return 0, p.unreachable(ctx, "download", err)
	}
	if size > limits.Artifact {
		return 0, refused("%s has more than %d bytes", spec.Quote(address), int64(limits.Artifact))
	}
	if got := spec.Digest(sum.Sum(nil)); got != want {
		return 0, fault.New(fault.NotVerified, "artifact_digest", "%s has the digest %s, the manifest says %s; nothing is installed", spec.Quote(address), got, want).
			Hint("somebody changed the file after the release was accepted: tell its author, and do not install it")
	}
	return size, nil
}

// client is the HTTP client, which follows few redirects and only to https.
func (p *Provisioner) client() *http.Client {
	c := *p.HTTP
	c.Jar = nil
	c.CheckRedirect = func(request *http.Request, via []*http.Request) error {
		if len(via) > limits.HTTPRedirects {
			return fault.New(fault.Unavailable, "redirects", "more than %d redirects", limits.HTTPRedirects)
		}
		if request.URL.Scheme != "https" && !p.plain {
			return fault.New(fault.NotVerified, "downgrade", "redirect from https to %s", spec.Quote(request.URL.Redacted()))
		}
		return nil
	}
	return &c
}

// unreachable is the error of a request that got no answer. What a person refused
// stays a refusal; the address may be long and foreign, so it is left out.
func (p *Provisioner) unreachable(ctx context.Context, what string, err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	switch kind := fault.KindOf(err); kind {
	case fault.Internal:
		return fault.New(fault.Unavailable, "download", "%s: %w", what, err).Hint("check the connection and try again")
	default:
		return fault.New(kind, fault.ReasonOf(err), "%s: %w", what, err)
	}
}

// counted tells of the bytes that went through it.
type counted struct {
	r           io.Reader
	p           *Provisioner
	done, total int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.done += int64(n)
	c.p.progress("downloading", c.done, max(c.total, 0))
	return n, err
}
