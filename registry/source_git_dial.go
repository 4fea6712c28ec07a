package registry

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// gitDialer connects to one remote repository. It drives the protocol below
// go-git's Remote, which has no bounds on what a server sends and exchanges
// transports only for the whole process.
type gitDialer struct {
	transport transport.Transport
	address   string // as go-git reads it, with a user and a password where they were given
	location  string // fit to be shown
}

// maxGitRefs bounds the list of branches and the text of errors.
const maxGitRefs = 16 * limits.MiB

func httpTransport(client *http.Client) transport.Transport {
	inner := client.Transport
	if inner == nil { // what a client without a transport means
		inner = http.DefaultTransport
	}
	return githttp.NewClient(&http.Client{Transport: cappedTransport{inner}, CheckRedirect: checkRedirect})
}

// sshTransport uses the keys of ssh-agent and the hosts of known_hosts.
func sshTransport() transport.Transport { return gitssh.NewClient(nil) }

// cappedTransport ends an answer that is larger than any that is needed.
type cappedTransport struct{ inner http.RoundTripper }

func (t cappedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.inner.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	limit := int64(maxGitRefs)
	if req.Method == http.MethodPost && resp.StatusCode == http.StatusOK {
		limit = maxPackBytes + maxPackBytes/16 // a pack and its framing
	}
	resp.Body = &cappedBody{resp.Body, limit}
	return resp, nil
}

type cappedBody struct {
	io.ReadCloser
	left int64
}

func (b *cappedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// gitSession is one conversation: the branch's tip is known, a pack can be asked for.
type gitSession struct {
	dialer  gitDialer
	session transport.UploadPackSession
	adv     *packp.AdvRefs
	tip     plumbing.Hash
}

// dial asks for the tip of the branch.
func (d gitDialer) dial(ctx context.Context) (*gitSession, error) {
	ep, err := transport.NewEndpoint(d.address)
	if err != nil {
		return nil, fault.New(fault.Usage, "location", "the address of a git repository is not readable")
	}
	type dialed struct {
		session transport.UploadPackSession
		err     error
	}
	// go-git's ssh connects without a context. Where ours ends first, the
	// connection is closed as soon as there is one.
	done := make(chan dialed, 1)
	go func() {
		s, err := d.transport.NewUploadPackSession(ep, nil)
		done <- dialed{s, err}
	}()
	var s transport.UploadPackSession
	select {
	case got := <-done:
		if got.err != nil {
			return nil, d.fail(got.err)
		}
		s = got.session
	case <-ctx.Done():
		go func() {
			if late := <-done; late.err == nil {
				_ = late.session.Close()
			}
		}()
		return nil, ctx.Err()
	}
	adv, err := s.AdvertisedReferencesContext(ctx)
	if err != nil {
		_ = s.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, d.fail(err)
	}
	tip, ok := adv.References[plumbing.NewBranchReferenceName(gitBranch).String()]
	if !ok {
		_ = s.Close()
		return nil, d.fail(errNoBranch)
	}
	return &gitSession{d, s, adv, tip}, nil
}

var errNoBranch = errors.New("there is no branch \"" + gitBranch + "\"")

// fail says why a remote repository could not be read. None of these tells
// that a file is absent, not even that the repository is.
func (d gitDialer) fail(err error) error {
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, errNoBranch), errors.Is(err, transport.ErrRepositoryNotFound), errors.Is(err, transport.ErrEmptyRemoteRepository):
		return fault.New(fault.Unavailable, "no_registry", "fetch %s: there is no repository with a branch %q", d.location, gitBranch).
			Hint("check the address and that the repository has a branch %q", gitBranch)
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		return fault.New(fault.Unavailable, "git_auth", "fetch %s: the server wants to know who is asking", d.location).
			Hint("check the address; for a private repository use ssh and a key in ssh-agent")
	}
	if status, ok := errors.AsType[*githttp.Err](err); ok {
		return fault.New(fault.Unavailable, "git", "fetch %s: the server answered %d", d.location, status.StatusCode())
	}
	// The text of a url.Error repeats the address, passwords and all.
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	return fault.New(fault.Unavailable, "git", "fetch %s: %s", d.location, plain(err.Error())).
		Hint("check the network connection, or add a mirror of the registry")
}

func (s *gitSession) close() { _ = s.session.Close() }

// fetch brings the tip's objects into the copy in dir, which is made when it
// is missing. have is a commit whose objects are there already, or zero; the
// tip need not descend from it. The session ends with it.
func (s *gitSession) fetch(ctx context.Context, dir string, have plumbing.Hash) error {
	defer s.close()
	err := s.fetchInto(ctx, dir, have)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return s.dialer.fail(err)
	}
	return nil
}

func (s *gitSession) fetchInto(ctx context.Context, dir string, have plumbing.Hash) error {
	req := packp.NewUploadPackRequestFromCapabilities(s.adv.Capabilities)
	req.Wants = []plumbing.Hash{s.tip}
	req.Depth = packp.DepthCommits(1)
	if err := req.Capabilities.Set(capability.Shallow); err != nil {
		return err
	}
	if !have.IsZero() {
		req.Haves, req.Shallows = []plumbing.Hash{have}, []plumbing.Hash{have}
		// Only for a thin pack does git look which trees and files are there.
		if err := req.Capabilities.Set(capability.ThinPack); err != nil {
			return err
		}
	}
	resp, err := s.session.UploadPack(ctx, req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Close() }()
	var body io.Reader = resp
	switch {
	case req.Capabilities.Supports(capability.Sideband64k):
		body = sideband.NewDemuxer(sideband.Sideband64k, resp)
	case req.Capabilities.Supports(capability.Sideband):
		body = sideband.NewDemuxer(sideband.Sideband, resp)
	}
	return storePack(dir, body, !have.IsZero())
}

// storePack receives a pack, checks it and adds it to the copy in dir. A thin
// pack has deltas to objects that are there already; go-git can keep those
// only one by one.
func storePack(dir string, body io.Reader, thin bool) error {
	if err := durable.MkdirAll(dir); err != nil {
		return err
	}
	incoming, err := os.OpenFile(filepath.Join(dir, "incoming.pack"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fault.New(fault.Unavailable, "git_store", "receive a pack: %w", err)
	}
	defer func() { _ = os.Remove(incoming.Name()) }()
	defer func() { _ = incoming.Close() }()
	switch n, err := io.Copy(incoming, io.LimitReader(body, maxPackBytes+1)); {
	case err != nil:
		return err
	case n > maxPackBytes:
		return packFault("it has more than %d bytes", int64(maxPackBytes))
	}
	if _, err := incoming.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := checkPack(incoming); err != nil {
		return err
	}
	if _, err := incoming.Seek(0, io.SeekStart); err != nil {
		return err
	}
	store := openStorage(dir)
	if err := store.Init(); err != nil {
		return err
	}
	if !thin {
		return packfile.UpdateObjectStorage(store, incoming)
	}
	parser, err := packfile.NewParserWithStorage(packfile.NewScanner(incoming), store)
	if err != nil {
		return err
	}
	_, err = parser.Parse()
	return err
}
