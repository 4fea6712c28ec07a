package registry

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Options are what a source may need beside its location.
type Options struct {
	// HTTP makes connections for http(s) and git over them; its cookie jar,
	// redirect policy and timeout are not used.
	HTTP *http.Client
	// CacheDir is a folder for what was read, with one folder inside it for
	// each location. Empty: http keeps nothing, and git over a network cannot
	// be read. Everything in it can be deleted at any time.
	CacheDir string
	// Passing keeps nothing of what http answers, also with a CacheDir: for
	// whoever reads all of a tree once.
	Passing bool
	// Now is the clock, for the age of a git copy.
	Now func() time.Time
	// MaxAge is how old a copy of a git repository may be before the remote is
	// asked again; 0 asks once for every opened source.
	MaxAge time.Duration
	// Mirrors are further locations of the same tree, of any form, asked in
	// order where the first one cannot tell.
	Mirrors []string
	// Sleep waits between attempts; nil is the real time.
	Sleep func(context.Context, time.Duration) error
}

// Open chooses a source by the form of a location:
//
//	/srv/registry                            a folder that has v1/ or published/v1/, is a v1 folder, or is a git clone
//	https://host/path                        static files below path/v1/; http for loopback addresses
//	git+https://host/repo, …/repo.git        a repository with the branch "published", as is
//	                                         https://github.com/owner/repo, where no files are served
//	git+ssh://host/repo, git@host:repo.git   the same over ssh, with keys from ssh-agent
//	git+file:///srv/repo, /srv/repo.git      the same on this machine, read in place
//
// Nothing is asked over a network yet. Faults: Usage for a location of no such
// form, Unavailable with reason "no_registry" for a folder without a tree.
func Open(ctx context.Context, location string, o Options) (Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	first, err := open(location, o)
	if err != nil {
		return nil, err
	}
	sources := []Source{first}
	for _, m := range o.Mirrors {
		s, err := open(m, o)
		// A mirror that is not there must not keep the registry from being read.
		if err != nil && fault.KindOf(err) != fault.Unavailable {
			return nil, err
		}
		if err == nil {
			sources = append(sources, s)
		}
	}
	if _, remote := first.(*httpSource); !remote && len(sources) == 1 {
		return first, nil
	}
	return newMirrored(sources, o.Sleep), nil
}

