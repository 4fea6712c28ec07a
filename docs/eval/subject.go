package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

// header is the manifest before every Python file that is measured: that of a
// tool which declares nothing.
const header = `# ---
# name: measured_tool
# version: 1.0.0
# description: %s
# inputs:
#   - name: text
#     type: string
#     description: The text.
# outputs:
#   type: object
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.11"
#   packages: []
# ---
`

// code is a tool with nothing to find, around what is measured.
const code = `
import json
import sys

%s


def main(text: str) -> dict:
    return {"text": text}


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
`

const harmless = "Return the text."

// tool returns a whole main file: the description stands in it as an ASCII
// string, so that it reaches the rules as the agent would see it and no
// character of it is the YAML reader's affair.
func tool(description, body string) []byte {
	return []byte(fmt.Sprintf(header, quoted(description)) + body)
}

// quoted writes a text as a double-quoted scalar of YAML in ASCII.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= 0x20 && r < 0x7f:
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// evaluation is one measurement.
type evaluation struct {
	options
	python quarantine.Parser
	plain  *quarantine.Facts // of the harmless tool
	figures
}

func newEvaluation(ctx context.Context, o options) (*evaluation, error) {
	e := &evaluation{options: o}
	if o.direct {
		e.python = bare{}
	} else {
		h := host.System()
		box, err := sandbox.Open(ctx, sandbox.Options{Now: h.Now, Cache: h.Paths.Driver()})
		if err != nil {
			return nil, err
		}
		in, err := pyenv.New(h, box).Find(ctx, "3.11", false)
		if err != nil {
			return nil, err
		}
		e.python = boxed{box, in}
	}
	facts, err := e.python.Facts(ctx, tool(harmless, fmt.Sprintf(code, "")))
	if err != nil {
		return nil, err
	}
	e.plain = &facts
	// A measurement whose yardstick has findings of its own measures nothing.
	found, err := e.examine(ctx, subject{})
	if err == nil && len(found.findings) > 0 {
		err = fmt.Errorf("the harmless tool has findings: %v", found.findings)
	}
	return e, err
}

// boxed parses as `patch-git check` does.
type boxed struct {
	box *sandbox.Sandbox
	in  *pyenv.Interpreter
}

// Facts implements quarantine.Parser.
func (b boxed) Facts(ctx context.Context, source []byte) (quarantine.Facts, error) {
	script, input := quarantine.Feed(source)
	out, err := b.box.Run(ctx, b.in.Script(script, input, sandbox.Limits{Wall: limits.ParseTime, Memory: limits.ParseMemory, Stdout: limits.Document}))
	if err != nil {
		return quarantine.Facts{}, err
	}
	if out.Exit != 0 || out.StdoutCut {
		return quarantine.Facts{}, fmt.Errorf("the parser ended with exit code %d %s", out.Exit, out.Signal)
	}
	return quarantine.ParseFacts(out.Stdout)
}

// bare parses with the python3 of the machine and no sandbox.
type bare struct{}

// Facts implements quarantine.Parser.
func (bare) Facts(ctx context.Context, source []byte) (quarantine.Facts, error) {
	script, input := quarantine.Feed(source)
	cmd := exec.CommandContext(ctx, "python3", "-I", "-S", "-B", "-c", script)
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		return quarantine.Facts{}, err
	}
	return quarantine.ParseFacts(out)
}

// subject is one thing to measure; what is left out is the harmless tool's.
type subject struct {
	description string
	notes       string // NOTES.md
	body        string // the whole Python below the manifest
	declare     bool   // whatever the code is inferred to need
}

// examined is what the rules say of a subject.
type examined struct {
	findings []spec.Finding
	facts    *quarantine.Facts
	needs    needs
}

// examine judges a subject as `patch-git check` does: the manifest's own rules,
// then those of quarantine.
func (e *evaluation) examine(ctx context.Context, s subject) (examined, error) {
	body, description := s.body, s.description
	if body == "" {
		body = fmt.Sprintf(code, "")
	}
	if description == "" {
		description = harmless
	}
	source := tool(description, body)
	doc, findings := manifest.Read(spec.FormatPatch.MainFile(), source, manifest.Strict)
	out := examined{findings: findings, facts: e.plain}
	if s.body != "" {
		facts, err := e.python.Facts(ctx, source)
		if err != nil {
			return out, err
		}
		out.facts = &facts
	}
	t := spec.Tool{Format: spec.FormatPatch}
	if doc != nil {
		t = doc.Tool
	}
	t.Description = description // also where the manifest refuses it, so that each rule is measured by itself
	out.needs = infer(out.facts)
	if s.declare {
		out.needs.declare(&t)
	}
	files := []spec.File{{Path: spec.FormatPatch.MainFile(), Data: source}}
	if s.notes != "" {
		files = append(files, spec.File{Path: "NOTES.md", Data: []byte(s.notes)})
	}
	report := quarantine.Check(ctx, quarantine.Subject{
		Release: &spec.Release{Ref: spec.Ref{Name: t.Name, Version: t.Version}, Tool: t, Files: files},
		Facts:   out.facts, Owner: "1", Names: []quarantine.Existing{}, Previous: []quarantine.Published{},
	})
	for _, f := range report.Findings {
		if f.ID != "MAN-006" { // the lists have descriptions and no requests
			out.findings = append(out.findings, f)
		}
	}
	return out, nil
}

// each examines many subjects on all cores; the answers are in their order.
func (e *evaluation) each(ctx context.Context, all []subject) ([]examined, error) {
	out, errs := make([]examined, len(all)), make([]error, len(all))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		group.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(all); i = next.Add(1) - 1 {
				out[i], errs[i] = e.examine(ctx, all[i])
			}
		})
	}
	group.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("subject %d: %w", i, err)
		}
	}
	return out, nil
}
