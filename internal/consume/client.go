package consume

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/keyring"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Client acts for one user.
type Client struct {
	Host    *host.Host
	Box     *toolbox.Toolbox
	Journal *audit.Journal

	// Progress hears of long work; nil is silence.
	Progress func(what string, done, total int64)
	// Warn hears of what a person should know but what stops nothing.
	Warn func(text string)
	// MaxAge refuses a registry whose head is older; 0 only warns of an old one.
	MaxAge time.Duration
	// Expose says which tools an MCP server over this client tells by name; "" is
	// what the user's configuration says.
	Expose config.Expose
	// Secrets keeps the secrets of tools; nil is what this machine has for that.
	Secrets keyring.Store

	mu      sync.Mutex
	sources map[string]registry.Source
	config  configured
}

// New returns a client over the user's state.
func New(h *host.Host) (*Client, error) {
	box, err := toolbox.Open(h.Paths, h.Now)
	if err != nil {
		return nil, err
	}
	box.Sigstore = sigstore(h.Paths, h.Now)
	return &Client{Host: h, Box: box, Journal: audit.Open(h.Paths, h.Now, leaks), sources: map[string]registry.Source{}}, nil
}

func (c *Client) warn(text string) {
	if c.Warn != nil {
		c.Warn(text)
	}
}

func (c *Client) progress(what string, done, total int64) {
	if c.Progress != nil {
		c.Progress(what, done, total)
	}
}

// source opens the published tree at a location; one location is opened once.
func (c *Client) source(ctx context.Context, location string) (registry.Source, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.sources[location]; ok {
		return s, nil
	}
	s, err := registry.Open(ctx, location, registry.Options{
		HTTP: c.Host.HTTP(), CacheDir: filepath.Join(c.Host.Paths.Cache(), "registries"), Now: c.Host.Now,
	})
	if err != nil {
		return nil, err
	}
	c.sources[location] = s
	return s, nil
}

// answer asks the locations of a registry one after the other until one gives
// an answer that verifies. A refusal makes the same location answer once more
// past its caches (edges of a static host hold files of different ages), then
// the mirrors; of all failures the gravest is reported: a refusal before an
// absence before an outage.
func (c *Client) answer(ctx context.Context, pin toolbox.Pin, ask func(registry.Source) error) error {
	var worst error
	for _, location := range append([]string{pin.Location}, pin.Mirrors...) {
		src, err := c.source(ctx, location)
		if err == nil {
			err = ask(src)
			if fresh := src.Refresh(); err != nil && fault.KindOf(err) == fault.NotVerified && fresh != src {
				err = ask(fresh)
			}
		}
		if err == nil {
			return nil
		}
		if verify.Absent(err) {
			return err
		}
		if ctx.Err() != nil {
			return err
		}
		if worst == nil || fault.KindOf(worst) != fault.NotVerified && fault.KindOf(err) == fault.NotVerified {
			worst = err
		}
	}
	return worst
}

// follow verifies the head of a chain against what was seen before and
// remembers it. What was seen is read anew each time: this command, or another
// process, may have seen more since the pin was read.
func (c *Client) follow(ctx context.Context, pin toolbox.Pin, src registry.Source, chain spec.Chain) (verify.Head, error) {
	for {
		last, err := c.Box.Pin(pin.Name)
		if err != nil {
			return verify.Head{}, err
		}
		head, err := followed(ctx, last, src, chain)
		if e, ok := errors.AsType[*fault.Error](err); ok && strings.HasPrefix(e.Reason, "identity:") {
			return verify.Head{}, e.Hint("patch-git registry add %s compares its signer with the one that is pinned", spec.Quote(last.Location))
		}
		if err != nil {
			return verify.Head{}, err
		}
		if c.tooOld(head) {
			return verify.Head{}, fault.New(fault.NotVerified, string(verify.ReasonStale), "the head of %s is from %s, older than %v",
				pin.Name, head.Document().Time, c.MaxAge).Hint("the registry or a mirror is stale, or somebody holds back what is newer")
		}
		err = c.Box.Advance(ctx, last, chain)
		if fault.ReasonOf(err) == toolbox.ReasonMoved {
			continue // each time somebody else got on
		}
		if c.Host.Now().Sub(head.Time()) > limits.HeadStaleAfter {
			c.warn("the head of " + string(pin.Name) + " is from " + head.Document().Time + "; the registry or a mirror may be stale")
		}
		return head, err
	}
}

// tooOld tells whether the person accepts no head of that age.
func (c *Client) tooOld(h verify.Head) bool {
	return c.MaxAge > 0 && c.Host.Now().Sub(h.Time()) > c.MaxAge
}

// followed verifies the head of a chain against the last one of the pin.
func followed(ctx context.Context, last toolbox.Pin, src registry.Source, chain spec.Chain) (verify.Head, error) {
	head, err := last.Policy().Head(chain)
	if err != nil {
		return verify.Head{}, err
	}
	seen, err := lastSeen(last)
	if err != nil {
		return verify.Head{}, err
	}
	return head, head.Follows(seen, tiles(ctx, src))
}

// lastSeen is what the user saw last of a registry; nil where nothing was. That
// head was verified before it was kept. An authority that was withdrawn since,
// by a newer trusted root, takes away what it vouched for, and not the memory
// that refuses what is older: the next head would otherwise not be believed
// because of the one before.
func lastSeen(pin toolbox.Pin) (*verify.Seen, error) {
	head, ok, err := pin.LastHead()
	if fault.ReasonOf(err) == string(verify.ReasonRoot) {
		doc, err := ledger.ParseHead(pin.Head)
		if err != nil {
			return nil, fault.New(fault.NotVerified, string(verify.ReasonHead), "%s: %w", pin.Name, err)
		}
		return &verify.Seen{Seq: doc.Seq, Digest: spec.DigestOf(pin.Head), Log: doc.Log, Time: doc.Time}, nil
	}
	if err != nil || !ok {
		return nil, err
	}
	s := head.Seen()
	return &s, nil
}

// tiles reads the log's tiles; one that is missing is an outage, not a verdict.
func tiles(ctx context.Context, src registry.Source) ledger.TileReader {
	read := registry.ReadTile(ctx, src)
	return func(path string) ([]byte, error) {
		data, err := read(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.Unavailable, "no_tile", "%s has no %s", src.Location(), path)
		}
		return data, err
	}
}

// pins returns the registry that was named, or all that are trusted.
func (c *Client) pins(name spec.RegistryName) ([]toolbox.Pin, error) {
	if name != "" {
		p, err := c.Box.Pin(name)
		if err != nil {
			return nil, err
		}
		return []toolbox.Pin{p}, nil
	}
	pins, err := c.Box.Pins()
	if err != nil {
		return nil, err
	}
	if len(pins) == 0 {
		return nil, fault.New(fault.NotFound, "no_registry", "no registry is added").
			Hint("patch-git registry add <path or URL>").Hint("patch-git demo")
	}
	return pins, nil
}
