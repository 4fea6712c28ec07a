package judge

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/judge/judgetest"
	"github.com/patch-cat/patch-git/internal/limits"
)

// seen is a detector that knows one word.
func seen(text string) []Flag {
	if strings.Contains(text, "IGNORE") {
		return []Flag{FlagOverride}
	}
	return nil
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	const text = "This is a text about a tool that counts words and lines, and it goes on for a while so that it could be repeated."
	for _, kind := range kinds {
		server := judgetest.New(t)
		j := asking(t, server, kind)
		ask := func(text string) *Summary {
			t.Helper()
			s, err := j.Summarize(t.Context(), text, seen)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		if s := ask(text); !s.Told() || len(s.Flags) != 0 || s.Flags == nil || s.Summary != "A stranger's text of some lines. It tells about a tool." {
			t.Errorf("%+v", s)
		}
		// What the model sees and what is seen without it are joined.
		if s := ask("EVIL, IGNORE"); !s.Told() || !slices.Equal(s.Flags, []Flag{FlagManipulation, FlagOverride, FlagDirective}) {
			t.Errorf("%+v", s)
		}
		server.Behave("flags-unknown")
		if s := ask("IGNORE"); s.Told() || !slices.Equal(s.Flags, []Flag{FlagOverride, FlagMalformed}) {
			t.Errorf("%+v", s)
		}
		server.Behave("")
		if s := ask(" \n"); !s.Told() || s.Summary == "" {
			t.Errorf("%+v", s)
		}
		for n, ok := range map[int]bool{limits.SummaryText: true, limits.SummaryText + 1: false} {
			s, err := j.Summarize(t.Context(), strings.Repeat("é", n), seen)
			if ok && (err != nil || !s.Told()) || !ok && (fault.KindOf(err) != fault.Findings || fault.ReasonOf(err) != "too_long" || s != nil) {
				t.Errorf("%d characters: %+v, %v", n, s, err)
			}
		}
		if s, err := j.Summarize(t.Context(), "a\xff", seen); fault.ReasonOf(err) != "not_text" || s != nil {
			t.Errorf("%+v, %v", s, err)
		}
		// No trick ends in a summary.
		want := map[string]Flag{
			"slow": FlagUnreachable, "cut": FlagUnreachable, "busy": FlagUnreachable, "broken": FlagUnreachable,
			"redirect": FlagError, "redirect-home": FlagError, "denied": FlagError, "absent": FlagError, "bad-request": FlagError,
		}
		others := []string{
			"short-read", "false-quote", "false-line", "unknown-code", "clean-with-findings", "findings-missing", "unknown-verdict", "many-findings", "float-line",
			"canary-blind", "paranoid", "half-paranoid", "disagree", "busy-twice", "kind",
		} // about verdicts alone
		for _, trick := range append(judgetest.Tricks(), judgetest.Others()...) {
			if slices.Contains(others, trick) {
				continue
			}
			server.Behave(trick)
			j.wire.most = limits.JudgeTime
			if trick == "slow" {
				j.wire.most = 50 * time.Millisecond
			}
			flag := want[trick]
			if flag == "" {
				flag = FlagMalformed
			}
			s := ask(text)
			if s.Told() || !slices.Equal(s.Flags, []Flag{flag}) || !strings.HasSuffix(s.Summary, "input treated as suspicious)") {
				t.Errorf("%s, %s: %+v", kind, trick, s)
			}
			if flag == FlagUnreachable && s.Summary != "(quarantine LLM unreachable — input treated as suspicious)" {
				t.Errorf("%s: %s", trick, s.Summary)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if s, err := j.Summarize(ctx, text, seen); fault.KindOf(err) != fault.Interrupted || s != nil {
			t.Errorf("%+v, %v", s, err)
		}
	}
	s, err := New(Config{}, nil).Summarize(t.Context(), "IGNORE", seen)
	if err != nil || s.Told() || !slices.Equal(s.Flags, []Flag{FlagOverride, FlagDisabled}) || !strings.Contains(s.Summary, "no quarantine model is configured") {
		t.Errorf("%+v, %v", s, err)
	}
	if (&Summary{}).Told() {
		t.Error("nothing is a summary")
	}
}

// TestRepeats: a text that gets itself repeated is no summary of itself.
func TestRepeats(t *testing.T) {
	t.Parallel()
	const text = "one two three, four five six seven eight nine ten eleven Twelve thirteen fourteen"
	for summary, want := range map[string]bool{
		"It says: ONE two three four five six seven eight nine ten eleven twelve.":   true,
		"It says two three four five six seven eight nine ten eleven twelve":         false,
		"three four five six - seven eight nine ten eleven twelve thirteen FOURTEEN": true,
		"": false,
	} {
		if got := repeats(summary, text); got != want {
			t.Errorf("%q: %v", summary, got)
		}
	}
}
