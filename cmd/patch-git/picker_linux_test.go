package main

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/patch-cat/patch-git/internal/picker/ptytest"
)

// sitting is a program at a terminal with a person before it.
type sitting struct {
	*ptytest.Pty
	t   *testing.T
	cmd *exec.Cmd
}

// sit starts a command at a terminal of that size. NO_COLOR and TERM are as a
// person has them, unless the test says something else.
func (h *household) sit(columns, rows int, env []string, args ...string) *sitting {
	h.t.Helper()
	s := &sitting{ptytest.Open(h.t, columns, rows), h.t, h.command(args...)}
	s.cmd.Env = append(append(s.cmd.Env, "TERM=xterm", "NO_COLOR="), env...)
	s.Start(s.cmd)
	return s
}

// sees waits until all texts are on the screen.
func (s *sitting) sees(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		s.Until(s.t, text, func(t *ptytest.Terminal) bool { return strings.Contains(t.Text(), text) })
	}
}

// ends waits for the end of the program and checks that the terminal is as it
// was: the picker leaves nothing on the page, no mode, and nothing is raw.
func (s *sitting) ends(code int) {
	s.t.Helper()
	err := s.cmd.Wait()
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else if err != nil {
		s.t.Fatal(err)
	}
	if got != code {
		s.t.Errorf("exit code %d, want %d; the screen:\n%s", got, code, s.Text())
	}
	// What was written last may still be on its way.
	s.Until(s.t, "the first page", func(t *ptytest.Terminal) bool {
		return !t.Mode("1049") && t.Mode("7") && t.Mode("25") && !t.Mode("2004")
	})
	if s.Raw() {
		s.t.Error("the terminal is left raw")
	}
	if p := s.Problems(); len(p) > 0 {
		s.t.Errorf("problems: %q", p)
	}
}

