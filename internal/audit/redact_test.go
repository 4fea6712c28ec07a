package audit_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/audit"
)

var marks = regexp.MustCompile(`‹secret:([a-z0-9-]+):[0-9a-f]{32}›`)

// mark returns the first mark in a text.
func mark(t *testing.T, text string) string {
	t.Helper()
	m := marks.FindString(text)
	if m == "" {
		t.Fatalf("nothing was struck from %q", text)
	}
	return m
}

func TestSecrets(t *testing.T) {
	j, p := journal(t)
	secrets := []string{`tok"en<1>`, "tok", "12345", "a"}
	rec := sample()
	rec.Inputs = json.RawMessage(`{"key":"x tok\"en<1> y","same":"\u0074ok\u0022en\u003c1>","tail":"\\","plain":"a"}`)
	run, err := j.Begin(t.Context(), rec, secrets...)
	if err != nil {
		t.Fatal(err)
	}
	rec.Status, rec.Output = audit.Failed, json.RawMessage(`[9123459]`)
	rec.Error = audit.FailureOf(errors.New(`server said tok"en<1>`))
	if err := run.Finish(rec, []byte(`echo tok"en<1> 12345 a tok`), []byte("12345")); err != nil {
		t.Fatal(err)
	}
	got := get(t, j, run.ID())
	first, second := mark(t, got.Error.Message), mark(t, blob(t, j, got.StderrSHA256))
	if first == second {
		t.Error("two values have one code")
	}
	for what, pair := range map[string][2]string{
		"inputs": {string(got.Inputs), `{"key":"x ` + first + ` y","same":"` + first + `","tail":"\\","plain":"a"}`},
		"output": {marks.FindStringSubmatch(string(got.Output))[1], "whole"},
		"error":  {got.Error.Message, "server said " + first},
		"stdout": {blob(t, j, got.StdoutSHA256), "echo " + first + " " + second + " a tok"},
		"stderr": {blob(t, j, got.StderrSHA256), second},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %s, want %s", what, pair[0], pair[1])
		}
	}
	if !got.Redacted {
		t.Error("the record does not say that it is redacted")
	}
	if rec.Error.Message != `server said tok"en<1>` {
		t.Error("the caller's error was changed")
	}
	err = filepath.WalkDir(p.Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), "en<1>") || strings.Contains(string(b), "912345") {
			t.Errorf("%s still holds a secret: %s", path, b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// The twin: without secrets everything is kept.
	rec.Error = nil
	run, err = j.Begin(t.Context(), sample())
	if err != nil {
		t.Fatal(err)
	}
	rec.Status = audit.Succeeded
	if err := run.Finish(rec, []byte("12345"), nil); err != nil {
		t.Fatal(err)
	}
	if got := get(t, j, run.ID()); got.Redacted || string(got.Output) != `[9123459]` || blob(t, j, got.StdoutSHA256) != "12345" {
		t.Errorf("without secrets: %+v", got)
	}
}

// TestSecretInEveryPlace: what an argument says stands in more places of a record than
// among the inputs, and is struck from all of them.
func TestSecretInEveryPlace(t *testing.T) {
	const secret = "s3cr3t-folder"
	fill := func(word string) audit.Record {
		rec := sample()
		rec.Sandbox.Grants = []audit.Grant{{Path: "/home/x/" + word + "/a.csv"}}
		rec.Sandbox.Hidden, rec.Sandbox.AllowNet = []string{"/home/x/" + word}, []string{word + ".example"}
		rec.Taint = &audit.Taint{Output: "derived", Inputs: []audit.TaintedInput{{Input: "to", Path: "/to/" + word, How: "exact"}}}
		rec.Trigger.MCPClient, rec.Trigger.MCPVersion = word, word
		return rec
	}
	j, p := journal(t)
	rec := fill(secret)
	run, err := j.Begin(t.Context(), rec, secret)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(p.Runs(), string(run.ID())+".json")); err != nil || strings.Contains(string(b), secret) {
		t.Errorf("the intent has it: %s, %v", b, err)
	}
	rec.Status, rec.Output = audit.Succeeded, json.RawMessage(`null`)
	if err := run.Finish(rec, nil, nil); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(p.Runs(), string(run.ID())+".json"))
	if err != nil || strings.Contains(string(b), secret) {
		t.Errorf("the record has it: %s, %v", b, err)
	}
	if n := strings.Count(string(b), mark(t, string(b))); n != 6 {
		t.Errorf("it was struck %d times", n)
	}
	if rec.Taint.Inputs[0].Path != "/to/"+secret || rec.Sandbox.Grants[0].Path != "/home/x/"+secret+"/a.csv" || rec.Sandbox.Hidden[0] != "/home/x/"+secret {
		t.Error("the caller's record was changed")
	}
	// The twin: without a secret everything is kept.
	rec = fill("open-folder")
	if run, err = j.Begin(t.Context(), rec, secret); err != nil {
		t.Fatal(err)
	}
	rec.Status, rec.Output = audit.Succeeded, json.RawMessage(`null`)
	if err := run.Finish(rec, nil, nil); err != nil {
		t.Fatal(err)
	}
	if got := get(t, j, run.ID()); got.Sandbox.Grants[0].Path != "/home/x/open-folder/a.csv" || got.Taint.Inputs[0].Path != "/to/open-folder" || got.Redacted {
		t.Errorf("the twin: %+v", got)
	}
}

// TestForesee: what was foreseen of an output changes no record, whether it came or not.
func TestForesee(t *testing.T) {
	const secret = "s3cr3t-token"
	output := json.RawMessage(`{"said":"` + secret + `"}`)
	finish := func(foresee, came json.RawMessage) audit.Record {
		t.Helper()
		j, _ := journal(t)
		run, err := j.Begin(t.Context(), sample(), secret)
		if err != nil {
			t.Fatal(err)
		}
		if foresee != nil {
			run.Foresee(foresee)
		}
		if got := get(t, j, run.ID()); got.Status != audit.Started || got.Output != nil {
			t.Errorf("it was recorded: %+v", got)
		}
		rec := sample()
		if rec.Status, rec.Output = audit.Succeeded, came; came == nil {
			rec.Status, rec.Error = audit.Failed, audit.FailureOf(errors.New("no"))
		}
		if err := run.Finish(rec, nil, nil); err != nil {
			t.Fatal(err)
		}
		got := get(t, j, run.ID())
		if (len(got.OutputCode) == 64) != (came != nil) {
			t.Errorf("the code is %q", got.OutputCode)
		}
		// They are of another user and another run each time.
		got.RunID, got.OutputCode, got.Key, got.Signature = "", "", "", ""
		got.Output = json.RawMessage(regexp.MustCompile(`given:[0-9a-f]+`).ReplaceAll(got.Output, []byte("given")))
		return got
	}
	for name, came := range map[string]json.RawMessage{
		"a secret": output, "none": json.RawMessage(`{"said":"nothing"}`), "nothing": nil,
	} {
		want := finish(nil, came)
		if want.Redacted != (name == "a secret") || strings.Contains(string(want.Output), secret) {
			t.Errorf("%s: %+v", name, want)
		}
		for _, foresee := range []json.RawMessage{output, json.RawMessage(`{"said":"nothing"}`), json.RawMessage(`1`), json.RawMessage(`no JSON`), {}} {
			if got := finish(foresee, came); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, foreseen %s:\n%+v, want\n%+v", name, foresee, got, want)
			}
		}
	}
}
