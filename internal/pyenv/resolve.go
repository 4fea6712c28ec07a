package pyenv

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Request is what a version declares, and where it should run.
type Request struct {
	Packages     []string // "pdfplumber==0.11.4" [PM-42]
	Python       string   // "3.12"
	Targets      []string // as [Targets] names them
	ExcludeNewer string   // RFC 3339: what was uploaded later does not exist; "" is no bound
	Progress     func(step string)
	// Without hears of each target that is left out, and why; nil is fine.
	Without func(target string, why error)
}

// Trusted runs a host program that the person trusts; trusted.Run is the
// one outside of tests.
type Trusted func(ctx context.Context, argv, env []string, dir string, stdin []byte) (sandbox.Outcome, error)

// requirementGrammar is stricter than the resolver's own, so that no line can
// be an option, an address or a file.
var requirementGrammar = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?==[0-9][A-Za-z0-9.!+]{0,49}$`)
})

// Resolve finds, once, when a version is accepted, every wheel that it needs:
// with uv, wheels only, for each target alone, in versions that agree between
// targets as far as they can. It returns the closure to sign, and a standard
// pylock.toml over all targets for people and other tools. The addresses of
// wheels come from uv, which has them from the index it is configured with.
//
// A target that lacks a wheel is left out of the closure: the tool is not to
// be had there. Findings "unresolvable" means that no target has a solution;
// Unavailable "no_resolver" and "resolver" that it could not be found out.
func (p *Pythons) Resolve(ctx context.Context, run Trusted, r Request) (*ledger.Closure, []byte, error) {
	if err := r.check(); err != nil {
		return nil, nil, err
	}
	uv, err := p.resolver(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	uv.request = r
	if uv.dir, err = os.MkdirTemp("", "patch-git-resolve-"); err != nil {
		return nil, nil, fmt.Errorf("resolve packages: %w", err)
	}
	defer func() { _ = os.RemoveAll(uv.dir) }()

	r.tell("all platforms")
	lock, err := uv.compile(ctx, nil, nil, "--universal")
	if err != nil {
		return nil, nil, r.explain(err)
	}
	all, err := parseLock(lock)
	if err != nil {
		return nil, nil, err
	}
	c := &ledger.Closure{Schema: ledger.ClosureSchema, Python: r.Python, Resolver: uv.version, ExcludeNewer: r.ExcludeNewer, Targets: map[string][]ledger.Wheel{}}
	var reasons []error
	for _, name := range r.Targets {
		r.tell(name)
		wheels, err := uv.target(ctx, name, agreed(all))
		switch {
		case fault.KindOf(err) == fault.Findings:
			reasons = append(reasons, fmt.Errorf("%s: %w", name, err))
			if r.Without != nil {
				r.Without(name, err)
			}
		case err != nil:
			return nil, nil, err
		default:
			c.Targets[name] = wheels
		}
	}
	if len(c.Targets) == 0 {
		return nil, nil, r.explain(fault.New(fault.Findings, "unresolvable", "packages have wheels for no platform: %w", errors.Join(reasons...)))
	}
	if err := p.measure(ctx, c); err != nil {
		return nil, nil, err
	}
	// What is signed must be what a client will accept.
	if _, err := ledger.ParseClosure(ledger.Encode(c)); err != nil {
		return nil, nil, fault.New(fault.Findings, "unresolvable", "resolved packages cannot be listed: %w", err)
	}
	return c, []byte(lock), nil
}

func (r Request) check() error {
	for _, line := range r.Packages {
		if !requirementGrammar().MatchString(line) {
			return fault.New(fault.Usage, "package", "package %s is not like name==1.2.3", spec.Quote(line))
		}
	}
	if !wantGrammar().MatchString(r.Python) {
		return fault.New(fault.Usage, "python_version", "python version %s is not like 3.12", spec.Quote(r.Python))
	}
	for _, name := range r.Targets {
		if _, err := parseTarget(name); err != nil {
			return fault.New(fault.Usage, "target", "%w", err)
		}
	}
	if len(r.Packages) == 0 || len(r.Targets) == 0 {
		return fault.New(fault.Usage, "package", "there is nothing to resolve")
	}
	return nil
}

// explain adds to a "no" that the bound on upload times may be the reason: to
// uv a file without such a time was uploaded too late.
func (r Request) explain(err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind == fault.Findings && r.ExcludeNewer != "" {
		return e.Hint("only what was uploaded before %s counts; of an index that does not tell when, nothing does", r.ExcludeNewer)
	}
	return err
}

func (r Request) tell(step string) {
	if r.Progress != nil {
		r.Progress(step)
	}
}

// agreed are the packages that have one version on all platforms, as
// constraints.
func agreed(packages []lockedPackage) []string {
	versions := map[string][]string{}
	for _, p := range packages {
		versions[p.name] = append(versions[p.name], p.version)
	}
	var out []string
	for name, v := range versions {
		if line := name + "==" + v[0]; len(v) == 1 && requirementGrammar().MatchString(line) {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}

// measure fills in the sizes that the index did not tell.
func (p *Pythons) measure(ctx context.Context, c *ledger.Closure) error {
	client := newClient(p.host.HTTP(), knownHosts(p.host.Getenv))
	sizes := map[string]int64{}
	for _, wheels := range c.Targets {
		for _, w := range wheels {
			if w.Size == 0 {
				sizes[w.URL] = 0
			}
		}
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	var failed error
	places := make(chan struct{}, parallel)
	for _, address := range slices.Collect(maps.Keys(sizes)) { // a copy: the map is written meanwhile
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			n, err := contentLength(ctx, client, address)
			mu.Lock()
			defer mu.Unlock()
			if sizes[address] = n; err != nil {
				failed = fault.New(fault.Unavailable, "resolver", "ask for the size of %s: %w", spec.Quote(filepath.Base(address)), err)
			}
		})
	}
	group.Wait()
	if failed != nil {
		return failed
	}
	for _, wheels := range c.Targets {
		for i := range wheels {
			if wheels[i].Size == 0 {
				wheels[i].Size = sizes[wheels[i].URL]
			}
		}
	}
	return nil
}

// contentLength asks a server how long a file is.
func contentLength(ctx context.Context, client *http.Client, address string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.HTTPTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return 0, err
	}
	// Without this the transport asks for compression, and the length of
	// something else comes back.
	request.Header.Set("Accept-Encoding", "identity")
	response, err := client.Do(request)
	if err != nil {
		return 0, bareURLError(err)
	}
	response.Body.Close()
	switch {
	case response.StatusCode != http.StatusOK:
		return 0, statusError(response.StatusCode)
	case response.ContentLength <= 0:
		return 0, errors.New("server does not say")
	}
	return response.ContentLength, nil
}

// joinLines is a requirements file.
func joinLines(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }
