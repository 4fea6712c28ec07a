package pyenv

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/ledger"
)

// sampleLock is a lock in the form that uv 0.13 writes.
const sampleLock = `lock-version = "1.0"
created-by = "uv"
requires-python = ">=3.12"

[[packages]]
name = "beta"
version = "2.0"
wheels = [
    { url = "https://127.0.0.1:1/f/beta-2.0-cp312-cp312-manylinux_2_17_x86_64.whl#sha256=0", upload-time = 2024-10-09T07:38:54Z, size = 11, hashes = { sha256 = "1111111111111111111111111111111111111111111111111111111111111111" } },
    { url = "https://127.0.0.1:1/f/beta-2.0-py3-none-any.whl", upload-time = 2024-10-09T07:40:19Z, size = 12, hashes = { sha256 = "2222222222222222222222222222222222222222222222222222222222222222" } },
]

[[packages]]
name = "alpha"
version = "1.0"
wheels = [{ name = "alpha-1.0-py3-none-any.whl", url = "https://127.0.0.1:1/f/renamed", size = 13, hashes = { sha256 = "3333333333333333333333333333333333333333333333333333333333333333" } }]
`

// fakeUV plays the resolver: it answers by platform.
type fakeUV struct {
	answers map[string]sandbox.Outcome // by platform, "" for all
	calls   [][]string
	env     []string
	input   string
}

func (f *fakeUV) run(_ context.Context, argv, env []string, dir string, stdin []byte) (sandbox.Outcome, error) {
	if slices.Contains(argv, "--version") {
		return sandbox.Outcome{Stdout: []byte("uv 0.13.9 (x86_64-unknown-linux-gnu)\n")}, nil
	}
	f.calls, f.env, f.input = append(f.calls, argv), env, string(stdin)
	platform := ""
	if i := slices.Index(argv, "--python-platform"); i >= 0 {
		platform = argv[i+1]
	}
	if out, ok := f.answers[platform]; ok {
		return out, nil
	}
	return sandbox.Outcome{Stdout: []byte(sampleLock)}, nil
}

// resolving is a host with a uv on its PATH that is never really run.
func resolving(t *testing.T, env map[string]string) *Pythons {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "uv"), []byte("#!/bin/false\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"PATH": "relative" + string(filepath.ListSeparator) + dir, "UV_NO_BUILD_ISOLATION": "1", "PYTHONPATH": "/evil"}
	maps.Copy(all, env)
	h := testHost(t, all)
	h.GOOS = "linux"
	return New(h, noBox{t})
}

