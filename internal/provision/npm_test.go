package provision

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// packed is a file of an archive; a mode of 0 is a plain file.
type packed struct {
	name, text string
	kind       byte
	mode       int64
}

func archive(t *testing.T, files ...packed) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Size: int64(len(f.text)), Mode: 0o644, Typeflag: tar.TypeReg}
		if f.mode != 0 {
			h.Mode = f.mode
		}
		if f.kind != 0 {
			h.Typeflag, h.Linkname, h.Size = f.kind, f.text, 0
			f.text = ""
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func ssri(data []byte) string {
	sum := sha512.Sum512(data)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// double is a registry of npm: a document for each name, an archive for each version.
type double struct {
	*httptest.Server
	archives map[string][]byte // by path
	docs     map[string]any
}

func newDouble(t *testing.T) *double {
	d := &double{archives: map[string][]byte{}, docs: map[string]any{}}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if doc, ok := d.docs[strings.TrimPrefix(r.URL.Path, "/")]; ok {
			_ = json.NewEncoder(w).Encode(doc)
			return
		}
		if data, ok := d.archives[r.URL.Path]; ok {
			_, _ = w.Write(data)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(d.Close)
	return d
}

// add publishes a version.
func (d *double) add(t *testing.T, name, version string, manifest map[string]any, files ...packed) []byte {
	manifest["name"], manifest["version"] = name, version
	text, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	data := archive(t, append([]packed{{name: "package/package.json", text: string(text)}}, files...)...)
	path := fmt.Sprintf("/%s/-/%s-%s.tgz", name, name, version)
	d.archives[path] = data
	entry := map[string]any{}
	maps.Copy(entry, manifest)
	entry["dist"] = map[string]any{"tarball": d.URL + path, "integrity": ssri(data)}
	d.docs[name] = map[string]any{"name": name, "dist-tags": map[string]any{"latest": version}, "versions": map[string]any{version: entry}}
	return data
}

// saysLock is a box in which npm says something.
type saysLock string

func (s saysLock) Run(context.Context, sandbox.Job) (sandbox.Outcome, error) {
	return sandbox.Outcome{Stdout: []byte(s)}, nil
}

func npmProvisioner(t *testing.T, d *double) *Provisioner {
	p := newProvisioner(t, d.Client())
	p.Host.Getenv = func(k string) string {
		return map[string]string{"npm_config_registry": d.URL, "PATH": os.Getenv("PATH")}[k]
	}
	find := p.Find
	p.Find = func(name string) (string, error) {
		if path, err := find(name); err == nil {
			return path, nil
		}
		return os.Executable() // any program will do: it is not started
	}
	return p
}

func npmTool(name, version string, command ...string) *spec.Tool {
	return toolOf(spec.Deployment{Install: spec.Artifact{Method: "npm", Package: name, VersionSpec: version}, Command: command})
}

// TestNPMByNPM: npm itself works out the lock, in the sandbox; the packages come and
// none of their scripts ran.
func TestNPMByNPM(t *testing.T) {
	d := newDouble(t)
	p := npmProvisioner(t, d)
	if _, err := p.Find("npm"); err != nil {
		t.Skip("npm is not here")
	}
	box, err := sandbox.Open(t.Context(), sandbox.Options{Now: time.Now})
	if err != nil {
		t.Skipf("no sandbox: %v", err)
	}
	t.Cleanup(box.Close)
	p.Box = func(context.Context) (Box, error) { return box, nil }
	mark := filepath.Join(t.TempDir(), "ran")
	d.add(t, "leaf", "2.0.1", map[string]any{"scripts": map[string]any{"postinstall": "touch " + mark}, "hasInstallScript": true}, packed{name: "package/index.js", text: "module.exports = 'leaf'"})
	d.add(t, "mail", "1.2.3", map[string]any{"bin": map[string]any{"mail-cli": "./cli.js"}, "dependencies": map[string]any{"leaf": "^2.0.0"}},
		packed{name: "package/cli.js", text: "#!/usr/bin/env node\nconsole.log(require('leaf'), process.argv.slice(2).join('|'))\n", mode: 0o755})
	r := Request{Tool: npmTool("mail", "1.2.3", "npx", "-y", "mail@1.2.3", "a b", "$(x)"), Release: release("npm")}
	got, err := p.Install(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Command) != 4 || !strings.HasSuffix(got.Command[1], "node_modules/mail/cli.js") || got.Command[3] != "$(x)" {
		t.Errorf("command %q", got.Command)
	}
	if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, "leaf") {
		t.Errorf("the script of leaf is not told: %q", notes)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("an install script ran")
	}
	job, err := got.Job(got.Argv("c"), []string{"LANG=C"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := box.Run(t.Context(), job)
	if err != nil || string(out.Stdout) != "leaf a b|$(x)|c\n" {
		t.Errorf("%q %q %v", out.Stdout, out.Stderr, err)
	}
}

// TestNPMRefused: a lock, or an archive, that is not what it should be.
func TestNPMRefused(t *testing.T) {
	script := packed{name: "package/cli.js", text: "#!/usr/bin/env node\n", mode: 0o755}
	entry := func(d *double, path, version string, data []byte, change func(map[string]any)) map[string]any {
		name := path[strings.LastIndex(path, "/")+1:]
		e := map[string]any{"version": version, "resolved": fmt.Sprintf("%s/%s/-/%s-%s.tgz", d.URL, name, name, version), "integrity": ssri(data)}
		if change != nil {
			change(e)
		}
		return e
	}
	set := func(key string, value any) func(map[string]any) { return func(e map[string]any) { e[key] = value } }
	for _, tt := range []struct {
		name   string
		change func(map[string]any)
		extra  []packed
		lock   func(map[string]any, map[string]any)
		kind   fault.Kind
	}{
		{name: "other bytes", change: set("integrity", ssri([]byte("other"))), kind: fault.NotVerified},
		{name: "no digest", change: func(e map[string]any) { delete(e, "integrity") }, kind: fault.Findings},
		{name: "a weak digest", change: set("integrity", "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="), kind: fault.Findings},
		{name: "from elsewhere", change: set("resolved", "https://example.org/mail.tgz"), kind: fault.Findings},
		{name: "from git", change: set("resolved", "git+ssh://git@example.org/x.git#abc"), kind: fault.Findings},
		{name: "a link", change: set("link", true), kind: fault.Findings},
		{name: "another version", change: set("version", "1.2.4"), kind: fault.Findings},
		{name: "not for this machine", change: set("os", []string{"plan9"}), kind: fault.Findings},
		{name: "lies elsewhere", lock: func(all, e map[string]any) { all["node_modules/../../x"] = e }, kind: fault.Findings},
		{name: "lies in the tree of another", lock: func(all, e map[string]any) { all["packages/x"] = e }, kind: fault.Findings},
		{name: "a file outside", extra: []packed{{name: "package/../../x", text: "x"}}, kind: fault.Findings},
		{name: "an absolute file", extra: []packed{{name: "/etc/x", text: "x"}}, kind: fault.Findings},
		{name: "a link in the archive", extra: []packed{{name: "package/x", text: "/etc/passwd", kind: tar.TypeSymlink}}, kind: fault.Findings},
		{name: "a hard link", extra: []packed{{name: "package/x", text: "package/cli.js", kind: tar.TypeLink}}, kind: fault.Findings},
		{name: "a device", extra: []packed{{name: "package/x", kind: tar.TypeChar, text: "x"}}, kind: fault.Findings},
		{name: "npm's own names", extra: []packed{{name: "package/node_modules/.bin/mail", text: "x"}}, kind: fault.Findings},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDouble(t)
			p := npmProvisioner(t, d)
			try := func(seed string, files []packed, change func(map[string]any), lock func(map[string]any, map[string]any)) error {
				data := d.add(t, "mail", "1.2.3", map[string]any{"bin": "cli.js"}, files...)
				e := entry(d, "node_modules/mail", "1.2.3", data, change)
				all := map[string]any{"": map[string]any{}, "node_modules/mail": e}
				if lock != nil {
					lock(all, e)
				}
				text, err := json.Marshal(map[string]any{"lockfileVersion": 3, "packages": all})
				if err != nil {
					t.Fatal(err)
				}
				p.Box = func(context.Context) (Box, error) { return saysLock(text), nil }
				_, err = p.Install(t.Context(), Request{Tool: npmTool("mail", "1.2.3", "mail"), Release: release(seed)})
				return err
			}
			if err := try("bad", append([]packed{script}, tt.extra...), tt.change, tt.lock); fault.KindOf(err) != tt.kind {
				t.Errorf("%v: %v", fault.KindOf(err), err)
			}
			if left := tree(t, p.Host.Paths.Root); left != "" {
				t.Errorf("left: %s", left)
			}
			if err := try("good", []packed{script}, nil, nil); err != nil {
				t.Errorf("the twin: %v", err)
			}
		})
	}
}

// TestNPMRegistry: the person chooses where packages are, and not over http.
func TestNPMRegistry(t *testing.T) {
	p := newProvisioner(t, nil)
	p.plain = false
	for value, ok := range map[string]bool{"": true, "https://npm.example.org": true, "http://npm.example.org": false, "file:///x": false, "https://ann:canary-55@npm.example.org": false, "http://ann:canary-55@npm.example.org": false} {
		p.Host.Getenv = func(k string) string { return map[string]string{"NPM_CONFIG_REGISTRY": value}[k] }
		if _, err := p.npmRegistry(); (err == nil) != ok || err != nil && strings.Contains(err.Error(), "canary-55") {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func FuzzParseNPMLock(f *testing.F) {
	f.Add([]byte(`{"lockfileVersion":3,"packages":{"":{},"node_modules/@a/b/node_modules/c":{"version":"1.0.0","resolved":"https://r/c.tgz","integrity":"` + ssri(nil) + `","os":["!win32"],"cpu":"x64"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parseNPMLock(data, "https://r/", [2]string{"linux", "x64"})
		if err != nil {
			return
		}
		for _, p := range list {
			if !filepath.IsLocal(p.Path) || !strings.HasPrefix(p.URL, "https://") && !strings.HasPrefix(strings.ToLower(p.URL), "https://") || !strings.HasPrefix(p.Path, "node_modules/") {
				t.Errorf("%+v", p)
			}
		}
	})
}

func FuzzParseEntryPoints(f *testing.F) {
	f.Add("[console_scripts]\nmail = mail.cli:main\n[gui_scripts]\nx = y:z\n")
	f.Fuzz(func(t *testing.T, text string) {
		for name, e := range parseEntryPoints(text) {
			if strings.ContainsAny(name+e.module+e.name, " /\\\n;'\"()") {
				t.Errorf("%q %+v", name, e)
			}
		}
	})
}
