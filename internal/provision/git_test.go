package provision

import (
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// repository is a folder with commits, which a server of git shows.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	r := &repository{t, filepath.Join(t.TempDir(), "repo")}
	r.git("init", "--quiet", "-b", "main", r.dir)
	r.git("-C", r.dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "HOME=" + r.t.TempDir(),
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files (a name that ends in * is a program, one in @ a link) and
// returns the commit.
func (r *repository) commit(files map[string]string) string {
	r.t.Helper()
	for name, text := range files {
		file := filepath.Join(r.dir, strings.TrimRight(name, "*@"))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			r.t.Fatal(err)
		}
		_ = os.Remove(file)
		var err error
		switch {
		case strings.HasSuffix(name, "@"):
			err = os.Symlink(text, file)
		case strings.HasSuffix(name, "*"):
			err = os.WriteFile(file, []byte(text), 0o755)
		default:
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("-C", r.dir, "add", "-A")
	r.git("-C", r.dir, "commit", "--quiet", "-m", "x", "--allow-empty")
	return r.git("-C", r.dir, "rev-parse", "HEAD")
}

func gitTool(address, sha, subpath string, command ...string) *spec.Tool {
	return toolOf(spec.Deployment{Install: spec.Artifact{Method: "git", URL: address, Ref: sha, Subpath: subpath}, Command: command})
}

// TestGit: a commit comes as it is, by a folder and by a server; nothing of it runs.
func TestGit(t *testing.T) {
	repo := newRepository(t)
	mark := filepath.Join(t.TempDir(), "ran")
	sha := repo.commit(map[string]string{
		"tool/run.sh*":      "#!/bin/sh\necho hello\n",
		"tool/lib/data.txt": "$Id$\r\ntext\r\n",
		"tool/link@":        "lib/data.txt",
		"tool/lib/up@":      "..",
		"tool/lib/round@":   "up/lib/data.txt",
		"tool/dangling@":    "nothing",
		"tool/hook*":        "#!/bin/sh\ntouch " + mark + "\n",
		"other.txt":         "not in the folder",
		".gitattributes":    "*.txt ident filter=evil export-ignore\n",
		".gitmodules":       "[submodule \"x\"]\n\tpath = x\n\turl = https://example.org/x\n",
	})
	repo.commit(map[string]string{"tool/run.sh*": "#!/bin/sh\necho newer\n"})
	backend := filepath.Join(repo.git("--exec-path"), "git-http-backend")
	addresses := []string{"file://" + repo.dir}
	if _, err := os.Stat(backend); err == nil {
		s := httptest.NewServer(&cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(repo.dir), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}})
		t.Cleanup(s.Close)
		addresses = append(addresses, s.URL+"/repo/.git")
	}
	for _, address := range addresses {
		p := newProvisioner(t, nil)
		got, err := p.Install(t.Context(), Request{Tool: gitTool(address, sha, "tool", "./run.sh", "a b"), Release: release(address)})
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		root := filepath.Join(p.Host.Paths.Prefixes(), release(address).Hex(), "root")
		if got.Files != 3 || got.Dir != root {
			t.Errorf("%+v", got)
		}
		// A shell script is started by the host's shell, whose place differs.
		if n := len(got.Command); n != 3 || got.Command[1] != filepath.Join(root, "run.sh") || got.Command[2] != "a b" {
			t.Errorf("command %q", got.Command)
		}
		data, err := os.ReadFile(filepath.Join(root, "lib/data.txt"))
		if err != nil || string(data) != "$Id$\r\ntext\r\n" {
			t.Errorf("a filter changed the file: %q %v", data, err)
		}
		if to, err := os.Readlink(filepath.Join(root, "link")); err != nil || to != "lib/data.txt" {
			t.Errorf("link %q %v", to, err)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Error("a program of the commit ran")
		}
		if left := tree(t, filepath.Dir(filepath.Dir(root))); strings.Contains(left, "repo/") {
			t.Errorf("left: %s", left)
		}
	}
}

// TestGitRefused: what a commit may hold and an installation may not.
func TestGitRefused(t *testing.T) {
	for _, tt := range []struct {
		name    string
		files   map[string]string
		prepare func(*repository) string
		change  func(*spec.Tool, *repository)
		kind    fault.Kind
	}{
		{name: "a submodule", kind: fault.Findings, prepare: func(r *repository) string {
			r.git("-C", r.dir, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",sub")
			r.git("-C", r.dir, "commit", "--quiet", "-m", "x")
			return r.git("-C", r.dir, "rev-parse", "HEAD")
		}},
		{name: "a link out", files: map[string]string{"link@": "../../../etc/passwd"}, kind: fault.Findings},
		{name: "a link out by way of another", files: map[string]string{"p/q/up@": "../..", "p/q/out@": "up/../../../etc"}, kind: fault.Findings},
		{name: "a link out to a place that is none", files: map[string]string{"p/q/up@": "../..", "p/q/out@": "up/../../nothing-of-that-name"}, kind: fault.Findings},
		{name: "an absolute link", files: map[string]string{"link@": "/etc/passwd"}, kind: fault.Findings},
		{name: "a large file elsewhere", files: map[string]string{"big.bin": lfs + "v1\noid sha256:1\nsize 1\n"}, kind: fault.Findings},
		{name: "no such commit", kind: fault.NotFound, change: func(tool *spec.Tool, _ *repository) { tool.Deployment.Install.Ref = strings.Repeat("1", 40) }},
		{name: "a tree for a commit", kind: fault.NotVerified, change: func(tool *spec.Tool, r *repository) {
			tool.Deployment.Install.Ref = r.git("-C", r.dir, "rev-parse", "HEAD^{tree}")
		}},
		{name: "no such folder", kind: fault.Findings, change: func(tool *spec.Tool, _ *repository) { tool.Deployment.Install.Subpath = "nowhere" }},
		{name: "a command of the host", kind: fault.Findings, change: func(tool *spec.Tool, _ *repository) { tool.Deployment.Command = []string{"rm", "-rf"} }},
		{name: "a command outside", kind: fault.Findings, change: func(tool *spec.Tool, _ *repository) { tool.Deployment.Command = []string{"../../../bin/sh"} }},
		{name: "a folder outside", kind: fault.Findings, change: func(tool *spec.Tool, _ *repository) { tool.Deployment.Cwd = "../.." }},
		{name: "no program", kind: fault.Findings, change: func(tool *spec.Tool, _ *repository) { tool.Deployment.Command = []string{"read.me"} }},
		{name: "out of reach", kind: fault.Unavailable, change: func(tool *spec.Tool, _ *repository) { tool.Deployment.Install.URL = "http://127.0.0.1:1/x" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			repo, p := newRepository(t), newProvisioner(t, nil)
			files := map[string]string{"run*": "#!/bin/sh\n", "read.me": "text"}
			good := repo.commit(files)
			sha := good
			if tt.files != nil {
				sha = repo.commit(tt.files)
			}
			if tt.prepare != nil {
				sha = tt.prepare(repo)
			}
			r := Request{Tool: gitTool("file://"+repo.dir, sha, "", "./run"), Release: release("r")}
			if tt.change != nil {
				tt.change(r.Tool, repo)
			}
			if _, err := p.Install(t.Context(), r); fault.KindOf(err) != tt.kind {
				t.Errorf("%v: %v", fault.KindOf(err), err)
			}
			if left := tree(t, p.Host.Paths.Root); left != "" {
				t.Errorf("left: %s", left)
			}
			r.Tool = gitTool("file://"+repo.dir, good, "", "./run")
			if _, err := p.Install(t.Context(), r); err != nil {
				t.Errorf("the twin: %v", err)
			}
		})
	}
}

// TestGitTransports: but for tests only https is asked, and git itself is told so.
func TestGitTransports(t *testing.T) {
	repo := newRepository(t)
	sha := repo.commit(map[string]string{"run*": "#!/bin/sh\n"})
	p := newProvisioner(t, nil)
	p.plain = false
	for _, address := range []string{"file://" + repo.dir, repo.dir, "ext::sh -c 'touch x'", "ssh://example.org/x", "git://example.org/x", "-u./x"} {
		if _, err := p.Install(t.Context(), Request{Tool: gitTool(address, sha, "", "./run"), Release: release("r")}); fault.KindOf(err) != fault.Findings {
			t.Errorf("%s: %v", address, err)
		}
		if left := tree(t, p.Host.Paths.Root); left != "" {
			t.Errorf("left: %s", left)
		}
	}
	p.plain = true // the twin
	if _, err := p.Install(t.Context(), Request{Tool: gitTool("file://"+repo.dir, sha, "", "./run"), Release: release("r")}); err != nil {
		t.Error(err)
	}
}

func FuzzParseTree(f *testing.F) {
	f.Add("100644 blob " + strings.Repeat("a", 40) + "      12\tdir/file\x00")
	f.Add("120000 blob " + strings.Repeat("a", 40) + "       1\t../x\x00160000 commit " + strings.Repeat("b", 40) + "       -\tsub\x00")
	f.Fuzz(func(t *testing.T, list string) {
		entries, err := parseTree([]byte(list))
		if err != nil {
			return
		}
		for _, e := range entries {
			if !filepath.IsLocal(e.path) || strings.Contains(strings.ToLower("/"+e.path+"/"), "/.git/") || e.size < 0 {
				t.Errorf("%q is let through", e.path)
			}
		}
	})
}
