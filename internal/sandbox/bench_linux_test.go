package sandbox_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

const hello = "import json,sys\nprint(json.dumps({'hello': json.load(sys.stdin)}))\n"

// BenchmarkHello runs the same tool bare and in every driver, one after the
// other in every round, so that whatever else the machine does meets all of
// them alike. It reports medians in milliseconds.
//
//	go test -run '^$' -bench Hello -benchtime 100x ./internal/sandbox
func BenchmarkHello(b *testing.B) {
	job := tool(b, hello)
	dir := realTemp(b)
	source := filepath.Join(dir, "tool.py")
	if err := os.WriteFile(source, []byte(hello), 0o644); err != nil {
		b.Fatal(err)
	}
	bare := func() error {
		cmd := exec.Command(job.Argv[0], append(slices.Clone(job.Argv[1:len(job.Argv)-1]), source)...)
		cmd.Env = job.Env
		cmd.Stdin = bytes.NewReader([]byte("{}"))
		_, err := cmd.Output()
		return err
	}
	kinds := []struct {
		name string
		run  func() error
	}{{"bare", bare}}
	var warmed *sandbox.Sandbox
	warm := func() {}
	if bwrap, err := exec.LookPath("bwrap"); err == nil {
		// What bwrap alone costs, which limits nothing and filters no calls.
		argv := []string{"--unshare-all", "--die-with-parent", "--clearenv", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind", source, "/tmp/tool.py"}
		for _, m := range job.Mounts {
			argv = append(argv, "--ro-bind", m.Source, m.Target)
		}
		for _, name := range []string{"lib", "lib64"} {
			if to, err := os.Readlink("/" + name); err == nil {
				argv = append(argv, "--symlink", to, "/"+name)
			}
		}
		argv = append(append(argv, "--"), job.Argv...)
		kinds = append(kinds, struct {
			name string
			run  func() error
		}{"bwrap-alone", func() error {
			cmd := exec.Command(bwrap, argv...)
			cmd.Stdin = bytes.NewReader([]byte("{}"))
			_, err := cmd.Output()
			return err
		}})
	}
	drivers := []string{"namespaces", "landlock", "bubblewrap"}
	if demanded("container") {
		drivers = append(drivers, "container")
	}
	for _, driver := range drivers {
		s, err := sandbox.Open(b.Context(), sandbox.Options{Now: time.Now, Driver: driver, Temp: dir})
		if err != nil {
			b.Logf("%s is not measured: %v", driver, err)
			continue
		}
		kinds = append(kinds, struct {
			name string
			run  func() error
		}{driver, func() error { _, err := s.Run(b.Context(), job); return err }})
		if driver == "namespaces" {
			warmed = s
		}
	}
	if warmed != nil {
		// What a command gains that calls Warm before it verifies, or a server
		// after each run: the pause stands for that work and is not counted.
		waiting := job
		waiting.Stdin, waiting.StdinFile, waiting.Late = []byte("{}"), "", true
		defer warmed.Close()
		kinds = append(kinds, struct {
			name string
			run  func() error
		}{"warm", func() error { _, err := warmed.Run(b.Context(), waiting); return err }})
		warm = func() { warmed.Warm(waiting) }
	}
	took := make([][]time.Duration, len(kinds))
	for b.Loop() {
		for i, k := range kinds {
			if k.name == "warm" {
				warm()
				time.Sleep(100 * time.Millisecond)
			}
			began := time.Now()
			if err := k.run(); err != nil {
				b.Fatalf("%s: %v", k.name, err)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	for i, k := range kinds {
		slices.Sort(took[i])
		b.ReportMetric(float64(took[i][len(took[i])/2].Microseconds())/1000, k.name+"-ms")
	}
}
