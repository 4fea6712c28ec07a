package pyenv

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// resolver is uv, found on this machine.
type resolver struct {
	argv    []string // the program, or a Python with it as a module
	env     []string
	version string // "uv 0.13.9"
	dir     string // empty, so that no project's configuration is found
	run     Trusted
	request Request
}

// uvVariables are what uv may see of the environment: where its index, cache
// and certificates are, and nothing that would change what it resolves to.
var uvVariables = []string{
	"PATH", "HOME", "TMPDIR", "SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "USERPROFILE",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "UV_CACHE_DIR", "UV_CONFIG_FILE",
	"UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL", "UV_KEYRING_PROVIDER",
	"UV_HTTP_RETRIES", "UV_HTTP_TIMEOUT", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "NETRC",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
}

var uvVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^uv (\d+\.\d+\.\d+\S*)`) })

// resolver finds uv: on PATH, where its installers put it, or as a module of
// the Python on PATH.
func (p *Pythons) resolver(ctx context.Context, run Trusted) (*resolver, error) {
	r := &resolver{run: run}
	for _, name := range uvVariables {
		if v := p.host.Getenv(name); v != "" {
			r.env = append(r.env, name+"="+v)
		}
	}
	if index := p.host.Getenv("PIP_INDEX_URL"); index != "" && p.host.Getenv("UV_DEFAULT_INDEX") == "" && p.host.Getenv("UV_INDEX_URL") == "" {
		r.env = append(r.env, "UV_DEFAULT_INDEX="+index)
	}
	path := slices.DeleteFunc(filepath.SplitList(p.host.Getenv("PATH")), func(dir string) bool { return !filepath.IsAbs(dir) })
	own := []string{}
	if p.host.Home != "" {
		own = []string{filepath.Join(p.host.Home, ".local", "bin"), filepath.Join(p.host.Home, ".cargo", "bin")}
	}
	var tries [][]string
	for _, dir := range slices.Concat(path, own) {
		tries = append(tries, []string{filepath.Join(dir, "uv"+suffix(p.host.GOOS))})
	}
	for _, dir := range path {
		for _, name := range []string{"python3", "python"} {
			tries = append(tries, []string{filepath.Join(dir, name+suffix(p.host.GOOS)), "-m", "uv"})
		}
	}
	for _, argv := range tries {
		if !regular(argv[0]) {
			continue
		}
		out, err := run(ctx, append(slices.Clone(argv), "--version"), r.env, "", nil)
		if ctx.Err() != nil {
			return nil, err
		}
		if m := uvVersion().FindStringSubmatch(string(out.Stdout)); err == nil && out.Exit == 0 && m != nil {
			r.argv, r.version = argv, "uv "+m[1]
			return r, nil
		}
	}
	return nil, fault.New(fault.Unavailable, "no_resolver", "packages are resolved with uv, which is not here").
		Hint("install it with: pipx install uv, or: python3 -m pip install uv")
}

func suffix(goos string) string {
	if goos == "windows" {
		return ".exe"
	}
	return ""
}

// target resolves for one platform: in the versions that all platforms agree
// on, or, where one of those has no wheel here, in whichever fit.
func (r *resolver) target(ctx context.Context, name string, constraints []string) ([]ledger.Wheel, error) {
	t, err := parseTarget(name)
	if err != nil {
		return nil, err
	}
	env := []string{}
	if t.os == "macos" {
		env = append(env, fmt.Sprintf("MACOSX_DEPLOYMENT_TARGET=%d.%d", t.major, t.minor))
	}
	lock, err := r.compile(ctx, constraints, env, "--python-platform", t.triple())
	if fault.KindOf(err) == fault.Findings {
		lock, err = r.compile(ctx, nil, env, "--python-platform", t.triple())
	}
	if err != nil {
		return nil, err
	}
	packages, err := parseLock(lock)
	if err != nil {
		return nil, err
	}
	wheels, err := pick(packages, r.request.Python, t)
	if err != nil {
		return nil, fault.New(fault.Findings, "unresolvable", "%w", err)
	}
	return wheels, nil
}

// triple is the platform in uv's words.
func (t target) triple() string {
	arch := map[string]string{"arm64": "aarch64"}[t.arch]
	arch = or(arch, t.arch)
	switch {
	case t.os == "macos":
		return arch + "-apple-darwin"
	case t.os == "windows":
		return arch + "-pc-windows-msvc"
	case t.libc == "musl":
		return arch + "-unknown-linux-musl"
	}
	return fmt.Sprintf("%s-manylinux_%d_%d", arch, t.major, t.minor)
}

// compile asks uv for one lock file. "No solution" is fault.Findings.
func (r *resolver) compile(ctx context.Context, constraints, env []string, platform ...string) (string, error) {
	argv := append(slices.Clone(r.argv), "pip", "compile", "-", "--format", "pylock.toml", "--no-header", "--quiet", "--color", "never",
		// A name that the first index has is never looked for in another, where
		// anybody could have put a higher version of it.
		"--index-strategy", "first-index", "--only-binary", ":all:", "--generate-hashes", "--no-python-downloads", "--python-version", r.request.Python)
	argv = append(argv, platform...)
	if r.request.ExcludeNewer != "" {
		argv = append(argv, "--exclude-newer", r.request.ExcludeNewer)
	}
	if len(constraints) > 0 {
		file := filepath.Join(r.dir, "constraints.txt")
		if err := os.WriteFile(file, joinLines(constraints), 0o600); err != nil {
			return "", fmt.Errorf("resolve packages: %w", err)
		}
		argv = append(argv, "--constraints", file)
	}
	out, err := r.run(ctx, argv, slices.Concat(r.env, env), r.dir, joinLines(r.request.Packages))
	if err != nil {
		return "", err
	}
	said := strings.Join(strings.Fields(string(out.Stderr)), " ")
	switch {
	case out.Exit == 0 && !out.StdoutCut:
		return string(out.Stdout), nil
	case strings.Contains(said, "No solution found"):
		return "", fault.New(fault.Findings, "unresolvable", "packages have no solution: %s", quoteLong(said))
	}
	return "", fault.New(fault.Unavailable, "resolver", "%s failed (exit %d): %s", r.version, out.Exit, quoteLong(said)).
		Hint("check the connection to the package index and try again")
}

// quoteLong makes a resolver's explanation safe to print, in pieces because
// it is longer than what [spec.Quote] keeps.
func quoteLong(s string) string {
	const most = 600
	s = s[:min(len(s), most)]
	var b strings.Builder
	for len(s) > 0 {
		n := min(len(s), 60)
		q := spec.Quote(s[:n])
		b.WriteString(strings.TrimSuffix(strings.TrimPrefix(q, `"`), `"`))
		s = s[n:]
	}
	return b.String()
}
