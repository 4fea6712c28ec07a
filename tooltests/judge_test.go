package tooltests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
)

// judge lists what is wrong with the outcome of a case.
func (c testCase) judge(ran *consume.Ran, err error) []string {
	switch {
	case c.Error != "" && err == nil:
		return []string{fmt.Sprintf("got the result %s, want an error with %q", short(ran.Result), c.Error)}
	case c.Error != "":
		return c.judgeError(err)
	case err != nil:
		return []string{fmt.Sprintf("got the error %v (%s), want a result", err, fault.KindOf(err))}
	}
	got, err := value(ran.Result)
	if err != nil {
		return []string{fmt.Sprintf("the result is not JSON: %v", err)}
	}
	var wrong []string
	if ran.StdoutNoise {
		wrong = append(wrong, "the tool printed more than its result")
	}
	if c.Result != nil {
		if want, err := value(c.Result); err != nil || !equal(got, want) {
			wrong = append(wrong, fmt.Sprintf("got the result %s, want %s", short(ran.Result), short(c.Result)))
		}
	}
	for pointer, raw := range c.Check {
		want, err := value(raw)
		if err != nil {
			return append(wrong, err.Error())
		}
		at, ok := find(got, pointer)
		switch {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("there is nothing at %s of %s", pointer, short(ran.Result)))
		case !equal(at, want):
			wrong = append(wrong, fmt.Sprintf("got %v at %s, want %s", at, pointer, short(raw)))
		}
	}
	return wrong
}

// judgeError wants the refusal that was meant. The tool itself must have said
// no, or the client before it started: a limit that was hit, a result of the
// wrong type or a machine that cannot run it are not refusals of a tool.
func (c testCase) judgeError(err error) []string {
	kind, reason := fault.KindOf(err), fault.ReasonOf(err)
	if kind != fault.Usage && kind != fault.NotFound && (kind != fault.ToolFailed || reason != "exit") {
		return []string{fmt.Sprintf("got the error %v (%s, %s), want one of the tool's own", err, kind, reason)}
	}
	if !strings.Contains(err.Error(), c.Error) {
		return []string{fmt.Sprintf("got the error %v, want one with %q", err, c.Error)}
	}
	return nil
}

// value decodes JSON and keeps numbers as they are spelled.
func value(raw json.RawMessage) (any, error) {
	var v any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	err := d.Decode(&v)
	return v, err
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	}
	return a == b // nil, bool, string, json.Number
}

// find follows a JSON pointer.
func find(v any, pointer string) (any, bool) {
	if pointer == "" {
		return v, true
	}
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil, false
	}
	for token := range strings.SplitSeq(rest, "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch at := v.(type) {
		case map[string]any:
			if v, ok = at[token]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(at) || strconv.Itoa(i) != token {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// short keeps a report of a failure readable.
func short(raw json.RawMessage) string {
	const most = 2000
	if len(raw) > most {
		return fmt.Sprintf("%s… (%d bytes)", raw[:most], len(raw))
	}
	return string(raw)
}

// TestJudge shows that a case can fail: for each outcome one that is right and
// ones that differ from it in one point.
func TestJudge(t *testing.T) {
	t.Parallel()
	ran := func(result string) *consume.Ran { return &consume.Ran{Result: json.RawMessage(result)} }
	noisy := ran(`1`)
	noisy.StdoutNoise = true
	exit := fault.New(fault.ToolFailed, "exit", "a tool ended with exit code 1\n  ValueError: no such unit")
	for _, test := range []struct {
		name, text string
		ran        *consume.Ran
		err        error
		ok         bool
	}{
		{"result", `{"args":{},"result":{"a":[1,null],"b":"c"}}`, ran(`{"b": "c", "a": [1, null]}`), nil, true},
		{"other value", `{"args":{},"result":{"a":[1,null],"b":"c"}}`, ran(`{"b": "c", "a": [1, false]}`), nil, false},
		{"other spelling", `{"args":{},"result":1}`, ran(`1.0`), nil, false},
		{"member too many", `{"args":{},"result":{"a":1}}`, ran(`{"a": 1, "b": 2}`), nil, false},
		{"other member", `{"args":{},"result":{"a":null}}`, ran(`{"b": null}`), nil, false},
		{"shorter", `{"args":{},"result":[1,2]}`, ran(`[1]`), nil, false},
		{"other kind", `{"args":{},"result":[1]}`, ran(`{"0": 1}`), nil, false},
		{"null", `{"args":{},"result":null}`, ran(`null`), nil, true},
		{"big number", `{"args":{},"result":9007199254740993}`, ran(`9007199254740992`), nil, false},
		{"noise", `{"args":{},"result":1}`, noisy, nil, false},
		{"quiet", `{"args":{},"result":1}`, ran(`1`), nil, true},
		{"pointer", `{"args":{},"check":{"/a~1b/0/~0c":null,"":{"a/b":[{"~c":null}]}}}`, ran(`{"a/b":[{"~c":null}]}`), nil, true},
		{"nothing there", `{"args":{},"check":{"/b":null}}`, ran(`{"a":null}`), nil, false},
		{"beyond the end", `{"args":{},"check":{"/1":null}}`, ran(`[1]`), nil, false},
		{"index with a zero", `{"args":{},"check":{"/00":1}}`, ran(`[1]`), nil, false},
		{"into a number", `{"args":{},"check":{"/a/b":1}}`, ran(`{"a":1}`), nil, false},
		{"no slash", `{"args":{},"check":{"a":1}}`, ran(`{"a":1}`), nil, false},
		{"unexpected error", `{"args":{},"result":1}`, nil, exit, false},
		{"error", `{"args":{},"error":"no such unit"}`, nil, exit, true},
		{"other error", `{"args":{},"error":"no such file"}`, nil, exit, false},
		{"no error", `{"args":{},"error":"no such unit"}`, ran(`1`), nil, false},
		{"refused before", `{"args":{},"error":"no such"}`, nil, fault.New(fault.Usage, "wrong_type", "no such"), true},
		{"time limit", `{"args":{},"error":"no such"}`, nil, fault.New(fault.ToolFailed, "timeout", "no such"), false},
		{"no Python", `{"args":{},"error":"no such"}`, nil, fault.New(fault.Unavailable, "no_python", "no such"), false},
	} {
		c, err := parseCase(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if wrong := c.judge(test.ran, test.err); (len(wrong) == 0) != test.ok {
			t.Errorf("%s: got %q, want ok %v", test.name, wrong, test.ok)
		}
	}
}
