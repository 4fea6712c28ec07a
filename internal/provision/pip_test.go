package provision

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

func pipTool(command ...string) *spec.Tool {
	return toolOf(spec.Deployment{Install: spec.Artifact{Method: "pip", Package: "Mail_Tool", VersionSpec: "==1.0"}, Command: command})
}

func closure(name, version string) *ledger.Closure {
	return &ledger.Closure{Targets: map[string][]ledger.Wheel{"linux": {{Name: name, Version: version}, {Name: "leaf", Version: "2"}}}}
}

// TestPip: the packages are those of the signed list, its programs are started without
// a site and whatever a .pth file says, and arguments reach them as they are.
func TestPip(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not here")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"mailtool/__init__.py": "", "mailtool/__main__.py": "import sys; print('module', sys.argv[1:])",
		"mailtool/cli.py":                         "import sys\nclass App:\n    def main(self):\n        print(sys.argv)\n        return 3\napp = App()\n",
		"mailtool-1.0.dist-info/entry_points.txt": "[console_scripts]\nmail = mailtool.cli:app.main\nbad = os;system:x\n",
		"evil.pth": "import os; os.abort()\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := newProvisioner(t, nil)
	p.Python = func(context.Context, *ledger.Closure) (Python, error) {
		return Python{Argv: []string{python, "-I", "-S", "-B"}, Dir: dir}, nil
	}
	for _, tt := range []struct {
		command, more []string
		want          string
		exit          int
	}{
		{[]string{"mail", "a b"}, []string{"$(x)", "-c"}, "['mail', 'a b', '$(x)', '-c']\n", 3},
		{[]string{"python", "-m", "mailtool"}, []string{"x"}, "module ['x']\n", 0},
		{[]string{"uvx", "mail==9", "x"}, nil, "['mail', 'x']\n", 3},
		{[]string{"python3", "-c", "import sys, mailtool; print(sys.argv)"}, []string{"y"}, "['-c', 'y']\n", 0},
	} {
		seed := strings.Join(tt.command, " ")
		got, err := p.Install(t.Context(), Request{Tool: pipTool(tt.command...), Release: release(seed), Closure: closure("mail-tool", "1.0")})
		if err != nil {
			t.Errorf("%s: %v", seed, err)
			continue
		}
		argv := got.Argv(tt.more...)
		out, err := runs(t.Context(), argv, nil, dir, nil)
		if err != nil || string(out.Stdout) != tt.want || out.Exit != tt.exit {
			t.Errorf("%s: %q %d %q %v", seed, out.Stdout, out.Exit, out.Stderr, err)
		}
	}
}

// TestPipRefused: without the signed list, or with one of something else, nothing is
// installed.
func TestPipRefused(t *testing.T) {
	p := newProvisioner(t, nil)
	dir := t.TempDir()
	p.Python = func(context.Context, *ledger.Closure) (Python, error) {
		return Python{Argv: []string{"/py"}, Dir: dir}, nil
	}
	for what, r := range map[string]Request{
		"no list":               {Tool: pipTool("python")},
		"another version":       {Tool: pipTool("python"), Closure: closure("mail-tool", "1.1")},
		"another package":       {Tool: pipTool("python"), Closure: closure("mail-tools", "1.0")},
		"a program of the host": {Tool: pipTool("bash"), Closure: closure("mail-tool", "1.0")},
	} {
		r.Release = release(what)
		if _, err := p.Install(t.Context(), r); err == nil || fault.KindOf(err) != fault.NotVerified && fault.KindOf(err) != fault.Findings {
			t.Errorf("%s: %v", what, err)
		}
		if left := tree(t, p.Host.Paths.Root); left != "" {
			t.Errorf("%s: left: %s", what, left)
		}
		r.Tool, r.Closure = pipTool("python"), closure("mail.tool", "1.0")
		if _, err := p.Install(t.Context(), r); err != nil {
			t.Errorf("the twin: %v", err)
		}
		if err := p.Remove(t.Context(), r.Release); err != nil {
			t.Fatal(err)
		}
	}
}

