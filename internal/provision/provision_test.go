package provision

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// runs starts a program, as the package trusted does.
func runs(ctx context.Context, argv, env []string, dir string, stdin []byte) (sandbox.Outcome, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdin = env, dir, strings.NewReader(string(stdin))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return sandbox.Outcome{}, err
	}
	return sandbox.Outcome{Exit: cmd.ProcessState.ExitCode(), Stdout: out, Stderr: []byte(stderr.String())}, nil
}

func newProvisioner(t *testing.T, client *http.Client) *Provisioner {
	t.Helper()
	h := &host.Host{Paths: paths.Paths{Root: t.TempDir()}, Now: time.Now, GOOS: "linux", GOARCH: "amd64", Getenv: func(k string) string {
		if k == "PATH" {
			return os.Getenv(k)
		}
		return ""
	}}
	return &Provisioner{
		Host: h, HTTP: client, Run: runs, plain: true,
		Find: func(name string) (string, error) {
			path, err := exec.LookPath(name)
			if err != nil {
				return "", fault.New(fault.NotFound, "no_program", "no %s", name)
			}
			return path, nil
		},
		Python: func(context.Context, *ledger.Closure) (Python, error) {
			return Python{Argv: []string{"/py/python3", "-I"}, Env: []string{"PATH=/py"}, Mounts: []Mount{same("/py")}}, nil
		},
	}
}

func toolOf(d spec.Deployment) *spec.Tool {
	return &spec.Tool{Format: spec.FormatInstall, Name: "mail", Version: "1.0.0", Deployment: &d}
}

func release(seed string) spec.Digest { return spec.DigestOf([]byte(seed)) }

// tree lists all that lies below a folder.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".lock") {
			rel, _ := filepath.Rel(dir, path)
			all = append(all, rel)
		}
		return nil
	})
	return strings.Join(all, " ")
}

const program = "#!/bin/sh\necho hello\n"

func sumOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// serve answers paths with what the test says.
func serve(t *testing.T, answers map[string]http.HandlerFunc) *httptest.Server {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer, ok := answers[r.URL.Path]; ok {
			answer(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(s)) }
}

// TestURL: what has the stated digest is installed; each way of being something else
// leaves nothing at all.
func TestURL(t *testing.T) {
	s := serve(t, map[string]http.HandlerFunc{
		"/tool":  text(program),
		"/other": text(program + "#"),
		"/moved": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/tool", http.StatusFound) },
		"/plain": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+r.Host+"/tool", http.StatusFound)
		},
		"/round": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) },
		"/cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(program))
		},
		"/huge": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "999999999999") },
		"/gone": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) },
		"/busy": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
	})
	for _, tt := range []struct {
		name, path, sum string
		kind            fault.Kind
		reason          string
	}{
		{"other bytes", "/other", sumOf(program), fault.NotVerified, "artifact_digest"},
		{"led to http", "/plain", sumOf(program), fault.NotVerified, "downgrade"},
		{"led in a circle", "/round", sumOf(program), fault.Unavailable, "redirects"},
		{"cut short", "/cut", sumOf(program), fault.Unavailable, "download"},
		{"too large", "/huge", sumOf(program), fault.Findings, "install"},
		{"taken away", "/gone", sumOf(program), fault.NotFound, "no_artifact"},
		{"out of order", "/busy", sumOf(program), fault.Unavailable, "download"},
		{"no digest", "/tool", "", fault.Findings, "install"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newProvisioner(t, s.Client())
			p.plain = false
			r := Request{Tool: toolOf(spec.Deployment{Install: spec.Artifact{Method: "url", URL: s.URL + tt.path, SHA256: tt.sum}, Command: []string{"mail", "--flag; rm", "$(x)"}}), Release: release(tt.name)}
			_, err := p.Install(t.Context(), r)
			if fault.KindOf(err) != tt.kind || fault.ReasonOf(err) != tt.reason {
				t.Errorf("%v %s: %v", fault.KindOf(err), fault.ReasonOf(err), err)
			}
			if left := tree(t, p.Host.Paths.Root); left != "" {
				t.Errorf("something is left: %s", left)
			}
			if _, err := p.Load(r.Release); fault.KindOf(err) != fault.NotFound {
				t.Errorf("it is installed: %v", err)
			}
			// The twin: the same, with the very bytes, by way of a redirect.
			r.Tool.Deployment.Install.URL, r.Tool.Deployment.Install.SHA256 = s.URL+"/moved", sumOf(program)
			got, err := p.Install(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(p.Host.Paths.Prefixes(), r.Release.Hex(), "root", "mail")
			if !strings.HasSuffix(strings.Join(got.Command, "|"), "|"+file+"|--flag; rm|$(x)") {
				t.Errorf("command %q", got.Command)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o755 {
				t.Errorf("%v %v", info, err)
			}
		})
	}
}

