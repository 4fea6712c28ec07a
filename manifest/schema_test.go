package manifest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// TestInputsSchema spells the schema out once.
func TestInputsSchema(t *testing.T) {
	in := &spec.Tool{Inputs: []spec.Input{
		{Name: "b", Type: spec.TypeArray, Description: "B \"x\".", Required: true, Items: json.RawMessage(`{"type":"string"}`)},
		{Name: "a", Type: spec.TypeString, Default: json.RawMessage(`null`)},
		{Name: "c", Type: spec.TypeNumber, Required: true},
	}}
	want := `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{` +
		`"b":{"type":"array","description":"B \"x\".","items":{"type":"string"}},` +
		`"a":{"type":["string","null"],"default":null},"c":{"type":"number"}},` +
		`"required":["b","c"],"additionalProperties":false}`
	got := Inputs(in).JSON()
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got[0] = 'x'
	if s := Inputs(in); string(s.JSON()) != want {
		t.Error("the text of a schema can be changed from outside")
	}
}

func TestCheck(t *testing.T) {
	full := tool(t, "full")
	cases := []struct{ doc, want string }{
		{`{"url":"a"}`, ""},
		{`{}`, "missing properties: 'url'"},
		{`{"url":"a","x\u001b/~":1}`, `additionalProperties 'x\x1b/~' not allowed`},
		{`{"url":"a","columns":["",5]}`, `/columns/0: does not match pattern "^(?!_)[a-z0-9_]+$"; /columns/0: length must be >= 1, but got 0; /columns/1: expected string, but got number`},
		{`{"url":"a"`, "a comma or closing brace is missing at byte 10"},
	}
	for _, c := range cases {
		// Many times over: the library's own order is random.
		for range 5 {
			var list []string
			for _, p := range Inputs(full).Check([]byte(c.doc)) {
				list = append(list, p.String())
			}
			if got := strings.Join(list, "; "); got != c.want {
				t.Errorf("%s: got %s, want %s", c.doc, got, c.want)
			}
		}
	}
	// A key is shown as a JSON Pointer, and what it has to hide is escaped.
	s := newSchema([]byte(`{"additionalProperties":{"type":"string"}}`))
	problems := s.Check([]byte("{\"a/b~c% \u202e\":1}"))
	if len(problems) != 1 || problems[0].Path != "/a~1b~0c% \u202e" || strings.Contains(problems[0].String(), "\u202e") {
		t.Errorf("got %q", problems)
	}
	many := newSchema([]byte(`{"items":{"type":"string"}}`)).Check([]byte("[" + strings.Repeat("1,", 5000) + "1]"))
	if len(many) != limits.ManifestProblems {
		t.Errorf("got %d problems, want %d", len(many), limits.ManifestProblems)
	}
}

// TestPatterns uses what ECMAScript has and Go's regexp lacks, and a pattern
// where the word is not the keyword.
func TestPatterns(t *testing.T) {
	cases := []struct {
		schema, good, bad string
	}{
		{`{"pattern":"^(?!_)\\w+$"}`, `"ab"`, `"_b"`},
		{`{"pattern":"^(?<q>['\"]).*\\k<q>$"}`, `"'a'"`, `"'a"`},
		{`{"pattern":"^\\d+$"}`, `"12"`, `"١٢"`},
		{`{"pattern":"^\\u{1F600}$"}`, `"😀"`, `"u"`},
		{`{"pattern":"b"}`, `"abc"`, `"ac"`},
		{`{"properties":{"pattern":{"pattern":"^a"}}}`, `{"pattern":"a"}`, `{"pattern":"b"}`},
		{`{"anyOf":[{"pattern":"^a"},{"type":"null"}]}`, `"a"`, `"b"`},
		{`{"not":{"pattern":"^a"}}`, `"b"`, `"a"`},
		{`{"prefixItems":[{"pattern":"^a"}]}`, `["a"]`, `["b"]`},
		{`{"additionalProperties":{"pattern":"^a"}}`, `{"x":"a"}`, `{"x":"b"}`},
		{`{"const":{"pattern":"("}}`, `{"pattern":"("}`, `{"pattern":")"}`},
		{`{"enum":[{"patch-git:pattern":"("}]}`, `{"patch-git:pattern":"("}`, `1`},
	}
	for _, c := range cases {
		s := newSchema([]byte(c.schema))
		if problems := s.Check([]byte(c.good)); len(problems) > 0 {
			t.Errorf("%s refuses %s: %v", c.schema, c.good, problems)
		}
		if problems := s.Check([]byte(c.bad)); len(problems) == 0 {
			t.Errorf("%s accepts %s", c.schema, c.bad)
		}
	}
	for _, broken := range []string{`{"pattern":"("}`, `{"pattern":5}`, `{"properties":{"a":{"pattern":"("}}}`, `{"$ref":"https://example.com/a"}`, `{"$ref":"file:///etc/passwd"}`, `{"type":5}`, ``, `{`} {
		if problems := newSchema([]byte(broken)).Check([]byte(`1`)); len(problems) != 1 || !strings.Contains(problems[0].Message, "cannot be used") {
			t.Errorf("%s: got %v", broken, problems)
		}
	}
}

