package pyenv

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

const helloTool = "import json, sys\nargs = json.load(sys.stdin)\nprint(json.dumps({'hello': args['name']}))\n"

// TestSpeed compares, interleaved, the sandboxed run of a prepared tool with
// the bare interpreter, and times a warm search. The bound is loose because
// the machine may be busy; the numbers are in the log (-v).
func TestSpeed(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement")
	}
	p := real(t)
	in, err := p.Find(t.Context(), "3.12", false)
	if err != nil {
		in = anyPython(t, p)
	}
	g, err := p.Prepare(t.Context(), in, []byte(helloTool))
	if err != nil {
		t.Fatal(err)
	}
	args := []byte(`{"name": "world"}`)
	tool := t.TempDir() + "/tool.py"
	if err := os.WriteFile(tool, []byte(helloTool), 0o600); err != nil {
		t.Fatal(err)
	}
	rounds := 11
	if os.Getenv("PATCH_GIT_MEASURE") != "" {
		rounds = 51
	}
	names := []string{"bare", "sandboxed source", "sandboxed", "find", "prepare"}
	times := map[string][]time.Duration{}
	plain := *g
	plain.launch = nil
	for range rounds {
		for _, name := range names {
			start := time.Now()
			switch name {
			case "bare":
				cmd := exec.CommandContext(t.Context(), in.Path, "-I", tool)
				cmd.Stdin = strings.NewReader(string(args))
				if out, err := cmd.Output(); err != nil || string(out) != "{\"hello\": \"world\"}\n" {
					t.Fatal(string(out), err)
				}
			case "sandboxed", "sandboxed source":
				program := g
				if name != "sandboxed" {
					program = &plain
				}
				out, err := p.box.Run(t.Context(), program.Job(Call{Args: args}))
				if err != nil || string(out.Stdout) != "{\"hello\": \"world\"}\n" {
					t.Fatal(string(out.Stdout), string(out.Stderr), err)
				}
			case "find":
				if _, err := p.Find(t.Context(), in.Minor(), false); err != nil {
					t.Fatal(err)
				}
			case "prepare":
				if _, err := p.Prepare(t.Context(), in, []byte(helloTool)); err != nil {
					t.Fatal(err)
				}
			}
			times[name] = append(times[name], time.Since(start))
		}
	}
	median := map[string]time.Duration{}
	for _, name := range names {
		slices.Sort(times[name])
		median[name] = times[name][len(times[name])/2]
		t.Logf("%-17s median %v, best %v", name, median[name].Round(10*time.Microsecond), times[name][0].Round(10*time.Microsecond))
	}
	if median["sandboxed"] > 3*median["bare"]+20*time.Millisecond {
		t.Errorf("got %v for a sandboxed run and %v for a bare one", median["sandboxed"], median["bare"])
	}
}