// TestURLScheme: no address but https, and no password in it.
func TestURLScheme(t *testing.T) {
	for _, address := range []string{
		"http://example.org/x", "file:///etc/passwd", "ext::sh -c x", "ftp://example.org/x", "//example.org/x", "https:example", "https://u:p@example.org/x", "https:///x", "",
		"https://example.org/a b", "https://-oProxyCommand=x/y",
	} {
		for _, a := range []spec.Artifact{{Method: "url", URL: address, SHA256: sumOf("")}, {Method: "git", URL: address, Ref: strings.Repeat("a", 40)}} {
			if err := Check(toolOf(spec.Deployment{Install: a})); fault.KindOf(err) != fault.Findings {
				t.Errorf("%s %q: %v", a.Method, address, err)
			}
			a.URL = "https://example.org/x"
			if err := Check(toolOf(spec.Deployment{Install: a})); err != nil {
				t.Errorf("the twin: %v", err)
			}
		}
	}
}

// TestPinned: what can come to mean something else is not installed.
func TestPinned(t *testing.T) {
	sha := strings.Repeat("a", 40)
	for _, tt := range []struct {
		bad, good spec.Artifact
	}{
		{spec.Artifact{Method: "pip", Package: "x"}, spec.Artifact{Method: "pip", Package: "x", VersionSpec: "==1.0"}},
		{spec.Artifact{Method: "pip", Package: "x", VersionSpec: ">=1.0"}, spec.Artifact{Method: "pip", Package: "x", VersionSpec: "==1.0"}},
		{spec.Artifact{Method: "pip", Package: "x", VersionSpec: "==1.*"}, spec.Artifact{Method: "pip", Package: "x", VersionSpec: "==1.0"}},
		{spec.Artifact{Method: "pip", Package: "-r", VersionSpec: "==1.0"}, spec.Artifact{Method: "pip", Package: "r", VersionSpec: "==1.0"}},
		{spec.Artifact{Method: "pip", Package: "x @ file:///y", VersionSpec: "==1.0"}, spec.Artifact{Method: "pip", Package: "x", VersionSpec: "==1.0"}},
		{spec.Artifact{Method: "npm", Package: "x", VersionSpec: "^1.0.0"}, spec.Artifact{Method: "npm", Package: "x", VersionSpec: "1.0.0"}},
		{spec.Artifact{Method: "npm", Package: "x", VersionSpec: "latest"}, spec.Artifact{Method: "npm", Package: "@a/x", VersionSpec: "1.0.0-rc.1"}},
		{spec.Artifact{Method: "npm", Package: "git+https://example.org/x", VersionSpec: "1.0.0"}, spec.Artifact{Method: "npm", Package: "x", VersionSpec: "=1.0.0"}},
		{spec.Artifact{Method: "npm", Package: "--registry=https://x", VersionSpec: "1.0.0"}, spec.Artifact{Method: "npm", Package: "x", VersionSpec: "1.0.0"}},
		{spec.Artifact{Method: "git", URL: "https://x/y", Ref: "main"}, spec.Artifact{Method: "git", URL: "https://x/y", Ref: sha}},
		{spec.Artifact{Method: "git", URL: "https://x/y", Ref: sha[:39]}, spec.Artifact{Method: "git", URL: "https://x/y", Ref: sha}},
		{spec.Artifact{Method: "git", URL: "https://x/y", Ref: sha, Subpath: "../x"}, spec.Artifact{Method: "git", URL: "https://x/y", Ref: sha, Subpath: "x"}},
		{spec.Artifact{Method: "container", Image: "x:latest"}, spec.Artifact{Method: "container", Image: "x@sha256:" + sumOf("")}},
		{spec.Artifact{Method: "container", Image: "--privileged@sha256:" + sumOf("")}, spec.Artifact{Method: "container", Image: "x@sha256:" + sumOf("")}},
		{spec.Artifact{Method: "curl"}, spec.Artifact{Method: "url", URL: "https://x/y", SHA256: sumOf("")}},
	} {
		if err := Check(toolOf(spec.Deployment{Install: tt.bad})); fault.KindOf(err) != fault.Findings {
			t.Errorf("%+v: %v", tt.bad, err)
		}
		if err := Check(toolOf(spec.Deployment{Install: tt.good})); err != nil {
			t.Errorf("%+v: %v", tt.good, err)
		}
	}
	if err := Check(nil); err == nil {
		t.Error("nothing is installed")
	}
	p := newProvisioner(t, nil)
	if _, err := p.Install(t.Context(), Request{Tool: toolOf(spec.Deployment{Install: spec.Artifact{Method: "url", URL: "https://x/y", SHA256: sumOf("")}})}); fault.KindOf(err) != fault.NotVerified {
		t.Errorf("a release that nobody verified: %v", err)
	}
}