func TestResolve(t *testing.T) {
	uv := &fakeUV{}
	p := resolving(t, map[string]string{"PIP_INDEX_URL": "https://127.0.0.1:1/simple"})
	c, lock, err := p.Resolve(t.Context(), uv.run, Request{
		Packages: []string{"alpha==1.0", "beta==2.0"}, Python: "3.12", ExcludeNewer: "2026-01-01T00:00:00Z",
		Targets: []string{"linux-x86_64-glibc2.28", "macos-arm64-11.0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if string(lock) != sampleLock || c.Resolver != "uv 0.13.9" || c.Python != "3.12" {
		t.Errorf("got resolver %q, python %q, lock %s", c.Resolver, c.Python, lock)
	}
	describe := func(wheels []ledger.Wheel) (out []string) {
		for _, w := range wheels {
			out = append(out, fmt.Sprintf("%s %s %s %d %s %.4s", w.Name, w.Version, w.File, w.Size, w.URL, w.SHA256.Hex()))
		}
		return out
	}
	want := map[string][]string{
		"linux-x86_64-glibc2.28": {
			"alpha 1.0 alpha-1.0-py3-none-any.whl 13 https://127.0.0.1:1/f/renamed 3333",
			"beta 2.0 beta-2.0-cp312-cp312-manylinux_2_17_x86_64.whl 11 https://127.0.0.1:1/f/beta-2.0-cp312-cp312-manylinux_2_17_x86_64.whl 1111",
		},
		"macos-arm64-11.0": {
			"alpha 1.0 alpha-1.0-py3-none-any.whl 13 https://127.0.0.1:1/f/renamed 3333",
			"beta 2.0 beta-2.0-py3-none-any.whl 12 https://127.0.0.1:1/f/beta-2.0-py3-none-any.whl 2222",
		},
	}
	for name, lines := range want {
		if got := describe(c.Targets[name]); !slices.Equal(got, lines) {
			t.Errorf("%s: got %v, want %v", name, got, lines)
		}
	}
	if _, err := ledger.ParseClosure(ledger.Encode(c)); err != nil {
		t.Errorf("closure does not read back: %v", err)
	}
	for _, call := range uv.calls {
		line := strings.Join(call, " ")
		for _, must := range []string{"--only-binary :all:", "--generate-hashes", "--no-python-downloads", "--python-version 3.12", "--exclude-newer 2026-01-01T00:00:00Z"} {
			if !strings.Contains(line, must) {
				t.Errorf("got call %s, want %s in it", line, must)
			}
		}
	}
	env := strings.Join(uv.env, " ")
	if !strings.Contains(env, "UV_DEFAULT_INDEX=https://127.0.0.1:1/simple") || !strings.Contains(env, "MACOSX_DEPLOYMENT_TARGET=11.0") ||
		strings.Contains(env, "evil") || strings.Contains(env, "ISOLATION") {
		t.Errorf("got environment %s, want the index and nothing that steers", env)
	}
	if uv.input != "alpha==1.0\nbeta==2.0\n" {
		t.Errorf("got requirements %q", uv.input)
	}
}

// A platform without a wheel is left out; no platform at all is a no; a
// resolver that fails is no statement about the packages.
func TestResolveFailures(t *testing.T) {
	no := sandbox.Outcome{Exit: 1, Stderr: []byte("  x No solution found when resolving:\n because \x1b[31mreasons\n")}
	broken := sandbox.Outcome{Exit: 2, Stderr: []byte("error: Failed to fetch https://user:secret@x/\n")}
	const linux, mac = "x86_64-manylinux_2_28", "aarch64-apple-darwin"
	foreign := strings.ReplaceAll(sampleLock, "beta-2.0-py3-none-any", "beta-2.0-cp312-cp312-win_amd64")
	for name, tt := range map[string]struct {
		answers map[string]sandbox.Outcome
		kind    fault.Kind
		reason  string
		targets int
	}{
		"one platform without":   {map[string]sandbox.Outcome{mac: no}, 0, "", 1},
		"wheel only for another": {map[string]sandbox.Outcome{mac: {Stdout: []byte(foreign)}}, 0, "", 1},
		"all":                    {map[string]sandbox.Outcome{mac: no, linux: no}, fault.Findings, "unresolvable", 0},
		"no solution":            {map[string]sandbox.Outcome{"": no}, fault.Findings, "unresolvable", 0},
		"network":                {map[string]sandbox.Outcome{"": broken}, fault.Unavailable, "resolver", 0},
		"network later":          {map[string]sandbox.Outcome{mac: broken}, fault.Unavailable, "resolver", 0},
		"not TOML":               {map[string]sandbox.Outcome{mac: {Stdout: []byte("lock")}}, fault.Internal, "", 0},
		"plain http":             {map[string]sandbox.Outcome{linux: {Stdout: []byte(strings.ReplaceAll(sampleLock, "https:", "http:"))}}, fault.Findings, "unresolvable", 0},
		"no hash":                {map[string]sandbox.Outcome{linux: {Stdout: []byte(strings.ReplaceAll(sampleLock, "sha256 =", "md5 ="))}}, fault.Internal, "", 0},
		"too large":              {map[string]sandbox.Outcome{linux: {Stdout: []byte(strings.ReplaceAll(sampleLock, "size = 1", fmt.Sprintf("size = %d", limits.WheelBytes)))}}, fault.Findings, "unresolvable", 0},
	} {
		t.Run(name, func(t *testing.T) {
			uv := &fakeUV{answers: tt.answers}
			c, _, err := resolving(t, nil).Resolve(t.Context(), uv.run, Request{
				Packages: []string{"alpha==1.0"}, Python: "3.12", Targets: []string{"linux-x86_64-glibc2.28", "macos-arm64-11.0"},
			})
			if tt.targets > 0 {
				if err != nil || len(c.Targets) != tt.targets {
					t.Errorf("got %v, %v, want %d platforms", c, err, tt.targets)
				}
				return
			}
			if err == nil || fault.KindOf(err) != tt.kind || fault.ReasonOf(err) != tt.reason || strings.ContainsRune(err.Error(), '\x1b') {
				t.Errorf("got %v (%v %s), want %v %s", err, fault.KindOf(err), fault.ReasonOf(err), tt.kind, tt.reason)
			}
		})
	}
}

// No line of a manifest can become an option, an address or a file of the
// resolver.
func TestResolveRequirements(t *testing.T) {
	for line, ok := range map[string]bool{
		"alpha==1.0": true, "Zope.interface==5.1.0": true, "a==1": true, "numpy==2.1.0.post1": true,
		"-r==1": false, "--target==1": false, "alpha-==1": false, "alpha": false, "alpha>=1": false, "alpha==1\n-r x": false,
		"alpha==1 --hash=x": false, "alpha @ https://x": false, "./alpha==1": false, "alpha==*": false, "": false, "alpha==1;x": false,
	} {
		uv := &fakeUV{}
		_, _, err := resolving(t, nil).Resolve(t.Context(), uv.run, Request{Packages: []string{line}, Python: "3.12", Targets: []string{"linux-x86_64-glibc2.28"}})
		if ok != (err == nil) || !ok && (fault.KindOf(err) != fault.Usage || len(uv.calls) != 0) {
			t.Errorf("%q: got %v after %d calls, want accepted %v", line, err, len(uv.calls), ok)
		}
	}
}

func TestResolveWithoutUV(t *testing.T) {
	h := testHost(t, map[string]string{"PATH": t.TempDir()})
	h.Home = t.TempDir()
	_, _, err := New(h, noBox{t}).Resolve(t.Context(), (&fakeUV{}).run, Request{Packages: []string{"a==1"}, Python: "3.12", Targets: Targets()})
	if fault.ReasonOf(err) != "no_resolver" || !strings.Contains(strings.Join(fault.HintsOf(err), ""), "install uv") {
		t.Errorf("got %v, want no_resolver with a hint", err)
	}
}

// Sizes that the index did not tell are asked for; a server that doesn't say
// is an error and not a zero.
func TestResolveMeasures(t *testing.T) {
	silent := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead || r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("got %s with %q", r.Method, r.Header.Get("Accept-Encoding"))
		}
		if !silent {
			w.Header().Set("Content-Length", "4321")
		}
	}))
	t.Cleanup(server.Close)
	lock := strings.NewReplacer("size = 13, ", "", "https://127.0.0.1:1", server.URL).Replace(sampleLock)
	uv := &fakeUV{answers: map[string]sandbox.Outcome{"": {Stdout: []byte(lock)}, "x86_64-manylinux_2_28": {Stdout: []byte(lock)}}}
	p := resolving(t, map[string]string{WheelHosts: strings.TrimPrefix(server.URL, "https://")})
	p.host.HTTP = server.Client
	request := Request{Packages: []string{"alpha==1.0"}, Python: "3.12", Targets: []string{"linux-x86_64-glibc2.28"}}
	c, _, err := p.Resolve(t.Context(), uv.run, request)
	if err != nil {
		t.Fatal(err)
	}
	if w := c.Targets["linux-x86_64-glibc2.28"]; w[0].Size != 4321 || w[1].Size != 11 {
		t.Errorf("got sizes %d and %d, want 4321 (asked) and 11 (told)", w[0].Size, w[1].Size)
	}
	silent = true
	if _, _, err := p.Resolve(t.Context(), uv.run, request); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v, want the missing size reported", err)
	}
}