// TestCatastrophicPattern matches (a+)+$ against many texts that make a
// backtracking engine run for ever: the check ends within its budget, and what
// could not be matched is refused.
func TestCatastrophicPattern(t *testing.T) {
	s := newSchema([]byte(`{"items":{"pattern":"^(a+)+$"}}`))
	if problems := s.Check([]byte(`["aaa"]`)); len(problems) > 0 {
		t.Fatalf("got %v", problems)
	}
	text := `"` + strings.Repeat("a", 60) + `!"`
	start := time.Now()
	problems := s.Check([]byte("[" + strings.Repeat(text+",", 50) + text + "]"))
	if took := time.Since(start); took > 4*checkTime {
		t.Errorf("the check took %v", took)
	}
	if len(problems) != 51 || !strings.Contains(problems[0].Message, "takes too long") {
		t.Errorf("got %d problems, first %v", len(problems), problems[0])
	}
	if problems := s.Check([]byte(`["aaa"]`)); len(problems) > 0 {
		t.Errorf("the budget of one check burdens the next: %v", problems)
	}
}

// TestLargeResult bounds the time for the largest results that are let in.
func TestLargeResult(t *testing.T) {
	full := tool(t, "full")
	row := `{"pattern":"a"},`
	raw := []byte("[" + strings.Repeat(row, maxJSONValues/16) + row[:len(row)-1] + "]")
	start := time.Now()
	if err := Result(full, raw); err != nil {
		t.Error(err)
	}
	t.Logf("%d bytes took %v", len(raw), time.Since(start))
	// The documented kind of output must not cost what the library does.
	bare := &spec.Tool{Output: spec.Output{Type: spec.TypeArray, Items: json.RawMessage(`{"type":"object"}`)}}
	start = time.Now()
	if err := Result(bare, raw); err != nil {
		t.Error(err)
	}
	t.Logf("%d bytes took %v without the library", len(raw), time.Since(start))
}

// TestResultShortcut compares the shortcut for simple outputs with the library.
func TestResultShortcut(t *testing.T) {
	values := []string{`null`, `true`, `false`, `0`, `-1.50`, `1.0`, `1e2`, `1e-2`, `"a"`, `""`, `[]`, `{}`, `[1,"a",{"b":[2]}]`, `{"a":[1]}`, `[1,2]`, `["a","b"]`, `[{},{}]`, `[[],[1]]`, `[null]`, `[1.0,2]`, `[1.5,2]`, `[true,1]`}
	for _, outer := range outputTypes {
		for _, inner := range append([]spec.Type{""}, outputTypes...) {
			in := &spec.Tool{Name: "x", Output: spec.Output{Type: outer}}
			if inner != "" {
				in.Output.Items = json.RawMessage(`{"type":"` + string(inner) + `"}`)
			}
			for _, v := range values {
				want := Output(in).Check([]byte(v))
				err := Result(in, []byte(v))
				if (err == nil) != (len(want) == 0) || err != nil && !strings.HasSuffix(err.Error(), want[len(want)-1].String()) {
					t.Errorf("output %s of %q, result %s: got %v, want %v", outer, inner, v, err, want)
				}
			}
		}
	}
}

// TestArgumentsShortcut compares the shortcut for inputs that are only a type with the
// library.
func TestArgumentsShortcut(t *testing.T) {
	values := []string{`null`, `true`, `false`, `0`, `-0`, `-1.50`, `1.0`, `1e2`, `1E+2`, `1e-2`, `-1e400`, `1.5`, `"a"`, `""`, `"1"`, `[]`, `{}`, `[1,"a",{"b":[2]}]`, `{"a":[1]}`}
	for _, of := range append(slices.Clone(inputTypes), "", "null", "any") {
		for _, absent := range []string{"", "null", "1", `"a"`} {
			in := spec.Input{Name: "x", Type: of, Required: absent == ""}
			if absent != "" {
				in.Default = json.RawMessage(absent)
			}
			a := &spec.Tool{Name: "a_tool", Inputs: []spec.Input{in}}
			for _, v := range append(values, "") {
				given, doc := `{}`, `{"x":`+v+`}`
				if v != "" {
					given = doc
				} else if doc = `{"x":` + absent + `}`; absent == "" {
					continue
				}
				want := Inputs(a).Check([]byte(doc))
				_, err := Arguments(a, []byte(given))
				if (err == nil) != (len(want) == 0) || err != nil && !strings.HasSuffix(err.Error(), strings.TrimPrefix(want[0].String(), "/")) {
					t.Errorf("input %q, by default %q, given %q: got %v, want %v", of, absent, v, err, want)
				}
			}
		}
	}
}

// TestNumber compares what is a number with the expression for it in RFC 8259.
func TestNumber(t *testing.T) {
	form := regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	const letters = "-+.0129eE a"
	var all func(text string, more int)
	all = func(text string, more int) {
		if isNumber(text) != form.MatchString(text) {
			t.Errorf("%q is a number: %v", text, isNumber(text))
		}
		if more == 0 {
			return
		}
		for i := range letters {
			all(text+letters[i:i+1], more-1)
		}
	}
	all("", 5)
	for _, text := range []string{"-10.25e+17", "-10.25e+17.", "0.0e00", "12345678901234567890", "1e+-1", "\n1", "1\n"} {
		if isNumber(text) != form.MatchString(text) {
			t.Errorf("%q is a number: %v", text, isNumber(text))
		}
	}
}

// TestConcurrentChecks shares one schema, to be run with the race detector.
func TestConcurrentChecks(t *testing.T) {
	s := Inputs(tool(t, "full"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if problems := s.Check([]byte(`{"url":"a","columns":["b"]}`)); len(problems) > 0 {
				t.Errorf("got %v", problems)
			}
		})
	}
	wg.Wait()
}
