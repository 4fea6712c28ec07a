package action

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// TestModelIsNotAskedUntilItPasses: who opens a pull request again has its head
// judged again. What a model objected to at that head stays objected to, however
// often it is asked; what nobody could tell does not.
func TestModelIsNotAskedUntilItPasses(t *testing.T) {
	s, server, n := judged(t, "ODD")
	if a, _ := s.reviewAll(s.event("opened", n, "ann", "")); a.Conclusion != "action_required" {
		t.Fatalf("%+v", a)
	}
	// The model is talked round: the same words are nothing to it now.
	server.Behave("kind")
	for range 2 {
		if a, _ := s.reviewAll(s.event("reopened", n, "ann", "")); a.Conclusion != "action_required" || s.isMerged(n) {
			t.Fatalf("asked again: %+v\n%s", a, s.repo.Comments(n)[0].Body)
		}
	}
	if a, err := s.reviewAll(s.event("labeled", n, "mia", acceptLabel)); err != nil || a.Conclusion != "success" {
		t.Errorf("a maintainer answers for it: %+v, %v", a, err)
	}
	// The twin: it could not tell before, and has nothing against it now.
	s, server, n = judged(t, "It counts.")
	server.Behave("busy")
	if a, _ := s.reviewAll(s.event("opened", n, "ann", "")); a.Conclusion != "action_required" {
		t.Fatalf("%+v", a)
	}
	server.Behave("")
	if a, err := s.reviewAll(s.event("reopened", n, "ann", "")); err != nil || !s.isMerged(n) {
		t.Errorf("the twin: %+v, %v", a, err)
	}
}

// TestModelIsWrong: an error that a model finds is let pass by a waiver in the
// base, for those bytes of that version alone, and then by who accepts the head.
func TestModelIsWrong(t *testing.T) {
	s, _, n := judged(t, "EVIL words")
	payload := s.event("opened", n, "ann", "")
	if a, _ := s.reviewAll(payload); a.Conclusion != "failure" {
		t.Fatalf("%+v", a)
	}
	notes := "# Notes\n\nEVIL words\n"
	waived := func(version, text, seen string) string {
		f, ok := quarantine.SaidByModel("LLM-002", "NOTES.md", 3, seen)
		if !ok {
			t.Fatal("LLM-002 is none of a model")
		}
		r := &spec.Release{Ref: spec.Ref{Name: "word_count", Version: spec.Version(version)}, Files: []spec.File{{Path: "NOTES.md", Data: []byte(text)}}}
		one, ok := quarantine.WaiverFor(r, f)
		if !ok {
			t.Fatal("it cannot be waived")
		}
		one.Reason, one.Approver, one.ApproverID = "It is a name.", "mia", 1
		one.Since, one.Until = spec.Day(s.now.AddDate(0, 0, -1).Format("2006-01-02")), spec.Day(s.now.AddDate(0, 0, 30).Format("2006-01-02"))
		return string(registry.EncodeWaivers([]spec.Waiver{one}))
	}
	r, err := review.Parse([]byte(s.read(filepath.Join(s.work, reviewFile))))
	if err != nil {
		t.Fatal(err)
	}
	// What the review says is what the maintainer repeats.
	comment := s.repo.Comments(n)[0].Body
	seen := `a model says that this asks for secrets, files or the conversation, or sends them away: "EVIL words"`
	if !strings.Contains(comment, "asks for secrets") || r.Verdict == review.Fail {
		t.Fatalf("%s", comment)
	}
	path := filepath.Join(s.dir, filepath.FromSlash(registry.WaiversPath("word_count")))
	for name, c := range map[string]struct{ version, text, seen string }{
		"another version":   {"0.4.0", notes, seen},
		"other bytes":       {"0.3.0", notes + "\n", seen},
		"something else":    {"0.3.0", notes, strings.Replace(seen, "asks for secrets", "gives orders", 1)},
		"nothing of a rule": {"0.3.0", notes, "EVIL words"},
	} {
		s.write(path, waived(c.version, c.text, c.seen))
		if a, _ := s.reviewAll(payload); a.Conclusion != "failure" || s.isMerged(n) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	s.write(path, waived("0.3.0", notes, seen))
	a, _ := s.reviewAll(payload)
	if a.Conclusion != "action_required" || s.isMerged(n) || !strings.Contains(s.repo.Comments(n)[0].Body, "waived by mia") {
		t.Errorf("waived: %+v\n%s", a, s.repo.Comments(n)[0].Body)
	}
	if a, err := s.reviewAll(s.event("labeled", n, "mia", acceptLabel)); err != nil || a.Conclusion != "success" {
		t.Errorf("waived and accepted: %+v, %v", a, err)
	}
}
