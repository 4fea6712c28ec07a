package review_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

func finding(id string, severity spec.Severity) func(*scene) {
	return func(x *scene) {
		x.c.Findings = append(x.c.Findings, spec.Finding{ID: id, Severity: severity, File: "tool.py", Message: "seen", Fix: "mend it"})
	}
}

// TestDecision: what is merged without a person, and what is not though only
// one thing differs.
func TestDecision(t *testing.T) {
	owners := func(o ...ledger.Owner) func(*scene) {
		return func(x *scene) { x.c.Meta = &review.Meta{Owners: o} }
	}
	merged := func(n int) func(*scene) { return func(x *scene) { x.s.Merged = &n } }
	object := func(a review.Approval) func(*scene) {
		return func(x *scene) { x.s.Objections = []review.Approval{a} }
	}
	since := func(d time.Duration) func(*scene) { return func(x *scene) { x.s.HeadSince = clock.Add(-d) } }
	for name, c := range map[string]struct {
		of      func() *scene
		but     []func(*scene)
		verdict review.Verdict
		auto    bool
		reason  review.Reason
		wait    time.Duration // from the clock; 0 is none
	}{
		"an update by the owner":     {of: update, verdict: review.Pass, auto: true, reason: review.ReasonUpdate},
		"a yank by the owner":        {of: yank, verdict: review.Pass, auto: true, reason: review.ReasonWithdrawal},
		"a yank by a maintainer":     {yank, []func(*scene){from(root)}, review.Pass, true, review.ReasonWithdrawal, 0},
		"a yank that none counted":   {yank, []func(*scene){func(x *scene) { x.s.Merged = nil }}, review.Pass, true, review.ReasonWithdrawal, 0},
		"a revocation by the owner":  {yank, []func(*scene){func(x *scene) { x.c.Meta.Revoked, x.c.Meta.Yanked = x.c.Meta.Yanked, nil }}, review.Pass, true, review.ReasonWithdrawal, 0},
		"a new name that waited":     {newName, nil, review.Pass, true, review.ReasonWaited, -time.Hour},
		"a note":                     {update, []func(*scene){finding("X-001", spec.SeverityNote)}, review.Pass, true, review.ReasonUpdate, 0},
		"a remark":                   {update, []func(*scene){func(x *scene) { x.c.Remarks = []string{"another Python"} }}, review.Pass, true, review.ReasonUpdate, 0},
		"a harmless warning":         {update, []func(*scene){finding("MAIN-003", spec.SeverityWarning), finding("MAN-412", spec.SeverityWarning)}, review.Pass, true, review.ReasonUpdate, 0},
		"the last of the day":        {update, []func(*scene){merged(9)}, review.Pass, true, review.ReasonUpdate, 0},
		"an objection of a stranger": {update, []func(*scene){object(review.Approval{By: bob})}, review.Pass, true, review.ReasonUpdate, 0},

		"an error":                                     {update, []func(*scene){finding("PY-002", spec.SeverityError)}, review.Fail, false, review.ReasonFindings, 0},
		"an error of unknown severity":                 {update, []func(*scene){finding("PY-002", "fatal")}, review.Fail, false, review.ReasonFindings, 0},
		"an error that a maintainer approved":          {update, []func(*scene){finding("PY-002", spec.SeverityError), approve(root)}, review.Fail, false, review.ReasonFindings, 0},
		"a warning":                                    {update, []func(*scene){finding("TXT-004", spec.SeverityWarning)}, review.NeedsHuman, false, review.ReasonWarnings, 0},
		"a warning of an unknown rule":                 {update, []func(*scene){finding("NEW-001", spec.SeverityWarning)}, review.NeedsHuman, false, review.ReasonWarnings, 0},
		"a warning that was approved":                  {update, []func(*scene){finding("TXT-004", spec.SeverityWarning), approve(root)}, review.Pass, false, review.ReasonWarnings, 0},
		"approved by nobody who may":                   {update, []func(*scene){finding("TXT-004", spec.SeverityWarning), approve(bob)}, review.NeedsHuman, false, review.ReasonWarnings, 0},
		"approved by a login":                          {update, []func(*scene){finding("TXT-004", spec.SeverityWarning), approve(ledger.Owner{Login: "root"})}, review.NeedsHuman, false, review.ReasonWarnings, 0},
		"a near name":                                  {newName, []func(*scene){finding("MAN-002", spec.SeverityWarning)}, review.NeedsHuman, false, review.ReasonNearName, 0},
		"something unchecked":                          {update, []func(*scene){func(x *scene) { x.c.Unchecked = []string{"all of it"} }}, review.NeedsHuman, false, review.ReasonUnchecked, 0},
		"more permissions":                             {update, []func(*scene){func(x *scene) { x.c.Tool.Capabilities.Network = true }}, review.NeedsHuman, false, review.ReasonGrown, 0},
		"more permissions, approved":                   {update, []func(*scene){func(x *scene) { x.c.Tool.Capabilities.Network = true }, approve(root)}, review.Pass, false, review.ReasonGrown, 0},
		"more permissions, by the owner who maintains": {update, []func(*scene){func(x *scene) { x.c.Tool.Capabilities.Network, x.s.Maintainer = true, true }}, review.Pass, false, review.ReasonGrown, 0},
		"nothing to compare with":                      {update, []func(*scene){func(x *scene) { x.b.Was, x.b.Previous = nil, "" }}, review.NeedsHuman, false, review.ReasonGrown, 0},

		"a draft":                                {update, []func(*scene){func(x *scene) { x.s.Draft = true }}, review.Pass, false, review.ReasonDraft, 0},
		"held":                                   {update, []func(*scene){func(x *scene) { x.s.Labels = []string{"x", "Hold"} }}, review.Pass, false, review.ReasonHeld, 0},
		"an objection of a maintainer":           {update, []func(*scene){object(review.Approval{By: root})}, review.Pass, false, review.ReasonObjection, 0},
		"of who may write":                       {update, []func(*scene){object(review.Approval{By: bob, Maintainer: true})}, review.Pass, false, review.ReasonObjection, 0},
		"of an owner":                            {update, []func(*scene){object(review.Approval{By: ada})}, review.Pass, false, review.ReasonObjection, 0},
		"an update that the owner only approved": {update, []func(*scene){from(bob), approve(ada)}, review.Pass, false, review.ReasonNotOwner, 0},
		"a yank that the owner only approved":    {yank, []func(*scene){from(bob), approve(ada)}, review.Pass, false, review.ReasonNotOwner, 0},
		"one too many":                           {update, []func(*scene){merged(10)}, review.Pass, false, review.ReasonTooMany, 0},
		"less than none":                         {update, []func(*scene){merged(-1)}, review.Pass, false, review.ReasonTooMany, 0},
		"none a day":                             {update, []func(*scene){func(x *scene) { x.p.UpdatesPerDay = 0 }}, review.Pass, false, review.ReasonTooMany, 0},
		"nobody counted":                         {update, []func(*scene){func(x *scene) { x.s.Merged = nil }}, review.Pass, false, review.ReasonUncounted, 0},
		"the policy says no":                     {update, []func(*scene){func(x *scene) { x.p.AutoMerge = false }}, review.Pass, false, review.ReasonOff, 0},
		"the policy says no to a yank":           {yank, []func(*scene){func(x *scene) { x.p.AutoMerge = false }}, review.Pass, false, review.ReasonOff, 0},
		"an unyank":                              {yank, []func(*scene){func(x *scene) { x.b.Meta.Yanked = map[spec.Version]string{"0.9.0": "x"} }}, review.Pass, false, review.ReasonMeta, 0},
		"a deprecation":                          {yank, []func(*scene){func(x *scene) { x.c.Meta.Deprecated = "old" }}, review.Pass, false, review.ReasonMeta, 0},
		"another reason":                         {yank, []func(*scene){func(x *scene) { x.b.Meta.Yanked = map[spec.Version]string{"1.0.0": "x"} }}, review.Pass, false, review.ReasonMeta, 0},
		"a comment":                              {yank, []func(*scene){owners(ada)}, review.Pass, false, review.ReasonMeta, 0},
		"a transfer":                             {yank, []func(*scene){owners(bob), approve(bob), since(24 * time.Hour)}, review.NeedsHuman, false, review.ReasonTransfer, 6 * 24 * time.Hour},
		"a transfer that was approved":           {yank, []func(*scene){owners(bob), approve(bob), approve(root), since(24 * time.Hour)}, review.Pass, false, review.ReasonTransfer, 6 * 24 * time.Hour},
		"a transfer with a yank":                 {yank, []func(*scene){func(x *scene) { x.c.Meta.Owners = []ledger.Owner{ada, bob} }, approve(bob)}, review.NeedsHuman, false, review.ReasonTransfer, 7 * 24 * time.Hour},
		"rules by a maintainer":                  {rules, nil, review.Pass, false, review.ReasonGovernance, 0},
		"a rule that was not read":               {rules, []func(*scene){func(x *scene) { x.s.Changes[0].Refused = "a link" }}, review.Pass, false, review.ReasonGovernance, 0},
		"a new name":                             {newName, []func(*scene){func(x *scene) { x.p.NewNameWait = 0 }}, review.Pass, false, review.ReasonNewName, 0},
		"a new name that waits":                  {newName, []func(*scene){since(71 * time.Hour)}, review.Pass, false, review.ReasonWaits, time.Hour},
		"a head that nobody saw before":          {newName, []func(*scene){func(x *scene) { x.s.HeadSince, x.s.Opened = time.Time{}, clock.Add(-999*time.Hour) }}, review.Pass, false, review.ReasonWaits, 72 * time.Hour},
		"a head from the future":                 {newName, []func(*scene){since(-999 * time.Hour)}, review.Pass, false, review.ReasonWaits, 72 * time.Hour},
		"a new name too many":                    {newName, []func(*scene){merged(10)}, review.Pass, false, review.ReasonTooMany, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.of().with(c.but...).judge()
			if r.Verdict != c.verdict || r.Merge.Auto != c.auto || r.Merge.Reason != c.reason {
				t.Errorf("it is %s, %+v, want %s, %v because of %s: %v", r.Verdict, r.Merge, c.verdict, c.auto, c.reason, r.Findings)
			}
			switch {
			case c.wait == 0 && r.Merge.After != nil:
				t.Errorf("it waits until %s", r.Merge.After)
			case c.wait != 0 && (r.Merge.After == nil || !r.Merge.After.Equal(clock.Add(c.wait))):
				t.Errorf("it waits until %v, want %s", r.Merge.After, clock.Add(c.wait))
			}
			whole(t, r)
		})
	}
}

