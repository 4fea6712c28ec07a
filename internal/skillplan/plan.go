package skillplan

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// Runner runs jobs; [sandbox.Sandbox] is one.
type Runner interface {
	Run(ctx context.Context, job sandbox.Job) (sandbox.Outcome, error)
}

// Request is what a plan is made of.
type Request struct {
	Tool   *spec.Tool                  // of format skill
	Root   string                      // the folder of SKILL.md, absolute
	Dir    string                      // cwd, absolute
	Inputs []Given                     // in the order of the command line
	Env    []Given                     // beside the environment
	Lookup func(string) (string, bool) // the environment
	Box    func() (Runner, error)      // opened only where a command is to be asked for its version
}

// Given is a name and its value as somebody typed them.
type Given struct{ Name, Value string }

// Rule is the number of one of the eight rules of validation [SK-39…46].
type Rule int

// Problem is one thing that speaks against running, or nothing more than a warning.
type Problem struct {
	Rule    Rule   `json:"rule"`
	Code    string `json:"code"` // a stable word
	Subject string `json:"subject,omitempty"`
	Message string `json:"message"`
	Untold  bool   `json:"untold,omitempty"` // nobody could tell
}

// Plan is what would run, and what speaks against it. No member holds a value that is
// sensitive: they are struck when the plan is made.
type Plan struct {
	Skill    string    `json:"skill"`
	Version  string    `json:"version,omitempty"`
	Edition  string    `json:"manifest_version,omitempty"` // "" declares nothing, and nothing is checked
	Root     string    `json:"skill_root"`
	RepoRoot string    `json:"repo_root,omitempty"`
	Dir      string    `json:"cwd"`
	Inputs   []Input   `json:"inputs"`
	Env      []Env     `json:"env"`
	Commands []Command `json:"commands"`
	Files    []File    `json:"files"`
	Outputs  []Output  `json:"outputs"`
	Hints    Hints     `json:"hints"`
	Timeout  float64   `json:"timeout,omitempty"` // seconds
	Problems []Problem `json:"problems"`
	Warnings []Problem `json:"warnings"`

	request *Request
	values  map[string]json.RawMessage // of the inputs, as they are
	given   map[string]string          // of the environment, as it is
	outputs []target
	secrets []string
	eraser  *audit.Eraser
	bases   bases
}

// Input is one input of the plan.
type Input struct {
	Name      string          `json:"name"`
	Required  bool            `json:"required"`
	Sensitive bool            `json:"sensitive,omitempty"`
	From      string          `json:"from"`            // "given", "default" or "unset"
	Value     json.RawMessage `json:"value,omitempty"` // a mark where it is sensitive
}

// Env is one environment variable; its value is in no plan.
type Env struct {
	Name      string `json:"name"`
	Required  bool   `json:"required"`
	Sensitive bool   `json:"sensitive,omitempty"`
	Set       bool   `json:"set"`
}

// Command is a program that must be there.
type Command struct {
	Cmd     string `json:"cmd"`
	Path    string `json:"path,omitempty"`
	Min     string `json:"min_version,omitempty"`
	Max     string `json:"max_version,omitempty"`
	Version string `json:"version,omitempty"` // what it said, where it was asked
}

// File is a file that must be there.
type File struct {
	Path string         `json:"path"`
	Base spec.SkillBase `json:"base"`
	Is   string         `json:"is,omitempty"` // the absolute path
}

// Output is a file that the skill says it makes.
type Output struct {
	Path   string         `json:"path"` // with the values of inputs in it
	Base   spec.SkillBase `json:"base"`
	Is     string         `json:"is,omitempty"`
	Exists bool           `json:"exists,omitempty"` // it is there already
}

// Hints are what the author says of the skill; nothing holds it to them.
type Hints struct {
	Idempotent  bool `json:"idempotent"`
	Destructive bool `json:"destructive"`
	Network     bool `json:"network"`
	Interactive bool `json:"interactive"`
	Sensitive   bool `json:"sensitive"`
}

