package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
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
	startTries    = 12 // the fastest counts: the machine may be busy
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

// TestInitBudget adds up what a start pays before main.
func TestInitBudget(t *testing.T) {
	program := realProgram(t)
	best, bestOwn := time.Hour, time.Hour
	slowest := ""
	for range startTries {
		var total, own time.Duration
		var lines []string
		for _, m := range initTrace(t, program) {
			clock, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			d := time.Duration(clock * float64(time.Millisecond))
			total += d
			if strings.HasPrefix(m[1], "github.com/patch-cat/patch-git") {
				own += d
			}
			if d > 100*time.Microsecond {
				lines = append(lines, m[1]+" "+d.String())
			}
		}
		if total < best {
			best, slowest = total, strings.Join(lines, ", ")
		}
		bestOwn = min(bestOwn, own)
	}
	t.Logf("initialisation %v, our own packages %v (%s)", best, bestOwn, slowest)
	if best > initBudget {
		t.Errorf("initialisation takes %v, the budget is %v: %s", best, initBudget, slowest)
	}
	if bestOwn > ownInitBudget {
		t.Errorf("our own packages take %v to initialise, the budget is %v", bestOwn, ownInitBudget)
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
