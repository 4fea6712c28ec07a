package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bombs are bodies of tools, each within the size of a tool file, that cost a
// parser, a compiler or whoever folds constants more than they look like.
func bombs() map[string]string {
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	lines := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+"\n", i)
		}
		return b.String()
	}
	return map[string]string{
		"brackets":          "x = " + many("[", 100_000) + many("]", 100_000),
		"brackets of 90":    lines("x%d = "+many("[", 90)+many("]", 90), 1_000),
		"signs":             "x = " + many("-", 200_000) + "1",
		"nots":              "x = " + many("not ", 50_000) + "x",
		"attributes":        "def f(a):\n    return a" + many(".b", 100_000),
		"calls":             "def f(a):\n    return a" + many("()", 100_000),
		"subscripts":        "def f(a):\n    return a" + many("[0]", 60_000),
		"sums":              "x = 1" + many("+1", 100_000),
		"texts in a row":    "x = " + many(`"" `, 80_000),
		"texts joined":      `x = "a"` + many(`+"a"`, 60_000),
		"lambdas":           "x = " + many("lambda:", 30_000) + "1",
		"conditions":        "x = " + many("1 if 1 else ", 20_000) + "1",
		"elifs":             "def f(a):\n    if a: pass\n" + many("    elif a: pass\n", 12_000),
		"comprehensions":    "x = " + many("[", 2_000) + "0" + many(" for a in b]", 2_000),
		"long number":       "x = " + many("9", 250_000),
		"long hexadecimal":  "x = 0x" + many("f", 250_000),
		"long text":         `x = "` + many("a", 250_000) + `"`,
		"long name":         many("a", 250_000) + " = 1",
		"long comment":      "# " + many("a", 250_000),
		"one line":          "x = 1" + many("; x = 1", 35_000),
		"assignments":       many("a = 1\n", 40_000),
		"names":             lines("a%d = 1", 15_000),
		"imports":           lines("import a%d", 15_000),
		"functions":         lines("def f%d(): pass", 12_000),
		"classes":           lines("class C%d(C0): pass", 12_000),
		"decorators":        many("@a\n", 60_000) + "def f(): pass",
		"continued lines":   "x = 1 " + many("\\\n", 100_000),
		"open text":         `x = """` + many("a\n", 100_000),
		"indentation":       nestedIfs(95),
		"f-strings":         `x = f"` + many("{x}", 60_000) + `"`,
		"nested f-strings":  "x = " + many(`f"{`, 20_000) + "1" + many(`}"`, 20_000),
		"empty lines":       many("\n", 250_000),
		"blanks":            "x = 1" + many(" ", 250_000),
		"globals":           "def f():\n" + lines("    global a%d", 10_000),
		"arguments":         "def f(" + lines("a%d,", 15_000) + "): pass",
		"keywords":          "f(" + lines("a%d=1,", 15_000) + ")",
		"power":             "x = 9 ** 9 ** 9 ** 9",
		"shift":             "x = 1 << 10 ** 12",
		"repeated text":     `x = "a" * 10 ** 12`,
		"repeated tuple":    "x = (((1,) * 4096) * 4096) * 4096",
		"padded text":       `x = "%1000000000d" % 1`,
		"format":            `x = "{:>1000000000}".format(1)`,
		"doubled":           "a0 = \"x\" * 1000\n" + lines("a%d = a0 + a0", 60) + doubled(40),
		"joined":            `x = "".join(["a" * 1000] * 1000000)`,
		"replaced":          `x = "a".replace("", "b" * 1000).replace("b", "c" * 100000)`,
		"decoded":           `x = bytes.fromhex("` + many("00", 100_000) + `")`,
		"nested definition": nestedDefs(95),
		"clique":            clique(150),
		"texts of names":    many("x = f'{x}{x}{x}'\n", 12_000),
		"chain of lambdas":  lines("f%[1]d = lambda x: f%[1]d(x) or f0", 5_000),
		"names of itself":   "import os\nx = os\n" + many("x = x(x, x)\n", 15_000),
		"wide loops":        many("x = [chr(c) for c in range(9999)]\n", 150),
	}
}