// scpLike is git's short form of an ssh address: user@host:path.
var scpLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[A-Za-z0-9._~/-]+$`) })

func open(location string, o Options) (Source, error) {
	scheme, rest, isURL := strings.Cut(location, "://")
	gitScheme, isGit := strings.CutPrefix(scheme, "git+")
	isGit = isURL && isGit
	switch {
	case location == "" || strings.ContainsFunc(location, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return nil, fault.New(fault.Usage, "location", "the location of a registry is empty or has control characters")
	case isGit && gitScheme == "file", isURL && scheme == "file":
		dir, err := filePath(rest)
		if err != nil {
			return nil, err
		}
		if isGit || strings.HasSuffix(dir, ".git") {
			return localGit(dir), nil
		}
		return openFolder(dir)
	case isGit && (gitScheme == "https" || gitScheme == "http"):
		return remoteGit(gitScheme+"://"+rest, o)
	case isGit && gitScheme == "ssh", isURL && scheme == "ssh", !isURL && scpLike().MatchString(location):
		return remoteGit(strings.TrimPrefix(location, "git+"), o)
	case scheme == "https" && isURL, scheme == "http" && isURL:
		if strings.HasSuffix(location, ".git") || isRepository(rest) {
			return remoteGit(location, o)
		}
		return openHTTP(location, o)
	case isURL:
		return nil, fault.New(fault.Usage, "location", "locations do not begin with %s", spec.Quote(scheme+"://")).
			Hint("use a folder, https://…, git+https://…, git+ssh://… or git+file://…")
	case strings.HasSuffix(location, ".git"):
		return localGit(location), nil
	}
	return openFolder(location)
}

// isRepository tells the page of a repository on GitHub from an address that has
// files below it.
func isRepository(address string) bool {
	path, ok := strings.CutPrefix(address, "github.com/")
	return ok && strings.Count(strings.Trim(path, "/"), "/") == 1
}

// filePath is the path of a file URL, which has no host and nothing escaped
// that a path would not say itself.
func filePath(rest string) (string, error) {
	path, err := url.PathUnescape(rest)
	if err != nil || !strings.HasPrefix(path, "/") || strings.ContainsRune(path, 0) {
		return "", fault.New(fault.Usage, "location", "a file address must have an absolute path and no host")
	}
	if len(path) > 2 && path[2] == ':' { // file:///C:/registry
		path = path[1:]
	}
	return filepath.FromSlash(path), nil
}

// openFolder finds the v1 folder in what a person named.
func openFolder(dir string) (Source, error) {
	for _, sub := range []string{ledger.Root, filepath.Join("published", ledger.Root), "."} {
		v1 := filepath.Join(dir, sub)
		info, err := os.Lstat(filepath.Join(v1, ledger.HeadEvidencePath))
		if err == nil && info.Mode().IsRegular() {
			return Derived(OpenDir(v1)), nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && sub == "." {
			if p, ok := errors.AsType[*fs.PathError](err); ok {
				err = p.Err
			}
			return nil, fault.New(fault.Unavailable, "directory", "open registry %s: %w", spec.Quote(dir), err)
		}
	}
	// A clone of a registry has the tree on a branch, not in its folder.
	if _, err := (gitLocal{dir}).gitDir(); err == nil {
		return localGit(dir), nil
	}
	return nil, fault.New(fault.Unavailable, "no_registry", "there is no registry in %s", spec.Quote(dir)).
		Hint("a registry is a folder with %s/%s in it", ledger.Root, ledger.HeadEvidencePath)
}

func openHTTP(location string, o Options) (Source, error) {
	base, err := parseBase(location)
	if err != nil {
		return nil, err
	}
	if o.HTTP == nil {
		return nil, fault.New(fault.Internal, "options", "open %s: no HTTP client", shown(base))
	}
	var c *cache
	if o.CacheDir != "" && !o.Passing {
		c = &cache{o.cacheDir("http", shown(base))}
	}
	return newHTTP(base, o.HTTP, c), nil
}

func localGit(dir string) Source {
	return Derived(newGit(gitLocal{dir}, dir, gitRecent))
}

func remoteGit(address string, o Options) (Source, error) {
	d := gitDialer{address: address}
	if u, err := url.Parse(address); err == nil && u.Scheme != "" && u.Host != "" {
		if u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
			return nil, fault.New(fault.Usage, "location", "the address of a git repository is not a plain URL")
		}
		if u.Scheme != "ssh" {
			if err := checkScheme(u); err != nil {
				return nil, err
			}
		}
		d.location = shown(u)
	} else if scpLike().MatchString(address) {
		_, d.location, _ = strings.Cut(address, "@")
	} else {
		return nil, fault.New(fault.Usage, "location", "the address of a git repository is not readable")
	}
	if o.CacheDir == "" || o.Now == nil {
		return nil, fault.New(fault.Internal, "options", "open %s: git needs a folder for its copy and a clock", d.location)
	}
	if strings.HasPrefix(address, "http") {
		if o.HTTP == nil {
			return nil, fault.New(fault.Internal, "options", "open %s: no HTTP client", d.location)
		}
		d.transport = httpTransport(o.HTTP)
	} else {
		d.transport = sshTransport()
	}
	repo := &gitRemote{dir: o.cacheDir("git", d.location), remote: d, now: o.Now, maxAge: o.MaxAge}
	return Derived(newGit(repo, d.location, gitRecent)), nil
}

// cacheDir is the folder of one location; its name is a hash, because a
// location is foreign text.
func (o *Options) cacheDir(kind, location string) string {
	return filepath.Join(o.CacheDir, kind, spec.DigestOf([]byte(location)).Hex()[:32])
}