// TestUnreadRules: what governs is for a maintainer to read, who is told what
// nobody read here.
func TestUnreadRules(t *testing.T) {
	x := rules().with(func(x *scene) { x.s.Changes[0].Refused = "a link" })
	if got := ids(x.judge(), spec.SeverityWarning); got != "GOV-003" {
		t.Errorf("found %q", got)
	}
	if got := ids(rules().judge(), spec.SeverityWarning); got != "" {
		t.Errorf("the twin: found %q", got)
	}
}

// TestZero: what nobody filled in refuses.
func TestZero(t *testing.T) {
	x := &scene{}
	if r := x.judge(); r.Verdict != review.Fail || r.Merge.Auto {
		t.Errorf("got %+v", r)
	}
	x = update()
	x.p = review.Policy{}
	if r := x.judge(); r.Merge.Auto {
		t.Errorf("the zero policy merges: %+v", r.Merge)
	}
	x = update()
	x.b = review.Base{}
	if r := x.judge(); r.Verdict != review.Fail {
		t.Errorf("the zero base passes: %+v", r.Merge)
	}
	if r := (&review.Review{}).With("", ""); r.Verdict == review.Pass || r.Merge.Auto {
		t.Errorf("the zero review became %+v", r)
	}
}

// TestGrown: what counts as asking for more, and the same the other way round,
// which does not.
func TestGrown(t *testing.T) {
	ext := func(value string) func(*spec.Tool) {
		return func(x *spec.Tool) { x.Extensions = map[string]json.RawMessage{"x-destructive": []byte(value)} }
	}
	for name, c := range map[string]struct {
		change func(*spec.Tool)
		line   string
		back   string // what taking it back is, "" for nothing
	}{
		"network":            {func(x *spec.Tool) { x.Capabilities.Network = true }, "network: no → yes", ""},
		"reading files":      {func(x *spec.Tool) { x.Capabilities.Filesystem = spec.FilesystemReadOnly }, "filesystem: none → read-only", ""},
		"writing files":      {func(x *spec.Tool) { x.Capabilities.Filesystem = spec.FilesystemReadWrite }, "filesystem: none → read-write", ""},
		"files nobody knows": {func(x *spec.Tool) { x.Capabilities.Filesystem = "all" }, "filesystem: none → all", ""},
		"no confirmation":    {func(x *spec.Tool) { x.Capabilities.HumanConfirm = false }, "human_confirm: yes → no", ""},
		"an account":         {func(x *spec.Tool) { x.ExternalAuth = []string{"github.repo"} }, "account: none → github.repo", ""},
		"a package":          {func(x *spec.Tool) { x.Runtime.Packages = append(x.Runtime.Packages, "evil==1.0.0") }, "package: none → evil==1.0.0", ""},
		"an extra":           {func(x *spec.Tool) { x.Runtime.Packages = []string{"attrs[all]==1.0.0"} }, "package: none → attrs[all]==1.0.0", "package: none → attrs==1.0.0"},
		"a newer package":    {func(x *spec.Tool) { x.Runtime.Packages = []string{"ATTRS==2.0.0"} }, "", ""},
		"tainted data":       {func(x *spec.Tool) { x.Inputs = []spec.Input{{Name: "a", TaintedOK: true}} }, "input a takes tainted data: no → yes", ""},
		"tainted data for an action": {func(x *spec.Tool) {
			x.Operations = []spec.Operation{{Name: "act", Effects: spec.EffectsRead, Input: []byte(`{"type":"object","properties":{"a":{"type":"string","x-tainted-ok":true}}}`)}}
		}, "input a of action act takes tainted data: no → yes", ""},
		"an action that reads": {func(x *spec.Tool) {
			x.Operations = []spec.Operation{{Name: "act", Effects: spec.EffectsRead, Input: []byte(`{"type":"object","properties":{"a":{"type":"string"}}}`)}}
		}, "", ""},
		"an input":    {func(x *spec.Tool) { x.Inputs = []spec.Input{{Name: "a"}} }, "", ""},
		"destructive": {ext("true"), "x-destructive: none → true", "x-destructive: true → none"},
		"another key": {func(x *spec.Tool) { x.Extensions = map[string]json.RawMessage{"x-colour": []byte("1")} }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, way := range []struct {
				was, is bool
				want    string
			}{{false, true, c.line}, {true, false, c.back}, {true, true, ""}} {
				x := update()
				if way.was {
					c.change(x.b.Was)
				}
				if way.is {
					c.change(x.c.Tool)
				}
				r := x.judge()
				if got := strings.Join(r.Grown, "\n"); got != way.want {
					t.Errorf("%v to %v: it grew by %q, want %q", way.was, way.is, got, way.want)
				}
				if grew := way.want != ""; grew == r.Merge.Auto || grew != (ids(r, spec.SeverityWarning) == "CAP-006") {
					t.Errorf("%v to %v: %+v, %v", way.was, way.is, r.Merge, r.Findings)
				}
				whole(t, r)
			}
		})
	}
}

