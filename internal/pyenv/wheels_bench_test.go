package pyenv

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// BenchmarkWheels makes environments of the wheels in the folder that
// PATCH_GIT_BENCH_WHEELS names, from a server on loopback, and tells how long
// each step takes. What it writes stays until its end. PATCH_GIT_BENCH_RIVAL is a
// command that installs the same wheels, which is timed in turns with it.
func BenchmarkWheels(b *testing.B) {
	files, _ := filepath.Glob(filepath.Join(os.Getenv("PATCH_GIT_BENCH_WHEELS"), "*.whl"))
	if len(files) == 0 {
		b.Skip("PATCH_GIT_BENCH_WHEELS names no folder of wheels")
	}
	served := map[string]string{}
	var wheels []ledger.Wheel
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		w := ledger.Wheel{Name: "a", Version: "1", File: filepath.Base(file), URL: "https://127.0.0.1:1/a", SHA256: spec.DigestOf(data), Size: int64(len(data))}
		served["/"+w.SHA256.Hex()+"/"+w.File] = file
		wheels = append(wheels, w)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, served[r.URL.Path]) }))
	b.Cleanup(server.Close)
	p := real(b)
	in, err := p.Find(b.Context(), "3.12", true)
	if err != nil {
		b.Skip(err)
	}
	rival := os.Getenv("PATCH_GIT_BENCH_RIVAL")
	var fetched, merged, compiled, whole, theirs time.Duration
	for b.Loop() {
		if rival != "" {
			start := time.Now()
			if out, err := exec.CommandContext(b.Context(), rival).CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
			theirs += time.Since(start)
		}
		p.host.Paths = paths.Paths{Root: b.TempDir()}
		opt := InstallOptions{Mirrors: []string{server.URL}}
		start := time.Now()
		if err := p.fetchWheels(b.Context(), wheels, opt); err != nil {
			b.Fatal(err)
		}
		fetched += time.Since(start)
		env := Env{Key: envKey(in, wheels)}
		env.Dir = filepath.Join(p.host.Paths.Envs(), env.Key.Hex())
		err := p.stage(env.Dir, func(dir string) error {
			start := time.Now()
			if err := p.merge(wheels, dir); err != nil {
				return err
			}
			merged += time.Since(start)
			start = time.Now()
			defer func() { compiled += time.Since(start) }()
			return p.compileTree(b.Context(), in, dir, env.Dir)
		})
		if err != nil {
			b.Fatal(err)
		}
		whole += time.Since(start)
	}
	for name, d := range map[string]time.Duration{"unpacked-ms": fetched, "linked-ms": merged, "compiled-ms": compiled, "whole-ms": whole, "rival-ms": theirs} {
		b.ReportMetric(float64(d.Milliseconds())/float64(b.N), name)
	}
}
