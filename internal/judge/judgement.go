package judge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Outcome is what follows of a judgement. The zero value is none.
type Outcome string

// The outcomes, from best to worst.
const (
	Pass       Outcome = "pass"
	NeedsHuman Outcome = "needs_human"
	Fail       Outcome = "fail"
)

// Judgement is what a model said of a release, without a word of its own.
type Judgement struct {
	Material spec.Digest `json:"material"` // what was judged
	Outcome  Outcome     `json:"outcome"`
	Failures []Failure   `json:"failures,omitempty"` // sorted
	Findings []Finding   `json:"findings,omitempty"` // sorted by unit, line and code
	Model    string      `json:"model,omitempty"`    // as configured
	Prompts  spec.Digest `json:"prompts"`
	Requests int         `json:"requests"` // that were made
}

// newJudgement is one that says nothing yet, which is no yes.
func newJudgement(m *Material) *Judgement {
	return &Judgement{Material: m.Digest(), Outcome: NeedsHuman}
}

func (j *Judgement) failed(f Failure) *Judgement {
	if !slices.Contains(j.Failures, f) {
		j.Failures = append(j.Failures, f)
		slices.Sort(j.Failures)
	}
	return j
}

// combine makes the outcome of all answers. tasks is how many there should be.
func (j *Judgement) combine(all []told, units, tasks int) {
	answers := make([][]answer, units)
	asked := 0
	for _, t := range all {
		switch {
		case t.err != nil:
			// What was given up for another failure has none of its own.
			if fault.KindOf(t.err) != fault.Interrupted {
				j.failed(FailureOf(t.err))
			}
		case t.at < 0:
			asked++
			if (t.answer.verdict == Clean) == t.bad {
				j.failed(Canary)
			}
		default:
			asked++
			answers[t.at] = append(answers[t.at], t.answer)
		}
	}
	if asked != tasks && len(j.Failures) == 0 {
		j.failed(Unreachable)
	}
	if slices.Contains(j.Failures, Canary) {
		return // a model that cannot tell these cannot tell the others
	}
	for i, two := range answers {
		j.weigh(i, two)
	}
	slices.SortFunc(j.Findings, func(a, b Finding) int {
		return cmp.Or(a.Unit-b.Unit, a.Line-b.Line, cmp.Compare(a.Code, b.Code))
	})
	j.Findings = slices.Compact(j.Findings)
	j.Outcome = j.follows()
}

// weigh takes the worse of the verdicts over a unit. That one question found it
// malicious and the other one clean is no agreement, and for a person to settle.
func (j *Judgement) weigh(unit int, answers []answer) {
	objects, malicious := 0, false
	for _, a := range answers {
		if a.verdict != Clean {
			objects++
		}
		malicious = malicious || a.verdict == Malicious
	}
	if objects == 0 {
		return
	}
	verdict := Suspicious
	if malicious && objects == wordings {
		verdict = Malicious
	}
	for _, a := range answers {
		for _, f := range a.findings {
			f.Unit, f.Verdict = unit, verdict
			j.Findings = append(j.Findings, f)
		}
	}
}

// follows is the outcome of what is written in a judgement.
func (j *Judgement) follows() Outcome {
	switch {
	case slices.ContainsFunc(j.Findings, func(f Finding) bool { return f.Verdict == Malicious }):
		return Fail
	case len(j.Findings)+len(j.Failures) > 0:
		return NeedsHuman
	}
	return Pass
}

// Encode returns the canonical bytes of a judgement.
func (j *Judgement) Encode() []byte { return ledger.Encode(j) }

// Parse reads a judgement of the material, in the very bytes of
// [Judgement.Encode]. It is written in a job that has a key and talks to the
// world, and read in one that merges, so that it is held against the material
// once more and against itself: a pass has neither finding nor failure, asked
// about every unit and about the known texts, and names the model and the
// questions. Anything else is NotVerified "judgement".
func Parse(data []byte, m *Material) (*Judgement, error) {
	no := func(what string) (*Judgement, error) {
		return nil, fault.New(fault.NotVerified, "judgement", "the judgement %s", what)
	}
	if len(data) > limits.Review {
		return no("is too long")
	}
	j := &Judgement{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(j); err != nil {
		return no("is not readable")
	}
	units, why := m.Units()
	switch {
	case !bytes.Equal(j.Encode(), data):
		return no("is not in canonical form")
	case j.Material != m.Digest():
		return no("is about something else")
	case j.Outcome != j.follows():
		return no("says two things")
	case slices.ContainsFunc(j.Failures, func(f Failure) bool { return !slices.Contains(failures, f) }):
		return no("has an unknown failure")
	case why != "" && len(j.Failures) == 0, j.Requests < 0, j.Requests > limits.JudgeRequests:
		return no("counts what was not asked")
	case j.Outcome == Pass && (j.Requests != len(units)*wordings+canaries || j.Model == "" || j.Prompts != Prompts()):
		return no("passes what was not asked about")
	case len(j.Model) > limits.JudgeModel || !printable(j.Model):
		return no("names no model")
	}
	for _, f := range j.Findings {
		if f.Unit < 0 || f.Unit >= len(units) || !slices.Contains(codes, f.Code) || f.Verdict != Suspicious && f.Verdict != Malicious {
			return no("has a finding that none can be")
		}
		if _, ok := units[f.Unit].quoted(f.Line); !ok {
			return no("has a finding at a line that is not there")
		}
	}
	return j, nil
}