// TestGrownBeyondTheHighest: a version that asked for less and was withdrawn
// still counts.
func TestGrownBeyondTheHighest(t *testing.T) {
	x := update()
	x.b.Was.Capabilities.Network, x.c.Tool.Capabilities.Network = true, true
	if r := x.judge(); !r.Merge.Auto {
		t.Errorf("the twin: %+v", r.Merge)
	}
	x.b.Highest = tool("1.0.1")
	if r := x.judge(); r.Merge.Reason != review.ReasonGrown || !slices.Equal(r.Grown, []string{"network: no → yes"}) {
		t.Errorf("got %+v, %q", r.Merge, r.Grown)
	}
}

var outcomes = []review.Outcome{"", "else", review.OutcomePass, review.OutcomeNeedsHuman, review.OutcomeFail, review.OutcomeAbsent, review.OutcomePending}

func TestWith(t *testing.T) {
	required := func(x *scene) { x.p.JudgeRequired = true }
	for name, c := range map[string]struct {
		of           func() *scene
		but          []func(*scene)
		judge, trial review.Outcome
		verdict      review.Verdict
		auto         bool
		reason       review.Reason
	}{
		"both content":                      {update, nil, review.OutcomePass, review.OutcomePass, review.Pass, true, review.ReasonUpdate},
		"neither there":                     {update, nil, review.OutcomeAbsent, review.OutcomeAbsent, review.Pass, true, review.ReasonUpdate},
		"a judge that the policy wants":     {update, []func(*scene){required}, review.OutcomePass, review.OutcomePass, review.Pass, true, review.ReasonUpdate},
		"who is not there":                  {update, []func(*scene){required}, review.OutcomeAbsent, review.OutcomePass, review.NeedsHuman, false, review.ReasonJudgeMissing},
		"who is not there for a yank":       {yank, []func(*scene){required}, review.OutcomeAbsent, review.OutcomeAbsent, review.Pass, true, review.ReasonWithdrawal},
		"who is not there, and a person is": {update, []func(*scene){required, approve(root)}, review.OutcomeAbsent, review.OutcomePass, review.Pass, false, review.ReasonJudgeMissing},
		"a judge of whom nobody knows":      {update, nil, "", review.OutcomePass, review.NeedsHuman, false, review.ReasonJudgeMissing},
		"a judge that is not sure":          {update, nil, review.OutcomeNeedsHuman, review.OutcomePass, review.NeedsHuman, false, review.ReasonJudge},
		"a judge that objects":              {update, []func(*scene){approve(root)}, review.OutcomeFail, review.OutcomePass, review.Fail, false, review.ReasonJudge},
		"a trial that fails":                {update, nil, review.OutcomePass, review.OutcomeFail, review.Fail, false, review.ReasonTrial},
		"a trial that runs":                 {update, nil, review.OutcomePass, review.OutcomePending, review.Pass, false, review.ReasonTrialPending},
		"a trial of which nobody knows":     {update, nil, review.OutcomePass, "", review.Pass, false, review.ReasonTrialPending},
		"what failed before":                {update, []func(*scene){finding("PY-002", spec.SeverityError)}, review.OutcomeFail, review.OutcomeFail, review.Fail, false, review.ReasonFindings},
		"what needed a person before":       {update, []func(*scene){finding("TXT-004", spec.SeverityWarning)}, review.OutcomeNeedsHuman, review.OutcomePending, review.NeedsHuman, false, review.ReasonWarnings},
		"what waits and is objected to":     {newName, []func(*scene){func(x *scene) { x.s.HeadSince = clock }}, review.OutcomeFail, review.OutcomePass, review.Fail, false, review.ReasonJudge},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.of().with(c.but...).judge().With(c.judge, c.trial)
			if r.Verdict != c.verdict || r.Merge.Auto != c.auto || r.Merge.Reason != c.reason {
				t.Errorf("it is %s, %+v, want %s, %v because of %s", r.Verdict, r.Merge, c.verdict, c.auto, c.reason)
			}
			whole(t, r)
		})
	}
}

