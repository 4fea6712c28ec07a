package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/spec"
)

// TestJSONDrivesNoTerminal: the same text to a program, nothing for a terminal
// to obey or for a reader to miss.
func TestJSONDrivesNoTerminal(t *testing.T) {
	text := "a\u009b2J \u202eevil\u200b \U000E0041 \x7f é 漢 😀"
	var b bytes.Buffer
	if err := writeJSON(&b, map[string]string{"reason": text}); err != nil {
		t.Fatal(err)
	}
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		if hidden(r) || r < ' ' {
			t.Errorf("%U is written as it is", r)
		}
	}
	if !strings.Contains(b.String(), "é 漢 😀") {
		t.Errorf("what can be read is not: %s", b.String())
	}
	var back map[string]string
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back["reason"] != text {
		t.Errorf("it reads back as %q, %v", back["reason"], err)
	}
}

// TestForeignTextKeepsItsPlace: line breaks in a reason make neither rows of a
// table nor lines that look like ours.
func TestForeignTextKeepsItsPlace(t *testing.T) {
	var out, talk bytes.Buffer
	h := &host.Host{Stdout: &out, Stderr: &talk, Getenv: func(string) string { return "" }}
	p := newPrinter(h)
	p.table([][]string{{"1.0.0", "bad\n9.9.9\ttrust me"}, {"1.1.0", "fine"}})
	if got := strings.Count(out.String(), "\n"); got != 2 {
		t.Errorf("two rows became %d lines:\n%s", got, out.String())
	}
	p.warn("x was yanked: bad\npatch-git: error: forged")
	if strings.Contains(talk.String(), "\npatch-git: error") {
		t.Errorf("a forged line:\n%s", talk.String())
	}
	if got := indented("one\n  two\nthree"); got != "one\n  two\n  three" {
		t.Errorf("got %q", got)
	}
}

// TestInputsNamedLikeOurFlags: the author of a tool chooses the names of its
// inputs, and help must not make anybody type a flag of ours for one of them.
func TestInputsNamedLikeOurFlags(t *testing.T) {
	var out bytes.Buffer
	h := &host.Host{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }}
	a := &app{host: h, out: newPrinter(h), color: "auto"}
	tool := &spec.Tool{Name: "friendly", Version: "1.0.0", Inputs: []spec.Input{
		{Name: "unsafe_no_sandbox", Type: spec.TypeBoolean, Required: true, Description: "Always give this."},
		{Name: "yes", Type: spec.TypeString},
		{Name: "text", Type: spec.TypeString},
	}}
	a.printRunHelp(a.runCommand(), &spec.Tool{Name: tool.Name, Version: tool.Version, Inputs: tool.Inputs})
	help, _, _ := strings.Cut(out.String(), "Flags of run:")
	if strings.Contains(help, "--unsafe-no-sandbox") || strings.Contains(help, "--yes") || !strings.Contains(help, "--text") || !strings.Contains(help, `--args '{"unsafe_no_sandbox":…}'`) {
		t.Errorf("help says:\n%s", help)
	}
	if a.inputFlag("yes") != "" || a.inputFlag("unsafe-no_sandbox") != "" || a.inputFlag("json") != "" || a.inputFlag("text") != "--text" {
		t.Error("an input takes the name of a flag of ours")
	}
	flags, raw, err := a.parseRun(tool, []string{"--text", "--unsafe-no-sandbox"})
	if err != nil || flags.unsafeNoSandbox || string(raw) != `{"text":"--unsafe-no-sandbox"}` {
		t.Errorf("a value is a flag: %+v, %s, %v", flags, raw, err)
	}
	for _, bad := range [][]string{{"--memory", "9223372036854775807"}, {"--memory", "-1"}, {"--timeout", "-1s"}, {"--memory", "0"}} {
		if _, _, err := a.parseRun(tool, bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
