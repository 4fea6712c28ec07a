package contribute

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/patch-cat/patch-git/internal/judge"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Material is what a model is shown of a submission. It is gathered where the
// sources are, and judged where the key is.
func (w *Workshop) Material(ctx context.Context, s review.Submission) (*judge.Material, error) {
	o := review.Read(&s)
	if o.Kind != review.KindRelease || o.Files == nil {
		return judge.Collect(nil, nil, nil), nil
	}
	return w.material(ctx, o.Files)
}

// material is that of a proposed release.
func (w *Workshop) material(ctx context.Context, files []spec.File) (*judge.Material, error) {
	tool := manifestOf(files)
	if tool == nil || tool.Name == "" || tool.Version == "" {
		return judge.Collect(nil, nil, nil), nil
	}
	release := &spec.Release{Ref: spec.Ref{Name: tool.Name, Version: tool.Version}, Tool: *tool, Files: files}
	facts, err := quarantine.Inspect(ctx, parser{w, tool.Runtime.PythonVersion, len(tool.Runtime.Packages) > 0}, release)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	inferred := []string{"nobody could tell"}
	if tool.Format != spec.FormatPatch {
		inferred = []string{"it has no code of its own that was looked at"}
	}
	if err == nil && facts != nil {
		inferred = inferredOf(facts, tool.Runtime.Packages)
	}
	return judge.Collect(tool, files, inferred), nil
}

// inferredOf says in our words what the syntax tells of a source. The names that
// it found stay out: they are the author's.
func inferredOf(f *quarantine.Facts, packages []string) []string {
	inferred := quarantine.Infer(f, packages)
	out := []string{}
	for c := range inferred.Uses {
		out = append(out, string(c))
	}
	slices.Sort(out)
	if n := len(inferred.Unclassified); n > 0 {
		out = append(out, fmt.Sprintf("%d modules of which nobody knows what they can do", n))
	}
	return out
}

// Judge asks the model that the environment configures about material. An error
// is one of the configuration, or that somebody stopped it; that the model could
// not tell is in the judgement.
func (w *Workshop) Judge(ctx context.Context, m *judge.Material) (*judge.Judgement, error) {
	j, err := w.model()
	if err != nil {
		return nil, err
	}
	return j.Run(ctx, m)
}

// model is the configured one.
func (w *Workshop) model() (*judge.Judge, error) {
	c, err := judge.Configured(w.host.Getenv)
	if err != nil {
		return nil, err
	}
	j := judge.New(c, w.host.HTTP)
	j.Say = w.warn
	return j, nil
}

// judgeFindings is how many findings of a model are listed.
const judgeFindings = 40

// judgedFindings says a judgement as findings, in our words and with the lines as
// the files have them.
func judgedFindings(m *judge.Material, j *judge.Judgement) []spec.Finding {
	rules := map[string]quarantine.Rule{}
	for _, r := range quarantine.Rules() {
		rules[r.ID] = r
	}
	var out []spec.Finding
	add := func(id string, severity spec.Severity, file string, line int, format string, args ...any) {
		r := rules[id]
		f := spec.Finding{ID: id, Severity: severity, File: file, Line: line, Message: fmt.Sprintf(format, args...) + "; " + r.Why, Fix: r.Fix}
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	units, _ := m.Units()
	for _, f := range j.Findings {
		if f.Unit < 0 || f.Unit >= len(units) {
			continue // a judgement that was read has none
		}
		u := units[f.Unit]
		id := map[judge.UnitKind]string{judge.UnitFields: "LLM-001", judge.UnitProse: "LLM-002", judge.UnitCode: "LLM-003"}[u.Kind]
		severity := spec.SeverityWarning
		if f.Verdict == judge.Malicious {
			severity = spec.SeverityError
		}
		file, line := m.Place(u, f.Line)
		add(id, severity, file, line, "a model says that this %s: %s", f.Code.Words(), spec.Quote(u.Text(f.Line)))
	}
	slices.SortStableFunc(out, func(a, b spec.Finding) int { // errors first, so that none is cut for a warning
		return rankOf(a) - rankOf(b)
	})
	if left := len(out) - judgeFindings; left > 0 {
		cut := out[judgeFindings]
		cut.File, cut.Line, cut.Message = "", 0, fmt.Sprintf("%d more findings of the model are not listed; %s", left, rules[cut.ID].Why)
		out = append(out[:judgeFindings], cut)
	}
	for _, why := range j.Failures {
		add("LLM-004", spec.SeverityWarning, "", 0, "%s", why.Words())
	}
	return out
}

// JudgeFindings says a judgement of a release as findings about its folder, and
// marks those that a maintainer of the registry in dir let pass: of this version,
// in these bytes, by the waivers of its base.
func (w *Workshop) JudgeFindings(dir string, r *review.Review, m *judge.Material, j *judge.Judgement) ([]spec.Finding, error) {
	found := judgedFindings(m, j)
	tree, err := registry.OpenTree(dir)
	if err != nil {
		return nil, err
	}
	given, unread, err := w.waivers(tree, r.Name)
	if err != nil {
		return nil, err
	}
	for _, f := range unread { // then nothing is let pass
		w.warn("the registry's own " + f.File + " is not readable")
	}
	release := &spec.Release{Ref: spec.Ref{Name: r.Name, Version: r.Version}}
	for _, t := range m.Files {
		release.Files = append(release.Files, spec.File{Path: t.Path, Data: []byte(t.Text)})
	}
	quarantine.Waive(release, found, given)
	for i := range found {
		if found[i].File != "" {
			found[i].File = path.Join(r.Folder(), found[i].File)
		}
	}
	return found, nil
}

func rankOf(f spec.Finding) int {
	if f.Severity == spec.SeverityError {
		return 0
	}
	return 1
}

// Judged is what a model makes of a proposed release before anybody proposes it.
type Judged struct {
	Outcome  judge.Outcome   `json:"outcome"`
	Failures []judge.Failure `json:"failures"`
	Findings []spec.Finding  `json:"findings"`
	Model    string          `json:"model,omitempty"`
	Prompts  string          `json:"prompts,omitempty"`
	Requests int             `json:"requests"`
}

// JudgeFile asks the configured model about a main file, or about a folder that
// is laid out like a version directory, as a registry would.
func (w *Workshop) JudgeFile(ctx context.Context, path string) (*Judged, error) {
	files, err := readRelease(path, w.Format)
	if err != nil {
		return nil, err
	}
	m, err := w.material(ctx, files)
	if err != nil {
		return nil, err
	}
	j, err := w.Judge(ctx, m)
	if err != nil {
		return nil, err
	}
	out := &Judged{Outcome: j.Outcome, Failures: append([]judge.Failure{}, j.Failures...), Findings: append([]spec.Finding{}, judgedFindings(m, j)...), Model: j.Model, Requests: j.Requests}
	if j.Model != "" {
		out.Prompts = j.Prompts.Hex()
	}
	spec.SortFindings(out.Findings)
	return out, nil
}
