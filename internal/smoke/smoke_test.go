package smoke

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

func values(pairs ...string) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return m
}

// TestJudge: each condition, holding and not [TI-P33, TI-P36].
func TestJudge(t *testing.T) {
	env := map[string]string{"USER_EMAIL": "ann@example.org", "TRICK": "${USER_EMAIL}"}
	shell := func(exit int, out string) Reply { return Reply{Exit: &exit, Stdout: []byte(out), Body: []byte(out)} }
	http := func(status int, body string) Reply { return Reply{Status: &status, Body: []byte(body)} }
	for _, tt := range []struct {
		name string
		kind string
		s    spec.Success
		r    Reply
		want int // conditions that do not hold
	}{
		{"shell, nothing said, 0", "shell", spec.Success{}, shell(0, ""), 0},
		{"shell, nothing said, 1", "shell", spec.Success{}, shell(1, ""), 1},
		{"shell, 1 is wanted", "shell", spec.Success{ExitCode: "1"}, shell(1, ""), 0},
		{"shell, 1.0 is wanted", "shell", spec.Success{ExitCode: "1.0"}, shell(1, ""), 0},
		{"shell, 2 is wanted", "shell", spec.Success{ExitCode: "2"}, shell(0, ""), 1},
		{"a signal is no exit code", "shell", spec.Success{}, shell(-1, ""), 1},
		{"a pattern does not take away the exit code", "shell", spec.Success{Stdout: new("x")}, shell(1, "x"), 1},
		{"all of them", "shell", spec.Success{ExitCode: "0", Stdout: new("^v\\d"), NoError: true}, shell(1, "x"), 3},
		{"http, nothing said", "http", spec.Success{}, http(500, ""), 0},
		{"http, status", "http", spec.Success{HTTPStatus: "200"}, http(200, ""), 0},
		{"http, another status", "http", spec.Success{HTTPStatus: "200"}, http(204, ""), 1},
		{"http has no exit code", "http", spec.Success{ExitCode: "0"}, http(200, ""), 1},
		{"a program has no status", "shell", spec.Success{HTTPStatus: "200"}, shell(0, ""), 1},
		{"http has no output", "http", spec.Success{Stdout: new("")}, http(200, ""), 1},
		{"body", "http", spec.Success{Body: new("(?<=o)k$")}, http(200, "ok"), 0},
		{"body with a line after it", "http", spec.Success{Body: new("ok$")}, http(200, "ok\n"), 1},
		{"a pattern that never ends", "http", spec.Success{Body: new("^(a+)+$")}, http(200, strings.Repeat("a", 40)+"!"), 1},
		{"not UTF-8", "http", spec.Success{Body: new("^.k$")}, http(200, "\xffk"), 0},
		{"pointer", "http", spec.Success{Equals: values("/a/1/b", `1`)}, http(200, `{"a":[0,{"b":1.0}]}`), 0},
		{"escapes", "http", spec.Success{Equals: values("/a~1b/~0c", `"x"`, "/~01", `2`)}, http(200, `{"a/b":{"~c":"x"},"~1":2}`), 0},
		{"a wrong escape", "http", spec.Success{Equals: values("/~2", `1`)}, http(200, `{"~2":1}`), 1},
		{"an escape without an end", "http", spec.Success{Equals: values("/a~", `1`)}, http(200, `{"a~":1}`), 1},
		{"no slash", "http", spec.Success{Equals: values("a", `1`)}, http(200, `{"a":1}`), 1},
		{"the whole", "http", spec.Success{Equals: values("", `{"b":[1],"a":null}`)}, http(200, `{"a":null,"b":[1e0]}`), 0},
		{"an empty name", "http", spec.Success{Equals: values("/", `1`)}, http(200, `{"":1}`), 0},
		{"after the last", "http", spec.Success{Equals: values("/-", `1`)}, http(200, `[1]`), 1},
		{"a zero before", "http", spec.Success{Equals: values("/00", `1`)}, http(200, `[1]`), 1},
		{"a sign", "http", spec.Success{Equals: values("/+0", `1`)}, http(200, `[1]`), 1},
		{"beyond", "http", spec.Success{Equals: values("/1", `1`)}, http(200, `[1]`), 1},
		{"null is there", "http", spec.Success{Equals: values("/a", `null`)}, http(200, `{"a":null}`), 0},
		{"absent is not null", "http", spec.Success{Equals: values("/a", `null`)}, http(200, `{}`), 1},
		{"large numbers", "http", spec.Success{Equals: values("/a", `9007199254740993`)}, http(200, `{"a":9007199254740992}`), 1},
		{"a number is no string", "http", spec.Success{Equals: values("/a", `"1"`)}, http(200, `{"a":1}`), 1},
		{"an exponent of a bomb", "http", spec.Success{Equals: values("/a", `1e999999999`)}, http(200, `{"a":1e999999998}`), 1},
		{"true is not 1", "http", spec.Success{Equals: values("/a", `true`)}, http(200, `{"a":1}`), 1},
		{"a value of ours", "http", spec.Success{Equals: values("/a", `["${USER_EMAIL}"]`)}, http(200, `{"a":["ann@example.org"]}`), 0},
		{"one pass", "http", spec.Success{Equals: values("/a", `"${TRICK}"`)}, http(200, `{"a":"${USER_EMAIL}"}`), 0},
		{"an unknown value", "http", spec.Success{Equals: values("/a", `"${OTHER}"`)}, http(200, `{"a":"${OTHER}"}`), 1},
		{"not JSON", "http", spec.Success{NoError: true}, http(200, `ok`), 1},
		{"two values", "http", spec.Success{NoError: true}, http(200, `{} {}`), 1},
		{"no error", "http", spec.Success{NoError: true}, http(200, `{"a":{"error":1}}`), 0},
		{"an error", "http", spec.Success{NoError: true}, http(200, `{"error":null}`), 1},
		{"a list has no error", "http", spec.Success{NoError: true}, http(200, `["error"]`), 0},
	} {
		got := Judge(tt.kind, tt.s, tt.r, env)
		if len(got) != tt.want {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}

// TestJudgeTellsNothing: what was answered, and what was given, is in no message.
func TestJudgeTellsNothing(t *testing.T) {
	const canary = "canary-77"
	env := map[string]string{"KEY": canary}
	got := Judge("http", spec.Success{Body: new("^x$"), Equals: values("/a", `"${KEY}"`, "/b", `1`), NoError: true, HTTPStatus: "201"},
		Reply{Status: new(200), Body: []byte(`{"a":"` + canary + `x","error":"` + canary + `"}`)}, env)
	if len(got) != 5 || strings.Contains(strings.Join(got, "\n"), canary) {
		t.Errorf("%q", got)
	}
}

// TestSubstitute: the grammar of ${NAME} [C-25].
func TestSubstitute(t *testing.T) {
	env := map[string]string{"A": "1", "B": "x\r\ny", "C": "${A}"}
	for text, want := range map[string]string{"": "", "$A": "$A", "Bearer ${A}!": "Bearer 1!", "${A}${A}": "11", "$${A}": "$1", "${C}": "${A}"} {
		if got, err := Substitute(text, env); err != nil || got != want {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
	for _, text := range []string{"${D}", "${}", "${env.A}", "${a}", "${A", "x ${"} {
		if got, err := Substitute(text, env); err == nil {
			t.Errorf("%q: %q", text, got)
		}
	}
	if _, err := Header("${B}", env); err == nil {
		t.Error("a header has a line break")
	}
	if got, err := Header("${A}", env); err != nil || got != "1" {
		t.Errorf("the twin: %q %v", got, err)
	}
}

func FuzzResolve(f *testing.F) {
	f.Add(`{"a":[1,{"b~":2}]}`, "/a/1/b~0")
	f.Fuzz(func(t *testing.T, doc, pointer string) {
		v, err := decode([]byte(doc))
		if err != nil {
			return
		}
		if got, ok := resolve(v, pointer); ok && !equal(got, got) {
			t.Errorf("%q at %q is not itself", doc, pointer)
		}
	})
}