// Make makes the plan. The error is that of a request that is none; what speaks
// against running is in the plan.
func Make(ctx context.Context, r Request) (*Plan, error) {
	if r.Tool == nil || r.Tool.Skill == nil {
		return nil, fault.New(fault.Usage, "no_skill", "this is no skill")
	}
	s := r.Tool.Skill
	p := &Plan{
		Skill: s.Name, Version: string(r.Tool.Version), Edition: s.ManifestVersion, Root: r.Root, Dir: r.Dir,
		Inputs: []Input{}, Env: []Env{}, Commands: []Command{}, Files: []File{}, Outputs: []Output{}, Problems: []Problem{}, Warnings: []Problem{},
		Hints: Hints{
			Idempotent: s.Execution.Idempotent, Destructive: s.Execution.Destructive, Network: s.Execution.Network,
			Interactive: s.Execution.Interactive, Sensitive: s.Sensitive,
		},
		Timeout: s.Execution.Timeout,
		request: &r, values: map[string]json.RawMessage{}, given: map[string]string{},
	}
	p.bases = bases{skill: r.Root, dir: r.Dir, repo: RepoRoot(r.Dir)}
	p.RepoRoot = p.bases.repo
	p.inputs()
	p.environment()
	p.eraser = audit.NewEraser(p.secrets)
	if err := p.commands(ctx); err != nil {
		return nil, err
	}
	p.files()
	p.produced()
	p.hints()
	p.order()
	p.strike()
	return p, nil
}

// OK tells whether nothing speaks against running.
func (p *Plan) OK() bool { return len(p.Problems) == 0 }

// Err is nil where the plan is OK. It is of kind Findings where something says no, and
// Unavailable where nobody could tell and nothing says no.
func (p *Plan) Err() error {
	no := slices.IndexFunc(p.Problems, func(b Problem) bool { return !b.Untold })
	switch {
	case p.OK():
		return nil
	case no >= 0:
		e := fault.New(fault.Findings, p.Problems[no].Code, "%d problem(s) speak against running %s; nothing ran", len(p.Problems), spec.Quote(p.Skill))
		if slices.ContainsFunc(p.Problems, func(b Problem) bool { return b.Code == "missing_input" }) {
			return e.Hint("--input NAME=VALUE gives a value")
		}
		return e
	}
	return fault.New(fault.Unavailable, p.Problems[0].Code, "nobody could tell whether %s can run; nothing ran", spec.Quote(p.Skill))
}

// Strike puts marks in the place of sensitive values and their encodings.
func (p *Plan) Strike(text string) string { return p.eraser.Text(text) }

func (p *Plan) problem(rule Rule, code, subject, message string) {
	p.Problems = append(p.Problems, Problem{Rule: rule, Code: code, Subject: subject, Message: message})
}

func (p *Plan) untold(rule Rule, code, subject, message string) {
	p.Problems = append(p.Problems, Problem{Rule: rule, Code: code, Subject: subject, Message: message, Untold: true})
}

func (p *Plan) warn(rule Rule, code, subject, message string) {
	p.Warnings = append(p.Warnings, Problem{Rule: rule, Code: code, Subject: subject, Message: message})
}

// hints are put before whoever runs the skill.
func (p *Plan) hints() {
	if p.Edition == "" {
		p.warn(2, "legacy", "", "the skill has no manifest_version, so nothing was checked")
		return
	}
	if p.Hints.Destructive {
		p.warn(5, "destructive", "", "by the hint of its author the skill changes or deletes what is there")
	}
	if p.Hints.Interactive {
		p.warn(5, "interactive", "", "by the hint of its author the skill asks a person while it runs")
	}
}

// order sorts by rule and leaves what one rule found in the order of the manifest.
func (p *Plan) order() {
	byRule := func(a, b Problem) int { return int(a.Rule - b.Rule) }
	slices.SortStableFunc(p.Problems, byRule)
	slices.SortStableFunc(p.Warnings, byRule)
}

// strike takes sensitive values out of everything that the plan says.
func (p *Plan) strike() {
	for i := range p.Outputs {
		p.Outputs[i].Path, p.Outputs[i].Is = p.Strike(p.Outputs[i].Path), p.Strike(p.Outputs[i].Is)
	}
	for _, list := range [][]Problem{p.Problems, p.Warnings} {
		for i := range list {
			list[i].Message = p.Strike(list[i].Message)
		}
	}
}

// limit is how long what runs under the plan may take.
func (p *Plan) limit(otherwise time.Duration) time.Duration {
	if p.Timeout > 0 {
		return time.Duration(p.Timeout * float64(time.Second))
	}
	return otherwise
}
