package sandbox_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var writeTable = flag.Bool("table", false, "write the table of docs/sandbox.md")

// results are what the table is made of: what the controls saw, and a cell for
// each attempt in each column that could be tried.
type results struct {
	control map[string]string
	cells   map[string]map[string]string
}

// The document, and the lines between which the table stands.
const (
	document   = "../../docs/sandbox.md"
	tableBegin = "<!-- escape suite: go test ./internal/sandbox -run TestEscape -table -->"
	tableEnd   = "<!-- end of the escape suite -->"
)

// table compares the document with the results, or writes them into it. What
// could not be tried here stays as it is.
func (r results) table(t *testing.T) {
	t.Helper()
	if len(r.cells) == 0 {
		t.Log("no column was tried")
		return
	}
	text, err := os.ReadFile(document)
	if os.IsNotExist(err) || os.IsPermission(err) {
		t.Logf("the table was not compared, its document is out of reach here: %v", err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(text), tableBegin+"\n")
	old, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the table", document)
	}
	is := readTable(old)
	for _, c := range slices.Sorted(maps.Keys(is.cells)) {
		if r.cells[c] == nil {
			t.Logf("not tried here: %s", c)
			r.cells[c] = is.cells[c]
		}
	}
	for name, seen := range is.control {
		// What a machine can show, and a user, differs. An effect that could
		// be shown anywhere stays; a new one waits for the table to be written.
		if here := r.control[name]; here != seen && (strings.HasPrefix(here, notHere) || strings.HasPrefix(seen, notHere) && !*writeTable) {
			t.Logf("control of %s: %s; elsewhere: %s", name, here, seen)
			r.control[name] = seen
		}
	}
	made := r.String()
	switch {
	case made == old:
	case *writeTable:
		if err := os.WriteFile(document, []byte(before+tableBegin+"\n"+made+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of %s is not what came out; go test ./internal/sandbox -run TestEscape -table\n%s", document, difference(old, made))
	}
}

// columns are in the order of the drivers, then of the users.
func (r results) columns() []string {
	return slices.SortedFunc(maps.Keys(r.cells), func(a, b string) int {
		return strings.Compare(columnKey(a), columnKey(b))
	})
}

func columnKey(c string) string {
	driver, user, _ := strings.Cut(c, ", ")
	rank := func(word string, among ...string) string {
		return fmt.Sprintf("%02d %s ", 1+slices.Index(among, word), word)
	}
	return rank(driver, "namespaces", "landlock") + rank(user, asUserColumn, asRootColumn, asRootedColumn)
}

// String is the table as it stands in the document: one for each group.
func (r results) String() string {
	var b strings.Builder
	columns := r.columns()
	for _, g := range groups {
		fmt.Fprintf(&b, "\n### %s\n\n| attempt | control |", g.title)
		for _, c := range columns {
			fmt.Fprintf(&b, " %s |", c)
		}
		b.WriteString("\n|---|---|" + strings.Repeat("---|", len(columns)) + "\n")
		for _, p := range g.probes {
			fmt.Fprintf(&b, "| %s<br>`%s` | %s |", p.tries, p.name, r.control[p.name])
			for _, c := range columns {
				fmt.Fprintf(&b, " %s |", r.cells[c][p.name])
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("\n")
	return b.String()
}

// readTable is the inverse of String.
func readTable(text string) results {
	r := results{control: map[string]string{}, cells: map[string]map[string]string{}}
	var columns []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
		if len(cells) < 2 {
			continue
		}
		_, name, ok := strings.Cut(cells[0], "<br>`")
		if !ok {
			columns = cells[2:]
			for _, c := range columns {
				if r.cells[c] == nil {
					r.cells[c] = map[string]string{}
				}
			}
			continue
		}
		name = strings.TrimSuffix(name, "`")
		r.control[name] = cells[1]
		for i, c := range columns {
			if i+2 < len(cells) {
				r.cells[c][name] = cells[i+2]
			}
		}
	}
	return r
}

// difference are the lines that one text has and the other has not.
func difference(is, want string) string {
	var b strings.Builder
	a, z := strings.Split(is, "\n"), strings.Split(want, "\n")
	for _, line := range a {
		if !slices.Contains(z, line) {
			b.WriteString("- " + line + "\n")
		}
	}
	for _, line := range z {
		if !slices.Contains(a, line) {
			b.WriteString("+ " + line + "\n")
		}
	}
	return b.String()
}

// TestTableIsRead writes a table and reads it again.
func TestTableIsRead(t *testing.T) {
	if raced {
		t.Skip("those on memory are left out under the race detector")
	}
	t.Parallel()
	r := results{control: map[string]string{}, cells: map[string]map[string]string{"namespaces, user": {}, "landlock, root": {}}}
	for i, p := range (cage{}).chosen() {
		r.control[p.name] = fmt.Sprint("control ", i)
		for c := range r.cells {
			r.cells[c][p.name] = fmt.Sprint(c, i)
		}
	}
	if again := readTable(r.String()); again.String() != r.String() || len(again.cells) != 2 || len(again.control) != len(r.control) {
		t.Errorf("what was written is not what was read:\n%s", difference(r.String(), again.String()))
	}
}
