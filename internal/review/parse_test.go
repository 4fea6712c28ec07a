package review_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

func TestParse(t *testing.T) {
	for _, x := range []*scene{update(), newName(), yank(), rules(), update().with(from(bob))} {
		r := x.judge()
		again, err := review.Parse(r.Encode())
		if err != nil || !reflect.DeepEqual(again.Encode(), r.Encode()) {
			t.Errorf("%+v was read as %+v: %v", r, again, err)
		}
	}
}

// TestParseRefuses: the document comes from another job, so it is taken in one
// spelling and only where it does not contradict itself.
func TestParseRefuses(t *testing.T) {
	good := string(update().judge().Encode())
	refused := string(update().with(from(bob)).judge().Encode())
	replace := func(in, old, with string) string {
		out := strings.Replace(in, old, with, 1)
		if out == in {
			t.Fatalf("there is no %s in %s", old, in)
		}
		return out
	}
	for name, text := range map[string]string{
		"empty":                     "",
		"no object":                 "[]\n",
		"null":                      "null\n",
		"cut":                       good[:len(good)/2],
		"two documents":             good + good,
		"spaces":                    " " + good,
		"no line feed":              strings.TrimSpace(good),
		"an unknown key":            replace(good, `"kind"`, `"colour":1,"kind"`),
		"a key twice":               replace(good, `"verdict":"pass"`, `"verdict":"fail","verdict":"pass"`),
		"a key in capitals":         replace(good, `"verdict"`, `"Verdict"`),
		"a verdict in capitals":     replace(good, `"pass"`, `"PASS"`),
		"no verdict":                replace(good, `"verdict":"pass"`, `"verdict":""`),
		"another schema":            replace(good, "review/v1", "review/v2"),
		"another kind":              replace(good, `"release"`, `"anything"`),
		"no commit":                 replace(good, headSHA, strings.ToUpper("abcdef")+headSHA[6:]),
		"a short commit":            replace(good, headSHA, headSHA[:12]),
		"no findings":               replace(good, `"findings":[]`, `"findings":null`),
		"a reason that is none":     replace(good, `"update"`, `"because"`),
		"no reason":                 replace(good, `"reason":"update"`, `"reason":""`),
		"a pass with errors":        replace(refused, `"verdict":"fail"`, `"verdict":"pass"`),
		"merged with errors":        replace(refused, `"auto":false,"reason":"findings"`, `"auto":true,"reason":"update"`),
		"merged against its reason": replace(good, `"reason":"update"`, `"reason":"draft"`),
		"not merged with a reason":  replace(good, `"auto":true`, `"auto":false`),
		"merged by nobody":          replace(good, `"id":7},"kind"`, `"id":0},"kind"`),
		"merged rules":              replace(good, `"release"`, `"governance"`),
		"a severity of its own":     replace(refused, `"severity":"error"`, `"severity":"fatal"`),
		"a finding without id":      replace(refused, `"id":"GOV-005"`, `"id":""`),
		"a negative number":         replace(good, `"pull":12`, `"pull":-12`),
		"a name that climbs":        replace(good, `"name":"csv_to_json"`, `"name":"../../x"`),
		"a person who was there":    replace(replace(good, `"verdict":"pass","cleared":false`, `"verdict":"needs_human","cleared":true`), `"auto":true,"reason":"update"`, `"auto":false,"reason":"warnings"`),
		"too large":                 replace(good, `"files":1`, `"diff":"`+strings.Repeat("x", limits.Review)+`","files":1`),
	} {
		if r, err := review.Parse([]byte(text)); fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != "review" || r != nil {
			t.Errorf("%s: got %+v, %v", name, r, err)
		}
	}
	for _, twin := range []string{good, refused} {
		if _, err := review.Parse([]byte(twin)); err != nil {
			t.Error(err)
		}
	}
}

// FuzzParse reads hostile review.json; what is accepted is one review, in one
// spelling, that no later word makes better.
func FuzzParse(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(some(rand.New(rand.NewPCG(seed, 1))).judge().Encode())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := review.Parse(data)
		if err != nil {
			return
		}
		if !bytes.Equal(r.Encode(), data) {
			t.Fatalf("%q has another spelling: %q", data, r.Encode())
		}
		if r.Merge.Auto && (r.Verdict != review.Pass || spec.Blocking(r.Findings)) {
			t.Fatalf("%q merges what did not pass", data)
		}
		before := *r
		for _, o := range outcomes {
			noBetter(t, string(o), &before, r.With(o, o))
		}
	})
}

// FuzzJudge lets a stranger choose paths, sources and tool.yaml: whatever that
// is, the review of it can be written and read, and nothing is merged that lies
// outside of one folder.
func FuzzJudge(f *testing.F) {
	f.Add(dir+"1.1.0/tool.py", "# ---\n# name: csv_to_json\n# version: 1.1.0\n# ---\n", "100644", "added", "")
	f.Add(dir+"tool.yaml", "x", "120000", "modified", "a link")
	f.Add("tools/\xff/../x", "\x00", "", "renamed", "")
	f.Fuzz(func(t *testing.T, path, text, mode, status, refused string) {
		x := update()
		x.s.Changes = append(x.s.Changes, review.Change{Path: path, Previous: text, Status: review.Status(status), Mode: mode, Data: []byte(text), Refused: refused})
		if doc, found := manifest.Read("tool.py", []byte(text), manifest.Strict); doc != nil && doc.Tool.Name != "" && doc.Tool.Version != "" {
			x.c.Tool, x.c.Findings = &doc.Tool, found
		}
		x.c.Meta, x.c.MetaErr, x.c.ConfigErr = nil, errors.New(text), errors.New(text)
		r := x.judge()
		if _, err := review.Parse(r.Encode()); err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		if r.Merge.Auto && (!strings.HasPrefix(path, dir+"1.1.0/") || mode != "100644" || status != "added" || refused != "") {
			t.Fatalf("%q is merged: %+v", path, r)
		}
	})
}