func order(v review.Verdict) int {
	return slices.Index([]review.Verdict{review.Pass, review.NeedsHuman, review.Fail}, v)
}

// noBetter fails if b is better than a.
func noBetter(t *testing.T, what string, a, b *review.Review) {
	t.Helper()
	if order(b.Verdict) < order(a.Verdict) || b.Merge.Auto && !a.Merge.Auto {
		t.Fatalf("%s made %s, %+v into %s, %+v", what, a.Verdict, a.Merge, b.Verdict, b.Merge)
	}
}

// some makes any pull request at all.
func some(r *rand.Rand) *scene {
	maybe := func(f func()) {
		if r.IntN(3) == 0 {
			f()
		}
	}
	x := []func() *scene{update, newName, yank, rules}[r.IntN(4)]()
	people := []ledger.Owner{ada, bob, root, pretend, {Login: "x"}}
	person := func() ledger.Owner { return people[r.IntN(len(people))] }
	maybe(func() { x.s.Author = person() })
	maybe(func() { x.s.Maintainer = true })
	for range r.IntN(3) {
		x.s.Approvals = append(x.s.Approvals, review.Approval{By: person(), Maintainer: r.IntN(2) == 0})
	}
	maybe(func() { x.p.Maintainers = nil })
	maybe(func() { x.p.JudgeRequired = true })
	maybe(func() { x.b.Meta.Owners = []ledger.Owner{person(), person()} })
	maybe(func() { x.c.Meta = &review.Meta{Owners: []ledger.Owner{person(), person()}} })
	maybe(func() { x.b.Meta.Revoked = map[spec.Version]string{"0.9.0": "x"} })
	maybe(func() { finding("TXT-004", spec.SeverityWarning)(x) })
	maybe(func() { finding("PY-002", spec.SeverityError)(x) })
	maybe(func() { x.c.Unchecked = []string{"x"} })
	maybe(func() { x.s.HeadSince = clock })
	maybe(func() { x.s.Draft = true })
	maybe(func() {
		add(file([]string{"x", dir + "tool.yaml", dir + "1.1.0/LICENSE", "tools/te/text_diff/tool.yaml"}[r.IntN(4)], "x"))(x)
	})
	return x
}

