//go:build linux

package realtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// downloads are the releases of this repository, and what GitHub knows of them.
type downloads struct {
	in      *instance
	src     source
	bin     string // with gh
	url     string
	data    []byte
	status  int
	bundles [][]byte
	asked   int
}

func (in *instance) downloads(t *testing.T, src source, program, name string, data []byte) *downloads {
	t.Helper()
	d := &downloads{in: in, src: src, bin: t.TempDir(), data: data}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v"+src.version+"/"+name {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(d.data)
	}))
	t.Cleanup(server.Close)
	d.url = server.URL

	api := http.NewServeMux()
	api.HandleFunc("GET /repos/patch-cat/patch-git/attestations/{digest}", func(w http.ResponseWriter, r *http.Request) {
		d.asked++
		if r.PathValue("digest") != "sha256:"+spec.DigestOf(data).Hex() || r.Header.Get("Authorization") == "" {
			w.WriteHeader(http.StatusNotFound)
			answerJSON(w, map[string]string{"message": "Not Found"})
			return
		}
		if d.status != 0 {
			w.WriteHeader(d.status)
			return
		}
		all := []any{}
		for _, b := range d.bundles {
			// GitHub looks for the kind, and gh leaves it to GitHub.
			if want := r.URL.Query().Get("predicate_type"); want != "" && predicateType(t, b) != want {
				continue
			}
			all = append(all, map[string]any{"bundle": json.RawMessage(b), "repository_id": 900000001, "bundle_url": "", "initiator": "user"})
		}
		answerJSON(w, map[string]any{"attestations": all})
	})
	in.gitHub.answers(api)

	// A line for each root, as gh reads them.
	var root any
	if text, err := os.ReadFile(in.path(trustedRoot)); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	in.write(t, "trusted_root.jsonl", append(line, '\n'))
	wrapper := fmt.Sprintf("#!/bin/sh\nexec env -u no_proxy -u NO_PROXY %s HOME='%s' GH_NO_UPDATE_NOTIFIER=1 '%s' \"$@\" --custom-trusted-root '%s'\n",
		strings.Join(in.gitHub.env(), " "), in.dir, program, in.path("trusted_root.jsonl"))
	if err := os.WriteFile(filepath.Join(d.bin, "gh"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	return d
}

// predicateType is what a bundle's statement is of.
func predicateType(t *testing.T, bundle []byte) string {
	var b struct {
		DSSEEnvelope struct{ Payload []byte }
	}
	var s struct{ PredicateType string }
	err := json.Unmarshal(bundle, &b)
	if err = errors.Join(err, json.Unmarshal(b.DSSEEnvelope.Payload, &s)); err != nil {
		t.Error(err)
	}
	return s.PredicateType
}

func (d *downloads) serves(bundles ...[]byte) { d.bundles, d.status = bundles, 0 }

func (d *downloads) breaks(status int) { d.status = status }

// get runs the installer of the action at the tag.
func (d *downloads) get(t *testing.T) (file, out string, err error) {
	t.Helper()
	temp := t.TempDir()
	c := exec.CommandContext(t.Context(), "bash", filepath.Join(d.src.dir, "action", "install.sh"), "get")
	c.Env = []string{
		"PATH=" + d.bin + ":" + os.Getenv("PATH"), "RUNNER_TEMP=" + temp, "GITHUB_PATH=" + filepath.Join(temp, "path"),
		"PATCH_GIT_RELEASES=" + d.url, "MODE=report", "GH_TOKEN=a-token-of-a-job",
	}
	out, err = output(c)
	return filepath.Join(temp, "patch-git-bin", "patch-git"), out, err
}

func (d *downloads) installs(t *testing.T, name string) {
	t.Helper()
	before := d.asked
	file, out, err := d.get(t)
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
		return
	}
	if got := d.src.runs(t, d.src.dir, file, "version"); strings.TrimSpace(got) != "patch-git "+d.src.version || d.asked == before {
		t.Errorf("%s: it says %q; GitHub was asked: %v", name, got, d.asked > before)
	}
}

// refuses: nothing that could be run is left, and nothing is found by later steps.
// GitHub is asked about a file that has its digest, and about no other.
func (d *downloads) refuses(t *testing.T, name, says string) {
	t.Helper()
	before := d.asked
	file, out, err := d.get(t)
	if asked := d.asked > before; asked == strings.Contains(says, "release.env") {
		t.Errorf("%s: GitHub was asked: %v", name, asked)
	}
	if err == nil || !strings.Contains(out, "::error::patch-git: ") || !strings.Contains(out, says) {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
	files, _ := os.ReadDir(filepath.Dir(file))
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode()&0o111 != 0 {
			t.Errorf("%s: %s is left, %v", name, f.Name(), err)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(filepath.Dir(file)), "path")); err == nil {
		t.Errorf("%s: later steps would find it", name)
	}
}
