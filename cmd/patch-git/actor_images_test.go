package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// image VAR FILE makes an image whose one program is a script, run by the shell of this
// machine, and a registry on loopback that serves it by digest and nothing else. VAR is
// set to its reference, and VAR_HOST to where that registry listens. With -swapped the
// registry serves other bytes than the reference says.
func image(ts *testscript.TestScript, neg bool, args []string) {
	swapped := len(args) > 0 && args[0] == "-swapped"
	if swapped {
		args = args[1:]
	}
	if neg || len(args) != 2 {
		ts.Fatalf("usage: image [-swapped] VAR FILE")
	}
	files := map[string][]byte{"srv/" + path.Base(args[1]): []byte(ts.ReadFile(args[1]))}
	for _, file := range shellFiles(ts) {
		data, err := os.ReadFile(file)
		ts.Check(err)
		files[strings.TrimPrefix(file, "/")] = data
	}
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	folders := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		for i, c := range name { // each folder, once: the engine makes its own for itself alone
			if dir := name[:i]; c == '/' && !folders[dir] {
				folders[dir] = true
				ts.Check(w.WriteHeader(&tar.Header{Name: dir + "/", Typeflag: tar.TypeDir, Mode: 0o755}))
			}
		}
		ts.Check(w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(data))}))
		_, err := w.Write(data)
		ts.Check(err)
	}
	ts.Check(w.Close())

	blobs := map[string][]byte{}
	keep := func(kind string, data []byte) map[string]any {
		sum := sha256.Sum256(data)
		digest := "sha256:" + hex.EncodeToString(sum[:])
		blobs[digest] = data
		return map[string]any{"mediaType": "application/vnd.docker." + kind, "size": len(data), "digest": digest}
	}
	const diff = "image.rootfs.diff.tar"
	content := keep(diff, layer.Bytes())
	config := keep("container.image.v1+json", document(ts, map[string]any{
		"architecture": runtime.GOARCH, "os": "linux", "config": map[string]any{"User": "65534:65534", "Entrypoint": []string{"/srv/" + path.Base(args[1])}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []any{content["digest"]}},
	}))
	const manifestType = "distribution.manifest.v2+json"
	whole := keep(manifestType, document(ts, map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.docker." + manifestType, "config": config, "layers": []any{content},
	}))

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v2/" {
			return
		}
		data, ok := blobs[path.Base(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.Contains(r.URL.Path, "/manifests/") {
			if swapped {
				data = append(bytes.Clone(data), '\n')
			}
			w.Header().Set("Content-Type", "application/vnd.docker."+manifestType)
			w.Header().Set("Docker-Content-Digest", path.Base(r.URL.Path))
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}))
	ts.Defer(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	reference := host + "/kit@" + whole["digest"].(string)
	ts.Setenv(args[0], reference)
	ts.Setenv(args[0]+"_HOST", host)
	ts.Defer(func() {
		_ = exec.Command("docker", "--host", "unix:///var/run/docker.sock", "image", "rm", "--force", reference).Run()
	})
}

func document(ts *testscript.TestScript, v any) []byte {
	data, err := json.Marshal(v)
	ts.Check(err)
	return data
}

// shellFiles are the shell of this machine and what it is linked with, where the linker
// looks for them.
func shellFiles(ts *testscript.TestScript) []string {
	out, err := exec.Command("ldd", "/bin/sh").Output()
	ts.Check(err)
	return append(regexp.MustCompile(`/\S+`).FindAllString(string(out), -1), "/bin/sh")
}

// dockerAnswers tells whether there is a docker to try containers with, in the lane
// that is for it.
func dockerAnswers() bool {
	return os.Getenv("PATCH_GIT_CONTAINER_TESTS") != "" && exec.Command("docker", "--host", "unix:///var/run/docker.sock", "version").Run() == nil
}
