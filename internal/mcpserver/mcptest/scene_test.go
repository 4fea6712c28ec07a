package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// theirs skips a test that needs other people's programs, which `make test-mcp`
// installs and asks for.
func theirs(t *testing.T) {
	t.Helper()
	if os.Getenv("PATCH_GIT_MCP_TESTS") != "1" {
		t.Skip("PATCH_GIT_MCP_TESTS=1 (make test-mcp) holds the server against other people's clients")
	}
}

// scene is a user with a registry of their own, the tools of testdata pulled from
// it, and the program as it is shipped. All of it was done by the program's own
// commands.
type scene struct {
	t        *testing.T
	program  string
	state    string // PATCH_GIT_HOME
	registry string
	env      []string
}

// build makes the program once for all tests of a run.
var build = sync.OnceValues(func() (string, error) {
	if p := os.Getenv("PATCH_GIT_PROGRAM"); p != "" {
		return filepath.Abs(p)
	}
	dir, err := os.MkdirTemp("", "patch-git-program-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "patch-git")
	cmd := exec.Command("go", "build", "-o", program, "github.com/patch-cat/patch-git/cmd/patch-git")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
})

func newScene(t *testing.T, config string) *scene {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := &scene{t: t, program: program, state: filepath.Join(dir, "state"), registry: filepath.Join(dir, "registry")}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	s.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "PATCH_GIT_HOME=" + s.state, "LANG=C.UTF-8"}
	s.run("registry", "init", s.registry, "--name", "acme/tools")
	files, err := filepath.Glob("testdata/tools/*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tools: %v", err)
	}
	for _, f := range files {
		s.run("publish", f, "--to", s.registry)
	}
	s.run("registry", "add", s.registry)
	for _, f := range files {
		s.run("pull", strings.TrimSuffix(filepath.Base(f), ".py"), "--yes")
	}
	s.configure(config)
	return s
}

func (s *scene) configure(config string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.state, "config.json"), []byte(config), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.program, args...)
	cmd.Env = s.env
	return cmd
}

// run runs a command that must succeed.
func (s *scene) run(args ...string) {
	s.t.Helper()
	if out, err := s.command(s.t.Context(), args...).CombinedOutput(); err != nil {
		s.t.Fatalf("patch-git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// http starts the server on HTTP and something in front of it that adds the token,
// for clients that send none. Names of hosts and origins pass as they are, but for
// that of the thing in front.
func (s *scene) http() (open string) {
	s.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	cmd := s.command(ctx, "mcp", "--http", "127.0.0.1:0", "--json")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // its own tests look at how it ends
	})
	var listening struct {
		URL       string `json:"url"`
		TokenFile string `json:"token_file"`
	}
	if err := json.NewDecoder(out).Decode(&listening); err != nil {
		s.t.Fatal(err)
	}
	data, err := os.ReadFile(listening.TokenFile)
	if err != nil {
		s.t.Fatal(err)
	}
	token := strings.TrimSpace(string(data))
	to, err := url.Parse(listening.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	var front *httptest.Server
	front = httptest.NewServer(wholeBody(&httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
			own := front.Listener.Addr().String()
			_, port, _ := strings.Cut(own, ":")
			r.Out.Host = r.In.Host
			for _, name := range []string{own, "localhost:" + port} {
				if r.In.Host == name {
					r.Out.Host = to.Host
				}
				if r.In.Header.Get("Origin") == "http://"+name {
					r.Out.Header.Set("Origin", "http://"+to.Host)
				}
			}
			r.Out.Header.Set("Authorization", "Bearer "+token)
		},
	}))
	s.t.Cleanup(front.Close)
	waitFor(s.t, front.URL)
	return front.URL + "/mcp"
}

// wholeBody reads a request to its end before it goes on. An answer that begins
// earlier, as a stream of progress does, would close the body that the proxy still
// asks for more; the proxy then gives up the connection, and with it the answer.
func wholeBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

func waitFor(t *testing.T, at string) {
	t.Helper()
	c := &http.Client{Timeout: time.Second}
	for range 50 {
		r, err := c.Get(at)
		if err == nil {
			_ = r.Body.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("nothing answers at %s", at)
}

// node runs one of the programs below testdata/node_modules by the node there, and
// returns what it wrote and its exit code.
func (s *scene) node(script string, args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), nodeProgram(s.t), append([]string{absolute(s.t, filepath.Join("testdata", script))}, args...)...)
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &talk, append(s.env, "MCP_INSPECTOR_SECRET_STORE=memory", "NO_COLOR=1", "CI=1")
	cmd.WaitDelay = patience
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return out.String(), talk.String(), cmd.ProcessState.ExitCode()
}

// nodeProgram is the node that the clients need, which a machine seldom has.
func nodeProgram(t *testing.T) string {
	t.Helper()
	cpu := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if cpu == "" {
		cpu = runtime.GOARCH
	}
	p := absolute(t, filepath.Join("testdata/node_modules", "node-"+runtime.GOOS+"-"+cpu, "bin/node"))
	if _, err := os.Stat(p); err == nil {
		return p
	}
	p, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("there is no node, and testdata/node_modules has none: make test-mcp installs one on Linux")
	}
	return p
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
