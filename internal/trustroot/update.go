package trustroot

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sigstore/sigstore-go/pkg/tuf"
	"github.com/theupdateframework/go-tuf/v2/metadata"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// RefreshOptions say whom to ask. Dir, HTTP, Now and Check are compulsory.
type RefreshOptions struct {
	Dir string // the user's trust folder
	// Mirror is the address of a TUF repository; "" is Sigstore's own.
	Mirror string
	// Root is the root.json that the repository has to follow from; nil is
	// that of Sigstore's own.
	Root []byte
	HTTP *http.Client
	Now  func() time.Time
	// Check tells what keeps a trusted root from being verified with.
	Check func(root []byte) error
}

// Change is what a refresh did.
type Change struct {
	Before      Material // no documents where they were damaged
	After       Material
	Added, Gone []Authority // one whose validity changed is in both
}

// The targets of the repository that make a [Material].
const (
	rootTarget   = "trusted_root.json"
	configTarget = "signing_config.v0.2.json"
)

// Refresh replaces what [Load] returns by what a TUF repository has now. TUF's
// client decides what to believe: every document is signed by keys that follow
// from a root which is known, none is older than one that was seen before, and
// none is out of date. What is refused, or breaks off, changes nothing that
// Load reads.
func Refresh(ctx context.Context, o RefreshOptions) (*Change, error) {
	mirror, err := address(o.Mirror)
	if err != nil {
		return nil, err
	}
	unlock, err := durable.Lock(ctx, filepath.Join(o.Dir, ".lock"), limits.LockWait)
	if err != nil {
		return nil, err
	}
	defer unlock()
	before, err := Load(o.Dir)
	if err != nil && fault.ReasonOf(err) != ReasonDamaged {
		return nil, err
	}
	after, err := download(ctx, o, mirror)
	if err != nil {
		return nil, err
	}
	if err := usable(after, o.Check); err != nil {
		return nil, fault.New(fault.NotVerified, "tuf:content", "what the TUF repository at %s signed cannot be used: %w", shown(mirror), err)
	}
	c := &Change{Before: before, After: after}
	if c.Added, c.Gone, err = compare(before.Root, after.Root); err != nil {
		return nil, err
	}
	return c, store(o.Dir, after)
}

// address checks that of a mirror.
func address(mirror string) (string, error) {
	if mirror == "" {
		return tuf.DefaultMirror, nil
	}
	u, err := url.Parse(mirror)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fault.New(fault.Usage, "mirror", "%s is not the address of a TUF repository", spec.Quote(mirror)).
			Hint("patch-git trust update --mirror https://…")
	}
	return strings.TrimRight(mirror, "/"), nil
}

// download brings both targets, verified by TUF's client.
func download(ctx context.Context, o RefreshOptions, mirror string) (Material, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.TUFTime)
	defer cancel()
	// What was seen is kept by the root that it follows from, and not by the
	// address: a mirror of the same repository must not lead back behind it.
	line := "https://tuf-repo-cdn.sigstore.dev"
	if o.Root != nil && spec.DigestOf(o.Root) != spec.DigestOf(tuf.DefaultRoot()) {
		line = "https://" + spec.DigestOf(o.Root).Hex()
	}
	cache := filepath.Join(o.Dir, "tuf")
	root, err := newestRoot(filepath.Join(cache, tuf.URLToPath(line)), o.Root)
	if err != nil {
		return Material{}, err
	}
	f := &fetcher{ctx: ctx, http: o.HTTP, base: line, mirror: mirror}
	client, err := tuf.New(&tuf.Options{Root: root, CachePath: cache, RepositoryBaseURL: line, Fetcher: f})
	if err != nil {
		return Material{}, f.explain(cache, err)
	}
	m := Material{Fetched: o.Now().UTC().Format(time.RFC3339)}
	if m.Root, err = client.GetTarget(rootTarget); err != nil {
		return Material{}, f.explain(cache, err)
	}
	if m.Config, err = client.GetTarget(configTarget); err != nil {
		return Material{}, f.explain(cache, err)
	}
	return m, nil
}

// newestRoot is the root to begin from: the newest that an earlier refresh came
// to, else the given one. TUF's client begins from what it is given each time;
// from an old root, whoever has a key that was replaced since could keep the
// newer ones back and make all that was seen under them count for nothing.
func newestRoot(cache string, given []byte) ([]byte, error) {
	if given == nil {
		given = tuf.DefaultRoot()
	}
	first, err := metadata.Root().FromBytes(given)
	if err != nil {
		return nil, fault.New(fault.Usage, "tuf_root", "the root of the TUF repository is not readable: %s", spec.Quote(err.Error()))
	}
	for _, role := range []string{"timestamp", "snapshot", "targets", "root"} {
		data, err := durable.ReadFileNoFollow(filepath.Join(cache, role+".json"), limits.TUFMetadata)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// The client would refuse for ever what a power cut left behind.
		newer := first
		if role == "root" {
			newer, err = metadata.Root().FromBytes(data)
		}
		if err != nil || !json.Valid(data) {
			return nil, fault.New(fault.NotVerified, ReasonDamaged, "what is kept of the TUF repository is damaged").
				Hint("remove %q and try again", cache)
		}
		if newer.Signed.Version > first.Signed.Version {
			given = data
		}
	}
	return given, nil
}

// explain tells a refusal from an outage.
func (f *fetcher) explain(cache string, err error) error {
	refuse := func(reason, format string, args ...any) *fault.Error {
		args = append([]any{shown(f.mirror)}, args...)
		return fault.New(fault.NotVerified, reason, "the TUF repository at %s "+format, args...)
	}
	if f.failed != nil {
		return f.failed
	}
	if known, ok := errors.AsType[*fault.Error](err); ok {
		return known
	}
	if broken, ok := errors.AsType[*fs.PathError](err); ok {
		return durable.Classify("keep", cache, broken)
	}
	text := spec.Quote(err.Error())
	switch {
	case errors.Is(err, &metadata.ErrExpiredMetadata{}):
		return refuse("tuf:expired", "is out of date: %s", text).Hint("it was not renewed, or an old state of it is served, or this machine's clock is wrong: date")
	case errors.Is(err, &metadata.ErrBadVersionNumber{}):
		return refuse("tuf:rollback", "serves an older state than was seen: %s", text)
	case errors.Is(err, &metadata.ErrUnsignedMetadata{}):
		return refuse("tuf:signature", "is not signed by the keys that are known: %s", text)
	case errors.Is(err, &metadata.ErrLengthOrHashMismatch{}), errors.Is(err, &metadata.ErrDownloadLengthMismatch{}):
		return refuse("tuf:digest", "serves a file that is not what was signed: %s", text)
	}
	return refuse("tuf", "is refused: %s", text)
}

// usable keeps out what is signed and still nothing to verify or sign with.
func usable(m Material, check func([]byte) error) error {
	if err := check(m.Root); err != nil {
		return err
	}
	return CheckConfig(m.Config)
}

// compare lists the authorities that only one of two trusted roots names. The
// first may be of another kind of program, or nothing.
func compare(before, after []byte) (added, gone []Authority, err error) {
	now, err := Authorities(after)
	if err != nil {
		return nil, nil, err
	}
	old, _ := Authorities(before)
	return without(now, old), without(old, now), nil
}

func without(all, those []Authority) []Authority {
	return slices.DeleteFunc(slices.Clone(all), func(a Authority) bool { return slices.Contains(those, a) })
}
