package review_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

var (
	ada     = ledger.Owner{Login: "ada", ID: 7}     // owns csv_to_json
	bob     = ledger.Owner{Login: "bob", ID: 9}     // somebody
	root    = ledger.Owner{Login: "root", ID: 1}    // maintains the registry, by its policy
	pretend = ledger.Owner{Login: "ada", ID: 4_000} // took over a login
	clock   = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
)

const (
	baseSHA = "1111111111111111111111111111111111111111"
	headSHA = "2222222222222222222222222222222222222222"
	dir     = "tools/cs/csv_to_json/"
)

// scene is a pull request with all that is around it. It starts as one that is
// merged by itself.
type scene struct {
	s review.Submission
	b review.Base
	c review.Content
	p review.Policy
}

func (x *scene) judge() *review.Review {
	return review.Read(&x.s).Judge(&x.s, x.b, x.c, x.p, clock)
}

func file(path, data string) review.Change {
	return review.Change{Path: path, Status: review.Added, Mode: "100644", Data: []byte(data)}
}

func tool(version spec.Version) *spec.Tool {
	return &spec.Tool{
		Format: spec.FormatPatch, Name: "csv_to_json", Version: version, Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone, HumanConfirm: true},
		Runtime: spec.Runtime{Packages: []string{"attrs==1.0.0"}},
	}
}

// update is version 1.1.0 by the owner.
func update() *scene {
	return &scene{
		s: review.Submission{
			Number: 12, Base: baseSHA, Head: headSHA, Author: ada, Opened: clock.Add(-time.Hour), Merged: new(int),
			Changes: []review.Change{file(dir+"1.1.0/tool.py", "print(2)\n")},
		},
		b: review.Base{
			Known: true, Meta: review.Meta{Owners: []ledger.Owner{ada}}, Versions: []spec.Version{"0.9.0", "1.0.0"},
			Previous: "1.0.0", Was: tool("1.0.0"), Files: []spec.File{{Path: "tool.py", Data: []byte("print(1)\n")}},
		},
		c: review.Content{Tool: tool("1.1.0")},
		p: review.Policy{Maintainers: []ledger.Owner{root}, AutoMerge: true, NewNameWait: 72 * time.Hour, UpdatesPerDay: 10},
	}
}

// newName is version 1.0.0 of a name that the registry does not have, by bob,
// who waited long enough.
func newName() *scene {
	x := update()
	x.s.Author, x.s.HeadSince = bob, clock.Add(-73*time.Hour)
	x.b = review.Base{}
	x.c = review.Content{Tool: tool("1.0.0"), Meta: &review.Meta{Owners: []ledger.Owner{bob}}}
	x.s.Changes = []review.Change{file(dir+"1.0.0/tool.py", "print(1)\n"), file(dir+"tool.yaml", "owners:\n  - login: bob\n    id: 9\n")}
	return x
}

// yank is a change of tool.yaml by the owner, which yanks 1.0.0.
func yank() *scene {
	x := update()
	change := file(dir+"tool.yaml", "…")
	change.Status = review.Modified
	x.s.Changes = []review.Change{change}
	x.c = review.Content{Meta: &review.Meta{Owners: []ledger.Owner{ada}, Yanked: map[spec.Version]string{"1.0.0": "wrong quotes"}}}
	return x
}

// rules is a change of how the registry works, by a maintainer.
func rules() *scene {
	x := update()
	x.s.Author = root
	x.s.Changes = []review.Change{file("docs/rules.md", "x"), {Path: ".github/workflows/publish.yml", Status: review.Modified, Mode: "100644", Data: []byte("x")}}
	x.c = review.Content{}
	return x
}

func approve(by ledger.Owner) func(*scene) {
	return func(x *scene) { x.s.Approvals = append(x.s.Approvals, review.Approval{By: by}) }
}

func from(by ledger.Owner) func(*scene) { return func(x *scene) { x.s.Author = by } }

// with applies changes to a scene.
func (x *scene) with(changes ...func(*scene)) *scene {
	for _, c := range changes {
		c(x)
	}
	return x
}

// ids are the rules that found something of a severity.
func ids(r *review.Review, severity spec.Severity) string {
	var out []string
	for _, f := range r.Findings {
		if f.Severity == severity && !slices.Contains(out, f.ID) {
			out = append(out, f.ID)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// errorsAre fails unless just these rules refuse, "" for none.
func errorsAre(t *testing.T, r *review.Review, want string) {
	t.Helper()
	if got := ids(r, spec.SeverityError); got != want {
		t.Errorf("refused by %q, want %q: %v", got, want, r.Findings)
	}
	if refused := want != ""; refused != (r.Verdict == review.Fail) || refused && r.Merge != (review.Merge{Reason: review.ReasonFindings}) {
		t.Errorf("the verdict is %s, %+v", r.Verdict, r.Merge)
	}
	whole(t, r)
}

// whole fails unless the review is one that the next job can read.
func whole(t *testing.T, r *review.Review) {
	t.Helper()
	if _, err := review.Parse(r.Encode()); err != nil {
		t.Errorf("it cannot be read back: %v", err)
	}
	for _, f := range r.Findings {
		if f.Fix == "" || f.Message == "" {
			t.Errorf("a finding without a fix: %+v", f)
		}
	}
}