// TestOnce: many who want the same release make it once; a change on disk is noticed;
// what a killed process left goes with the next one, and a removal takes all.
func TestOnce(t *testing.T) {
	var asked atomic.Int32
	s := serve(t, map[string]http.HandlerFunc{"/tool": func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		text(program)(w, r)
	}})
	p := newProvisioner(t, s.Client())
	r := Request{Tool: toolOf(spec.Deployment{Install: spec.Artifact{Method: "url", URL: s.URL + "/tool", SHA256: sumOf(program)}, Command: []string{"mail"}}), Release: release("once")}
	left := p.dir(r.Release) + stageMark + "dead"
	if err := os.MkdirAll(filepath.Join(left, "root"), 0o500); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			other := *p
			if _, err := other.Install(t.Context(), r); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if asked.Load() != 1 {
		t.Errorf("it was downloaded %d times", asked.Load())
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was left is still there: %v", err)
	}
	got, err := p.Load(r.Release)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(got.Command[len(got.Command)-1], []byte("#!/bin/sh\nevil\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Load(r.Release); fault.ReasonOf(err) != "prefix_damaged" || fault.KindOf(err) != fault.NotVerified {
		t.Errorf("a changed program: %v", err)
	}
	// The twin: the very bytes again.
	if err := os.WriteFile(got.Command[len(got.Command)-1], []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Load(r.Release); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := p.Remove(t.Context(), r.Release); err != nil {
			t.Fatal(err)
		}
	}
	if left := tree(t, p.Host.Paths.Root); left != "" {
		t.Errorf("left: %s", left)
	}
}

// TestDamagedRecord: a record of another release, or edition, or place is not used.
func TestDamagedRecord(t *testing.T) {
	s := serve(t, map[string]http.HandlerFunc{"/tool": text(program)})
	p := newProvisioner(t, s.Client())
	r := Request{Tool: toolOf(spec.Deployment{Install: spec.Artifact{Method: "url", URL: s.URL + "/tool", SHA256: sumOf(program)}, Command: []string{"mail"}}), Release: release("x")}
	if _, err := p.Install(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.dir(r.Release), prefixFile)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string]string{
		"another release": strings.Replace(string(good), r.Release.Hex(), release("y").Hex(), 1),
		"another edition": strings.Replace(string(good), `"schema": 1`, `"schema": 9`, 1),
		"another place":   strings.Replace(string(good), `"dir": "`, `"dir": "/elsewhere`, 1),
		"more":            strings.Replace(string(good), `"schema"`, `"x": 1, "schema"`, 1),
		"cut":             string(good[:40]),
	} {
		if bad == string(good) {
			t.Fatalf("%s: nothing was changed", what)
		}
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Load(r.Release); fault.KindOf(err) != fault.NotVerified {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := p.Install(t.Context(), r); fault.KindOf(err) != fault.NotVerified {
			t.Errorf("%s is installed over: %v", what, err)
		}
	}
	if err := os.WriteFile(file, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Load(r.Release); err != nil {
		t.Error(err)
	}
}