// TestNeverBetter: taking somebody's word away, adding a finding or an outcome
// of a later job never makes a review better, whatever the pull request is.
func TestNeverBetter(t *testing.T) {
	for seed := range uint64(3_000) {
		make1 := func() (*scene, *rand.Rand) {
			r := rand.New(rand.NewPCG(seed, 1))
			return some(r), r
		}
		x, r := make1()
		before := x.judge()
		again, _ := make1()
		if !reflect.DeepEqual(before, again.judge()) {
			t.Fatal("the same pull request is judged differently")
		}
		for what, worse := range map[string]func(*scene){
			"no maintainer any more": func(x *scene) { x.s.Maintainer = false },
			"no policy's maintainer": func(x *scene) { x.p.Maintainers = nil },
			"no approval by one": func(x *scene) {
				for i := range x.s.Approvals {
					x.s.Approvals[i].Maintainer = false
				}
			},
			"no approval":     func(x *scene) { x.s.Approvals = nil },
			"another finding": finding("TXT-004", spec.SeverityWarning),
			"an error":        finding("PY-002", spec.SeverityError),
			"a draft":         func(x *scene) { x.s.Draft = true },
			"not counted":     func(x *scene) { x.s.Merged = nil },
			"no automatic":    func(x *scene) { x.p.AutoMerge = false },
			"an objection":    func(x *scene) { x.s.Objections = []review.Approval{{By: root, Maintainer: true}} },
			"more permissions": func(x *scene) {
				if x.c.Tool != nil {
					x.c.Tool.Capabilities.Network = true
				}
			},
		} {
			y, _ := make1()
			noBetter(t, what, before, y.with(worse).judge())
		}
		judge, trial := outcomes[r.IntN(len(outcomes))], outcomes[r.IntN(len(outcomes))]
		with := again.judge().With(judge, trial)
		noBetter(t, "judge "+string(judge)+", trial "+string(trial), before, with)
		twice := again.judge().With(judge, trial).With(outcomes[r.IntN(len(outcomes))], outcomes[r.IntN(len(outcomes))])
		noBetter(t, "a second time", with, twice)
		if before.Merge.Auto {
			with := again.judge().With(review.OutcomePass, review.OutcomePass)
			if !with.Merge.Auto {
				t.Fatal("what both like is not merged")
			}
		}
		for _, r := range []*review.Review{before, with, twice} {
			if _, err := review.Parse(r.Encode()); err != nil {
				t.Fatalf("%+v: %v", r, err)
			}
		}
	}
}