// clique is n names each of which may be any of them.
func clique(n int) string {
	var all, b strings.Builder
	for i := range n {
		fmt.Fprintf(&all, " or a%d", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "a%d = os%s\n", i, all.String())
	}
	return "import os\n" + b.String()
}

func nestedIfs(depth int) string {
	var b strings.Builder
	for i := range depth {
		fmt.Fprintf(&b, "%sif x:\n", strings.Repeat(" ", i))
	}
	return b.String() + strings.Repeat(" ", depth) + "pass"
}

func nestedDefs(depth int) string { return strings.ReplaceAll(nestedIfs(depth), "if x:", "def f():") }

// doubled is a text of which each name is twice the one before.
func doubled(n int) string {
	b := "d0 = \"0123456789abcdef\"\n"
	for i := range n {
		b += fmt.Sprintf("d%d = d%d + d%d\n", i+1, i, i)
	}
	return b + fmt.Sprintf("exec(d%d)", n)
}

// TestCheckIsBounded: whatever a tool holds, a check of it ends with an exit code
// for a verdict, within the time and the memory that a whole check may take. The
// time is the processor's, because the clock depends on who else is here.
func TestCheckIsBounded(t *testing.T) {
	haveProgram(t)
	const mostCPU, mostMemory, mostOwn = 5 * time.Second, 2500 << 10, 200 << 10 // KiB
	home := t.TempDir()
	template := filepath.Join(t.TempDir(), "t.py")
	if out, err := program(t, home, "new", "word_count", "-o", template).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(template)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), "\nimport sys\n")
	if !ok {
		t.Fatalf("the template has no line to put a bomb behind: %s", data)
	}
	if out, err := program(t, home, "check", template).CombinedOutput(); err != nil {
		t.Skipf("this machine cannot check: %s", out)
	}
	t.Run("bombs", func(t *testing.T) {
		all := bombs()
		for i, name := range slices.Sorted(maps.Keys(all)) {
			if i%4 > 0 && os.Getenv("PATCH_GIT_HOSTILE_TOOLS") == "" {
				continue // the lane of hostile tools plays all of them
			}
			body := all[name]
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "tool.py")
				if err := os.WriteFile(file, []byte(head+"\nimport sys\n"+body+"\n"+rest), 0o600); err != nil {
					t.Fatal(err)
				}
				cmd := program(t, home, "check", file)
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				own := watchMemory(cmd.Process.Pid)
				_ = cmd.Wait()
				state := cmd.ProcessState
				if code := state.ExitCode(); code != 0 && code != 3 && code != 7 {
					t.Errorf("exit code %d: %.1000s", code, out.String())
				}
				if cpu := state.UserTime() + state.SystemTime(); cpu > mostCPU {
					t.Errorf("it took %s of the processor: %.300s", cpu, out.String())
				}
				t.Logf("%s of the processor, %d MiB in one process", state.UserTime()+state.SystemTime(), maxMemory(state)>>10)
				if m := maxMemory(state); m > mostMemory {
					t.Errorf("a process had %d KiB", m)
				}
				if m := <-own; m > mostOwn {
					t.Errorf("the program itself had %d KiB", m)
				}
			})
		}
	})
}

func program(t *testing.T, home string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "patch-git", args...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "PATCH_GIT_HOME="+home)
	return cmd
}

// watchMemory tells the most that a process held, in KiB, once it is gone.
func watchMemory(pid int) <-chan int64 {
	out := make(chan int64, 1)
	go func() {
		var most int64
		for {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			_, peak, found := strings.Cut(string(status), "VmHWM:")
			if err != nil || !found { // gone, or gone but for its exit code
				out <- most
				return
			}
			peak, _, _ = strings.Cut(strings.TrimSpace(peak), " ")
			if n, err := strconv.ParseInt(peak, 10, 64); err == nil {
				most = max(most, n)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return out
}

// maxMemory is the most that the process or one that it waited for held, in KiB.
func maxMemory(state *os.ProcessState) int64 {
	return state.SysUsage().(*syscall.Rusage).Maxrss
}
