package contribute

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/review"
)

// TestReviewOfAliases: an alias is held against the names of others also where
// an update brings it, and one that was let pass is not judged again.
func TestReviewOfAliases(t *testing.T) {
	const before = "x-examples:"
	called := func(aliases string) []string {
		return []string{"# " + before, "# x-aliases: [" + aliases + "]\n# " + before}
	}
	first := func(aliases string) review.Submission {
		s := fresh("word_count")
		s.Changes[0].Data = source("word_count", called(aliases)...)
		return s
	}
	update := func(aliases string) review.Submission {
		return proposal(put(toolsOfEcho+"0.2.0/tool.py", source("echo_text", append(called(aliases), "version: 0.1.0", "version: 0.2.0")...)))
	}
	for name, c := range map[string]struct {
		s       review.Submission
		now     string // the aliases of the version that is there
		found   string
		verdict review.Verdict
		reason  review.Reason
	}{
		"of a new tool":                    {first("count_words"), "", "", review.Pass, review.ReasonNewName},
		"of a new tool, somebody's name":   {first("echo_text"), "", "MAN-002", review.Fail, review.ReasonFindings},
		"of a new tool, read as a name":    {first("ech0_text"), "", "MAN-002", review.Fail, review.ReasonFindings},
		"of a new tool, near a name":       {first("echo_texts"), "", "MAN-002", review.NeedsHuman, review.ReasonNearName},
		"of an update":                     {update("repeat_text"), "", "", review.Pass, review.ReasonUpdate},
		"of an update, near its own name":  {update("echo_texts"), "", "", review.Pass, review.ReasonUpdate},
		"of an update, somebody's name":    {update("send_mail"), "", "MAN-002", review.Fail, review.ReasonFindings},
		"of an update, near a name":        {update("send_mails"), "", "MAN-002", review.NeedsHuman, review.ReasonNearName},
		"of an update, near, as before":    {update("send_mails"), "send_mails", "", review.Pass, review.ReasonUpdate},
		"of an update, near, and one more": {update("send_mails, repeat_text"), "repeat_text", "MAN-002", review.NeedsHuman, review.ReasonNearName},
	} {
		t.Run(name, func(t *testing.T) {
			w, dir := checkout(t)
			write := func(path string, data []byte) {
				path = filepath.Join(dir, filepath.FromSlash(path))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write("tools/se/send_mail/0.1.0/tool.py", source("send_mail"))
			write("tools/se/send_mail/tool.yaml", []byte("owners:\n  - login: carol\n    id: 8\n"))
			if c.now != "" {
				write(toolsOfEcho+"0.1.0/tool.py", source("echo_text", called(c.now)...))
			}
			kept := everything(t, dir)
			r, err := w.Review(t.Context(), dir, nil, c.s)
			if err != nil {
				t.Fatal(err)
			}
			if refusals(r) != c.found || r.Verdict != c.verdict || r.Merge.Reason != c.reason {
				t.Errorf("found %q, %s for %s; want %q, %s for %s\n%v", refusals(r), r.Verdict, r.Merge.Reason, c.found, c.verdict, c.reason, r.Findings)
			}
			if everything(t, dir) != kept {
				t.Error("the review changed the checkout")
			}
		})
	}
}

// TestReviewOfANameThatIsAnAlias: who looks for a tool by another name of it must
// not find a stranger's instead. A maintainer decides, also where new names wait
// for nobody, because an alias is had for nothing and keeps no name.
func TestReviewOfANameThatIsAnAlias(t *testing.T) {
	const before = "x-examples:"
	for name, c := range map[string]struct {
		of      string // who has the alias: the number of the owner
		aliases string
		found   string
		reason  review.Reason
	}{
		"nobody's":                 {"7", "post_letter", "", review.ReasonNewName},
		"somebody's":               {"7", "post_letter, count_words", "MAN-002", review.ReasonNearName},
		"read as somebody's":       {"7", "c0unt_words", "MAN-002", review.ReasonNearName},
		"one letter away":          {"7", "count_word", "", review.ReasonNewName},
		"one that the author has":  {"8", "count_words", "", review.ReasonNewName},
		"of a version that is old": {"7", "old: count_words", "", review.ReasonNewName},
	} {
		t.Run(name, func(t *testing.T) {
			w, dir := checkout(t)
			put := func(path string, data []byte) {
				path = filepath.Join(dir, filepath.FromSlash(path))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			aliases, old := strings.CutPrefix(c.aliases, "old: ")
			called := []string{"# " + before, "# x-aliases: [" + aliases + "]\n# " + before}
			put("tools/se/send_mail/0.1.0/tool.py", source("send_mail", called...))
			if old {
				put("tools/se/send_mail/0.2.0/tool.py", source("send_mail", "version: 0.1.0", "version: 0.2.0"))
			}
			put("tools/se/send_mail/tool.yaml", []byte("owners:\n  - login: somebody\n    id: "+c.of+"\n"))
			kept := everything(t, dir)
			s := fresh("count_words")
			r, err := w.Review(t.Context(), dir, nil, s)
			if err != nil {
				t.Fatal(err)
			}
			verdict := review.Pass
			if c.found != "" {
				verdict = review.NeedsHuman
			}
			if refusals(r) != c.found || r.Verdict != verdict || r.Merge.Reason != c.reason || r.Merge.Auto || (len(r.Near) == 1) != (c.found != "") {
				t.Errorf("found %q, %s for %s, near %v\n%v", refusals(r), r.Verdict, r.Merge.Reason, r.Near, r.Findings)
			}
			if everything(t, dir) != kept {
				t.Error("the review changed the checkout")
			}
		})
	}
}