// TestContainer: by its digest, which the engine has to confirm; what it is run with
// gives it nothing, and no value stands in an argument.
func TestContainer(t *testing.T) {
	image := "ghcr.io/ann/mail@sha256:" + sumOf("image")
	tool := toolOf(spec.Deployment{
		Install: spec.Artifact{Method: "container", Image: image}, Command: []string{"/mail", "serve"},
		Env: []spec.EnvVar{{Name: "API_KEY", Secret: true}},
	})
	var asked []string
	engine := func(works bool, digests string) *Provisioner {
		p := newProvisioner(t, nil)
		p.Find = func(name string) (string, error) {
			if name != "podman" {
				return "", fault.New(fault.NotFound, "no_program", "no")
			}
			return "/engine/podman", nil
		}
		p.Run = func(_ context.Context, argv, _ []string, _ string, _ []byte) (sandbox.Outcome, error) {
			asked = append(asked, strings.Join(argv, " "))
			if !works {
				return sandbox.Outcome{Exit: 1}, nil
			}
			return sandbox.Outcome{Stdout: []byte(digests)}, nil
		}
		return p
	}
	r := Request{Tool: tool, Release: release("image")}
	for _, tt := range []struct {
		p    *Provisioner
		kind fault.Kind
	}{
		{engine(false, ""), fault.Unavailable},
		{engine(true, `["ghcr.io/ann/mail@sha256:`+sumOf("other")+`"]`), fault.NotVerified},
		{engine(true, `nonsense`), fault.NotVerified},
	} {
		if _, err := tt.p.Install(t.Context(), r); fault.KindOf(err) != tt.kind {
			t.Errorf("%v: %v", fault.KindOf(err), err)
		}
		if left := tree(t, tt.p.Host.Paths.Root); left != "" {
			t.Errorf("left: %s", left)
		}
	}
	asked = nil
	got, err := engine(true, `["ghcr.io/ann/mail@sha256:`+sumOf("image")+`"]`).Install(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(asked, "\n"), "pull --quiet "+image) {
		t.Errorf("asked %q", asked)
	}
	line := strings.Join(got.Argv("x"), " ")
	for _, want := range []string{"--network=none", "--read-only", "--cap-drop=ALL", "--pull=never", "--env=API_KEY ", "--entrypoint=/mail " + image + " serve x"} {
		if !strings.Contains(line, want) {
			t.Errorf("%s is not in %q", want, line)
		}
	}
	if _, err := got.Job(got.Argv(), nil, nil); err == nil {
		t.Error("an engine is started in the sandbox")
	}
	if argv, err := got.Resolve([]string{"/check", "a b"}, tool.Deployment.Command); err != nil || !strings.HasSuffix(strings.Join(argv, "|"), "--entrypoint=/check|"+image+"|a b") {
		t.Errorf("%q %v", argv, err)
	}
}

// TestContainerNames: a value that would be the engine's own is nobody's to give: it would
// load a library into what runs with all of the person's rights, or lead it elsewhere.
func TestContainerNames(t *testing.T) {
	image := spec.Artifact{Method: "container", Image: "x@sha256:" + sumOf("")}
	for name, ok := range map[string]bool{
		"LD_PRELOAD": false, "DOCKER_HOST": false, "DOCKER_CONFIG": false, "CONTAINER_HOST": false, "PATH": false, "HOME": false,
		"HTTPS_PROXY": false, "XDG_CONFIG_HOME": false, "SSL_CERT_FILE": false, "GODEBUG": false, "REGISTRY_AUTH_FILE": false,
		"API_KEY": true, "GOOGLE_TOKEN": true, "PATH_PREFIX": true, "MAIL_HOME": true,
	} {
		value := "/tmp/evil"
		tool := toolOf(spec.Deployment{Install: image, Env: []spec.EnvVar{{Name: name, Default: &value}}})
		if err := Check(tool); (err == nil) != ok || !ok && fault.KindOf(err) != fault.Findings {
			t.Errorf("%s: %v", name, err)
		}
		// The sandbox gives it to the tool alone.
		tool.Deployment.Install = spec.Artifact{Method: "url", URL: "https://x/y", SHA256: sumOf("")}
		if err := Check(tool); err != nil {
			t.Errorf("%s without a container: %v", name, err)
		}
	}
}

// TestContainerOffline: what has no network gets none, whatever the rest of the tool has.
func TestContainerOffline(t *testing.T) {
	run := containerRun("/engine/podman", &spec.Deployment{}, true)
	p := &Prefix{Engine: "/engine/podman", Image: "x@sha256:1", Run: run}
	argv := p.inside([]string{"/mail", "--network=none"})
	if got := strings.Join(p.Offline(argv), " "); !strings.HasPrefix(got, "/engine/podman run --network=none --rm") || !strings.HasSuffix(got, "x@sha256:1 --network=none") {
		t.Errorf("%s", got)
	}
	p.Run = containerRun("/engine/podman", &spec.Deployment{}, false)
	if got := strings.Join(p.Offline(p.inside([]string{"/mail"})), " "); strings.Count(got, "--network=none") != 1 {
		t.Errorf("%s", got)
	}
	if got := (&Prefix{}).Offline([]string{"/mail", "x"}); len(got) != 2 {
		t.Errorf("no container: %q", got)
	}
}

// TestContainerReach: an image is fetched from no server of this machine's network, as
// nothing else is, and the engine is not even asked.
func TestContainerReach(t *testing.T) {
	for image, host := range map[string]string{
		"127.0.0.1:5000/x": "127.0.0.1:5000", "localhost/x": "localhost", "metadata.internal/x/y": "metadata.internal",
		"ann/x": "", "x": "", "ghcr.io/ann/x": "ghcr.io",
	} {
		p := newProvisioner(t, nil)
		asked, started := "", false
		p.Reach = func(_ context.Context, u *url.URL) error {
			asked = u.Host
			return fault.New(fault.Denied, "address", "no")
		}
		p.Find = func(string) (string, error) { return "/engine/podman", nil }
		p.Run = func(context.Context, []string, []string, string, []byte) (sandbox.Outcome, error) {
			started = true
			return sandbox.Outcome{Exit: 1}, nil
		}
		r := Request{Tool: toolOf(spec.Deployment{Install: spec.Artifact{Method: "container", Image: image + "@sha256:" + sumOf("")}}), Release: release(image)}
		_, err := p.Install(t.Context(), r)
		if asked != host || started != (host == "") || host != "" && fault.KindOf(err) != fault.Denied {
			t.Errorf("%s: asked about %q, started %v: %v", image, asked, started, err)
		}
	}
}
