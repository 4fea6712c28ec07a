package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Every package's initialisation is paid by every start of the program. The
// budget is for all of them together, and a small one for our own, so that an
// expression or a table that is compiled at start-up shows up here and not as
// a slow command months later.
const (
	initBudget    = 8 * time.Millisecond
	ownInitBudget = 500 * time.Microsecond
	startTries    = 12
)

var initLine = regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock`)

// realProgram is where the program as it is released lies.
func realProgram(t *testing.T) string {
	t.Helper()
	built, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	return built.path
}

// initTrace starts the program with the runtime's own trace of initialisation:
// for each package its name and how long it took.
func initTrace(t *testing.T, program string) [][]string {
	t.Helper()
	cmd := exec.Command(program, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	trace := initLine.FindAllStringSubmatch(stderr.String(), -1)
	if trace == nil {
		t.Fatalf("no trace in\n%s", stderr.String())
	}
	return trace
}

// TestInitBudget adds up what a start pays before main: of each package the
// fastest of several starts, because on a busy machine something is interrupted
// in each of them.
func TestInitBudget(t *testing.T) {
	program := realProgram(t)
	fastest := map[string]time.Duration{}
	for range startTries {
		for _, m := range initTrace(t, program) {
			clock, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			d := time.Duration(clock * float64(time.Millisecond))
			if old, seen := fastest[m[1]]; !seen || d < old {
				fastest[m[1]] = d
			}
		}
	}
	var total, own time.Duration
	var slow []string
	for name, d := range fastest {
		total += d
		if strings.HasPrefix(name, "github.com/patch-cat/patch-git") {
			own += d
		}
		if d > 100*time.Microsecond {
			slow = append(slow, name+" "+d.String())
		}
	}
	slices.Sort(slow)
	t.Logf("initialisation %v, our own packages %v (%s)", total, own, strings.Join(slow, ", "))
	if total > initBudget {
		t.Errorf("initialisation takes %v, the budget is %v: %s", total, initBudget, strings.Join(slow, ", "))
	}
	if own > ownInitBudget {
		t.Errorf("our own packages take %v to initialise, the budget is %v", own, ownInitBudget)
	}
}

// TestDeadMethods asks the linker whether something in the program looks up
// methods by names that it cannot know. If so it keeps every exported method
// of every type, and what they call: by a fifth more program, which every
// start maps and every run starts twice.
func TestDeadMethods(t *testing.T) {
	built, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(built.deps, "\n")
	if len(lines) < 1000 {
		t.Fatalf("the linker told no dependencies:\n%s", built.deps)
	}
	for _, line := range lines {
		if from, _, found := strings.Cut(line, "<ReflectMethod>"); found {
			t.Fatalf("methods are looked up by reflection: %s", from)
		}
	}
}
