package action

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The installer is played with programs of ours in the place of gh and uname, and
// a server on loopback in the place of GitHub's releases.

// installer copies install.sh beside a release.env.
func installer(t *testing.T, release string) (script, bin string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the action is for Linux")
	}
	for _, p := range []string{"bash", "curl", "sha256sum", "sed"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("there is no %s", p)
		}
	}
	dir := t.TempDir()
	script, bin = filepath.Join(dir, "action", "install.sh"), filepath.Join(dir, "bin")
	data, err := os.ReadFile("install.sh")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{script: string(data), filepath.Join(dir, "action", "release.env"): release, filepath.Join(bin, "uname"): "#!/bin/sh\necho x86_64\n"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return script, bin
}

func TestInstallRelease(t *testing.T) {
	program := "#!/bin/sh\necho released\n"
	sum := sha256.Sum256([]byte(program))
	good := hex.EncodeToString(sum[:])
	served := program
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1.2.3/patch-git-action_linux_amd64" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(served))
	}))
	t.Cleanup(srv.Close)
	for _, c := range []struct {
		name, release, gh, served, says string
	}{
		{name: "good", release: "VERSION=1.2.3\nSHA256_amd64=" + good + "\n", gh: "exit 0", served: program},
		{name: "another program", release: "VERSION=1.2.3\nSHA256_amd64=" + good + "\n", gh: "exit 0", served: program + "\n", says: "is not the one"},
		{name: "no attestation", release: "VERSION=1.2.3\nSHA256_amd64=" + good + "\n", gh: "exit 1", served: program, says: "is not attested"},
		{name: "no gh", release: "VERSION=1.2.3\nSHA256_amd64=" + good + "\n", served: program, says: "gh is missing"},
		{name: "no digest", release: "VERSION=1.2.3\nSHA256_amd64=\n", gh: "exit 0", served: program, says: "no digest"},
		{name: "a digest that is none", release: "VERSION=1.2.3\nSHA256_amd64=abc\n", gh: "exit 0", served: program, says: "no digest"},
		{name: "no such release", release: "VERSION=1.2.4\nSHA256_amd64=" + good + "\n", gh: "exit 0", served: program, says: "could not be downloaded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			served = c.served
			script, bin := installer(t, c.release)
			asked := filepath.Join(t.TempDir(), "asked")
			if c.gh != "" {
				text := "#!/bin/sh\necho \"$@\" > " + asked + "\n" + c.gh + "\n"
				if err := os.WriteFile(filepath.Join(bin, "gh"), []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			temp := t.TempDir()
			cmd := exec.CommandContext(t.Context(), "bash", script, "get")
			path := bin
			for _, p := range []string{"bash", "curl", "sha256sum", "sed", "mkdir", "rm", "mv", "chmod", "dirname"} {
				real, err := exec.LookPath(p)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(real, filepath.Join(bin, p)); err != nil {
					t.Fatal(err)
				}
			}
			cmd.Env = []string{"PATH=" + path, "RUNNER_TEMP=" + temp, "GITHUB_PATH=" + filepath.Join(temp, "path"), "PATCH_GIT_RELEASES=" + srv.URL, "MODE=report"}
			out, err := cmd.CombinedOutput()
			installed, statErr := os.ReadFile(filepath.Join(temp, "patch-git-bin", "patch-git"))
			if c.says == "" {
				if err != nil || string(installed) != program {
					t.Fatalf("%v %v\n%s", err, statErr, out)
				}
				args, err := os.ReadFile(asked)
				if err != nil || !strings.Contains(string(args), "attestation verify") || !strings.Contains(string(args), "--cert-identity https://github.com/patch-cat/patch-git/.github/workflows/release.yml@refs/tags/v1.2.3 ") || !strings.Contains(string(args), "--source-ref refs/tags/v1.2.3") {
					t.Errorf("gh was asked %s, %v", args, err)
				}
				return
			}
			if err == nil || !strings.Contains(string(out), c.says) || statErr == nil {
				t.Errorf("%v, installed %q\n%s", err, installed, out)
			}
		})
	}
}

// TestInstallLook: Go is needed where there is no release, and any from 1.21 up
// will do.
func TestInstallLook(t *testing.T) {
	for _, c := range []struct{ release, version, want string }{
		{"VERSION=\n", "go1.26.8", "found"},
		{"VERSION=\n", "go1.21.0", "found"},
		{"VERSION=\n", "go1.20.14", "missing"},
		{"VERSION=\n", "devel", "missing"},
		{"VERSION=\n", "", "missing"},
		{"VERSION=1.2.3\n", "", "unneeded"},
	} {
		script, bin := installer(t, c.release)
		for _, p := range []string{"bash", "sed", "dirname"} {
			real, err := exec.LookPath(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(real, filepath.Join(bin, p)); err != nil {
				t.Fatal(err)
			}
		}
		if c.version != "" {
			if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\necho "+c.version+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		output := filepath.Join(t.TempDir(), "output")
		cmd := exec.CommandContext(t.Context(), "bash", script, "look")
		cmd.Env = []string{"PATH=" + bin, "GITHUB_OUTPUT=" + output}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got, _ := os.ReadFile(output); string(got) != "go="+c.want+"\n" {
			t.Errorf("%q and %q: %q, want %s", c.release, c.version, got, c.want)
		}
	}
}