// has checks what is installed.
func (h *household) has(tools ...string) {
	h.t.Helper()
	var got []string
	for name, versions := range h.installed() {
		for _, v := range versions {
			got = append(got, name+"@"+v)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, tools) {
		h.t.Errorf("installed are %v, want %v", got, tools)
	}
}

// TestPicker plays a person who looks for a tool, points at it and pulls it.
func TestPicker(t *testing.T) {
	h := newHousehold(t, "echo_text@1.0.0", "case_text@1.0.0", "all_kinds@1.0.0", "read_text@1.0.0")
	s := h.sit(80, 24, nil, "search")
	s.sees("1 of 4", "> all_kinds 1.0.0", "  read_text 1.0.0", "reads files", "esc leave")
	if !s.Raw() || !s.Mode("1049") || !s.Mode("2004") || s.Colors() == 0 {
		t.Error("the terminal was not taken over, or has no colour")
	}
	s.Type("\x1b[B")
	s.sees("2 of 4", "> case_text 1.0.0", "patch-git pull case_text")
	s.Type("echo")
	s.sees("> echo ", "> echo_text 1.0.0", "patch-git pull echo_text", `matched name "echo"`, "by local · patch · ", "no network, no files", "no access", "inputs")
	s.Type("\r")
	s.ends(0)
	s.sees("installed echo_text@1.0.0 from demo/tools", "may use   no network, no files")
	h.has("echo_text@1.0.0")

	// Letters of a name in their order, which no word begins with.
	s = h.sit(80, 24, nil, "search")
	s.sees("1 of 4")
	s.Type("cxt")
	s.sees("> case_text")
	s.Type("\x1b")
	s.ends(0)
	if strings.TrimSpace(s.Text()) != "" {
		t.Errorf("who leaves sees\n%s", s.Text())
	}

	// Ctrl-C, and the end of the program from elsewhere, give the terminal back.
	s = h.sit(80, 24, nil, "search")
	s.sees("1 of 4")
	s.Type("\x03")
	s.ends(130)
	s = h.sit(80, 24, nil, "search")
	s.sees("1 of 4")
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.ends(130)
	h.has("echo_text@1.0.0")
}

// TestPickerFits: sizes of terminals, and a change of it while the list is shown.
func TestPickerFits(t *testing.T) {
	h := newHousehold(t, "echo_text@1.0.0", "case_text@1.0.0", "all_kinds@1.0.0")
	s := h.sit(80, 16, []string{"NO_COLOR=1"}, "search", "--pick", "upper", "case")
	s.sees("> upper case", "> case_text", strings.Repeat("─", 80))
	s.Size(140, 40)
	s.sees(" │ ")
	s.Size(40, 10)
	s.Until(t, "one column", func(t *ptytest.Terminal) bool { return !strings.ContainsAny(t.Text(), "│─") })
	s.sees("> case_text")
	s.Type("\t") // the card in place of the list
	s.sees("patch-git pull case_text")
	s.Size(20, 5)
	s.Size(200, 60)
	s.sees("by local")
	if s.Colors() != 0 {
		t.Error("colour in spite of NO_COLOR")
	}
	s.Type("\x1b")
	s.ends(0)
	h.has()
}

// TestPickerAsks: what `pull` asks is asked here, too, and is answered by what
// is typed then: not by what was typed before the question stood there.
func TestPickerAsks(t *testing.T) {
	h := newHousehold(t, "echo_text@1.0.0", "echo_text@2.0.0")
	h.must("pull", "echo_text@1.0.0")
	for _, tt := range []struct {
		keys, answer string
		code         int
		installed    []string
	}{
		{"\r", "n\r", 5, []string{"echo_text@1.0.0"}},
		{"\ry\r", "\r", 5, []string{"echo_text@1.0.0"}},
		{"\r", "y\r", 0, []string{"echo_text@1.0.0", "echo_text@2.0.0"}},
	} {
		s := h.sit(120, 24, nil, "search", "--pick")
		s.sees("> echo_text 2.0.0", "network")
		s.Type(tt.keys)
		s.sees("Install it? [y/N]")
		h.has("echo_text@1.0.0")
		s.Type(tt.answer)
		s.ends(tt.code)
		h.has(tt.installed...)
	}
}

// TestPickerOnlyForPeople: words, flags and whatever is no terminal make a list.
func TestPickerOnlyForPeople(t *testing.T) {
	h := newHousehold(t, "echo_text@1.0.0", "case_text@1.0.0")
	for _, tt := range []struct {
		args []string
		env  []string
	}{
		{[]string{"search", "text"}, nil},
		{[]string{"search", "--plain"}, nil},
		{[]string{"search", "--limit", "5"}, nil},
		{[]string{"search", "--facets"}, nil},
		{[]string{"search"}, []string{"TERM=dumb"}},
	} {
		s := h.sit(80, 24, tt.env, tt.args...)
		s.ends(0)
		s.sees("case_text 1.0.0", "  patch-git pull echo_text")
	}
	pipe, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	defer other.Close()
	for what, set := range map[string]func(*exec.Cmd, *strings.Builder){
		"stdin":  func(c *exec.Cmd, _ *strings.Builder) { c.Stdin = pipe },
		"stdout": func(c *exec.Cmd, out *strings.Builder) { c.Stdout = out },
	} {
		s := &sitting{ptytest.Open(t, 80, 24), t, h.command("search")}
		s.cmd.Env = append(s.cmd.Env, "TERM=xterm", "NO_COLOR=")
		var out strings.Builder
		set(s.cmd, &out)
		s.Start(s.cmd)
		s.ends(0)
		if s.cmd.Stdin == pipe {
			s.sees("case_text 1.0.0")
		} else if !strings.Contains(out.String(), "\ncase_text 1.0.0\n") && !strings.HasPrefix(out.String(), "case_text 1.0.0\n") {
			t.Errorf("%s: stdout is %q", what, out.String())
		}
	}
	// Who asks for it where it cannot be is told so.
	for _, args := range [][]string{{"search", "--pick"}, {"search", "--pick", "--json"}, {"search", "--pick", "--limit", "3"}} {
		if code, out, talk := h.play(args...); code != 2 || out != "" || !strings.Contains(talk, "--pick") {
			t.Errorf("%v: exit code %d, %q, %q", args, code, out, talk)
		}
	}
	if got := slices.Collect(maps.Keys(h.installed())); len(got) > 0 {
		t.Errorf("installed are %v", got)
	}
}
