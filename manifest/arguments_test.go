package manifest

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// tool reads an accepted file of the corpus.
func tool(tb testing.TB, name string) *spec.Tool {
	tb.Helper()
	doc, findings := Read("tool.py", corpus(tb, "ok")[name], Strict)
	if doc == nil || spec.Blocking(findings) {
		tb.Fatalf("%s is refused", name)
	}
	return &doc.Tool
}

const fullDefaults = `"columns":["name","1"],"limit":100,"ratio":2.50,"header":true,` +
	`"options":{"nested":{"deep":[1,2.50,1e3,null,true,"yes"]},"a key":"é 😀"},"note":null`

func TestArguments(t *testing.T) {
	full, small := tool(t, "full"), tool(t, "small")
	cases := []struct {
		name   string
		tool   *spec.Tool
		raw    string
		want   string // "" when refused
		reason string
		says   string
	}{
		{"defaults are filled in", full, `{"url":"a"}`, `{"url":"a",` + fullDefaults + `}`, "", ""},
		{"members follow the inputs", full, ` { "limit" : 7 , "url" : "a" } `, `{"url":"a",` + strings.Replace(fullDefaults, "100", "7", 1) + `}`, "", ""},
		{
			"numbers stay exact", full, `{"url":"a","limit":9007199254740993,"ratio":1.10}`,
			`{"url":"a",` + strings.NewReplacer("100", "9007199254740993", "2.50", "1.10").Replace(`"columns":["name","1"],"limit":100,"ratio":2.50,"header":true,`) + fullDefaults[strings.Index(fullDefaults, `"options"`):] + `}`, "", "",
		},
		{"an integer may be spelled 1.0", full, `{"url":"a","limit":1.0}`, `{"url":"a",` + strings.Replace(fullDefaults, "100", "1.0", 1) + `}`, "", ""},
		{"strings have one spelling", full, `{"url":"\u0061\/\ud83d\ude00\u007f"}`, `{"url":"a/😀\u007f",` + fullDefaults + `}`, "", ""},
		{"null where the default is null", full, `{"url":"a","note":null}`, `{"url":"a",` + fullDefaults + `}`, "", ""},
		{"no inputs", small, `{}`, `{}`, "", ""},

		{"unknown", small, `{"who":1}`, "", ReasonUnknown, `unknown argument "who"`},
		{"unknown, near", full, `{"url":"a","limits":1}`, "", ReasonUnknown, `did you mean limit`},
		{"unknown, hostile name", small, `{"\u001b[8m\u202e":1}`, "", ReasonUnknown, `"\x1b[8m\u202e"`},
		{"missing", full, `{"limit":1}`, "", ReasonMissing, `missing argument url (string)`},
		{"wrong type", full, `{"url":5}`, "", ReasonWrongType, `argument url: expected string, but got number`},
		{"null is no string", full, `{"url":null}`, "", ReasonWrongType, `got null`},
		{"null is no integer", full, `{"url":"a","limit":null}`, "", ReasonWrongType, `argument limit: expected integer`},
		{"half an integer", full, `{"url":"a","limit":1.5}`, "", ReasonWrongType, `argument limit`},
		{"true is no number", full, `{"url":"a","ratio":true}`, "", ReasonWrongType, `argument ratio`},
		{"an item of the wrong type", full, `{"url":"a","columns":["b",1]}`, "", ReasonWrongType, `argument columns/1: expected string`},
		{"an item against the pattern", full, `{"url":"a","columns":["_b"]}`, "", ReasonWrongType, `argument columns/0: does not match pattern`},
		{"all at once, in order", full, `{"x":1,"limit":"a","ratio":[]}`, "", ReasonUnknown, `unknown argument "x"; missing argument url (string); argument limit: expected integer, but got string; argument ratio: expected number, but got array`},
		{"missing before wrong", full, `{"limit":"a"}`, "", ReasonMissing, `missing argument url (string); argument limit`},

		{"an array", full, `[]`, "", ReasonWrongType, "one JSON object"},
		{"a string", full, `"url"`, "", ReasonWrongType, "one JSON object"},
		{"nothing", full, ``, "", ReasonNotJSON, ""},
		{"two objects", small, `{}{}`, "", ReasonNotJSON, "more text follows"},
		{"a duplicate", full, `{"url":"a","url":"b"}`, "", ReasonDuplicate, `"url"`},
		{"a duplicate by escape", full, `{"url":"a","\u0075rl":"b"}`, "", ReasonDuplicate, `"url"`},
		{"a duplicate inside", full, `{"url":"a","options":{"k":1,"k":2}}`, "", ReasonDuplicate, `"k"`},
		{"a lone surrogate", full, `{"url":"\ud800"}`, "", ReasonNotJSON, "surrogate"},
		{"a reversed pair", full, `{"url":"\ude00\ud83d"}`, "", ReasonNotJSON, "surrogate"},
		{"not UTF-8", full, "{\"url\":\"\xff\"}", "", ReasonNotJSON, "UTF-8"},
		{"a surrogate in UTF-8", full, "{\"url\":\"\xed\xa0\x80\"}", "", ReasonNotJSON, "UTF-8"},
		{"a raw control character", full, "{\"url\":\"a\nb\"}", "", ReasonNotJSON, "control character"},
		{"NaN", full, `{"url":"a","ratio":NaN}`, "", ReasonNotJSON, "NaN is not JSON"},
		{"-Infinity", full, `{"url":"a","ratio":-Infinity}`, "", ReasonNotJSON, "-Infinity is not JSON"},
		{"a leading zero", full, `{"url":"a","limit":012}`, "", ReasonNotJSON, "not a JSON number"},
		{"a hexadecimal number", full, `{"url":"a","limit":0x1}`, "", ReasonNotJSON, ""},
		{"a comma too many", full, `{"url":"a",}`, "", ReasonNotJSON, ""},
		{"single quotes", full, `{'url':'a'}`, "", ReasonNotJSON, ""},
		{"a comment", full, `{"url":"a"/**/}`, "", ReasonNotJSON, ""},
		{"a byte order mark", full, "\ufeff{\"url\":\"a\"}", "", ReasonNotJSON, ""},
		{"cut off", full, `{"url":"a`, "", ReasonNotJSON, "not closed"},
		{"a huge exponent", full, `{"url":"a","ratio":1e999999999}`, "", ReasonTooLarge, "exponent"},
		{"a huge integer", full, `{"url":"a","limit":1` + strings.Repeat("0", 1024) + `}`, "", ReasonTooLarge, "digits"},
		{"too deep", full, `{"url":"a","options":` + strings.Repeat(`{"a":`, limits.JSONDepth), "", ReasonTooLarge, "nested"},
		{"too long", full, `{"url":"` + strings.Repeat("a", limits.Arguments) + `"}`, "", ReasonTooLarge, "bytes"},
		{"too many values", full, `{"url":"a","options":{"a":[` + strings.Repeat("1,", maxJSONValues) + `1]}}`, "", ReasonTooLarge, "values"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Arguments(c.tool, []byte(c.raw))
			if c.want != "" {
				if err != nil || string(got) != c.want {
					t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
				}
				return
			}
			if err == nil || got != nil || fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != c.reason || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %s, error %v of kind %v, reason %q; want reason %q and %q", got, err, fault.KindOf(err), fault.ReasonOf(err), c.reason, c.says)
			}
		})
	}
	_, err := Arguments(full, []byte(`{}`))
	if hints := fault.HintsOf(err); len(hints) != 1 || !strings.Contains(hints[0], "url (string), columns (array, optional)") {
		t.Errorf("got hints %q", hints)
	}
	deepest := `{"url":"a","options":` + strings.Repeat(`{"a":`, limits.JSONDepth-2) + `1` + strings.Repeat(`}`, limits.JSONDepth-1)
	if _, err := Arguments(full, []byte(deepest)); err != nil {
		t.Errorf("the deepest value that is allowed is refused: %v", err)
	}
}

// TestZeroTool shows that a tool nobody read takes and returns nothing.
func TestZeroTool(t *testing.T) {
	if _, err := Arguments(&spec.Tool{}, []byte(`{"a":1}`)); fault.ReasonOf(err) != ReasonUnknown {
		t.Errorf("got %v", err)
	}
	if err := Result(&spec.Tool{}, []byte(`1`)); fault.ReasonOf(err) != ReasonResult {
		t.Errorf("got %v", err)
	}
	if problems := new(Schema).Check([]byte(`1`)); len(problems) != 1 {
		t.Errorf("got %v", problems)
	}
}

func TestArgumentFromText(t *testing.T) {
	optional := spec.Input{Name: "x", Type: spec.TypeInteger, Default: json.RawMessage("null")}
	cases := []struct {
		in   spec.Input
		text string
		want string // "" when refused
	}{
		{spec.Input{Type: spec.TypeString}, ``, `""`},
		{spec.Input{Type: spec.TypeString}, `null`, `"null"`},
		{spec.Input{Type: spec.TypeString}, ` "a" `, `" \"a\" "`},
		{spec.Input{Type: spec.TypeString}, "\xff", ""},
		{spec.Input{Type: spec.TypeInteger}, `-12`, `-12`},
		{spec.Input{Type: spec.TypeInteger}, `9007199254740993`, `9007199254740993`},
		{spec.Input{Type: spec.TypeInteger}, `1e2`, `1e2`},
		{spec.Input{Type: spec.TypeInteger}, `1.5`, ""},
		{spec.Input{Type: spec.TypeInteger}, `+1`, ""},
		{spec.Input{Type: spec.TypeInteger}, `0x10`, ""},
		{spec.Input{Type: spec.TypeInteger}, `"1"`, ""},
		{spec.Input{Type: spec.TypeInteger}, ``, ""},
		{spec.Input{Type: spec.TypeInteger}, `null`, ""},
		{optional, `null`, `null`},
		{optional, `true`, ""},
		{spec.Input{Type: spec.TypeNumber}, `2.50`, `2.50`},
		{spec.Input{Type: spec.TypeNumber}, `NaN`, ""},
		{spec.Input{Type: spec.TypeBoolean}, `true`, `true`},
		{spec.Input{Type: spec.TypeBoolean}, `yes`, ""},
		{spec.Input{Type: spec.TypeBoolean}, `True`, ""},
		{spec.Input{Type: spec.TypeArray}, ` ["a", 1] `, `["a",1]`},
		{spec.Input{Type: spec.TypeArray}, `a`, ""},
		{spec.Input{Type: spec.TypeArray}, `{}`, ""},
		{spec.Input{Type: spec.TypeObject}, `{"b":1,"a":2}`, `{"b":1,"a":2}`},
		{spec.Input{Type: spec.TypeObject}, `{"a":1,"a":2}`, ""},
		{spec.Input{}, `1`, ""},
	}
	for _, c := range cases {
		got, err := ArgumentFromText(c.in, c.text)
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s %q: got %s, %v; want %s", c.in.Type, c.text, got, err, c.want)
		}
		if err != nil && (fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != ReasonWrongType) {
			t.Errorf("%s %q: got kind %v, reason %q", c.in.Type, c.text, fault.KindOf(err), fault.ReasonOf(err))
		}
	}
}

func TestResult(t *testing.T) {
	full, small, null := tool(t, "full"), tool(t, "small"), tool(t, "null_output")
	cases := []struct {
		tool *spec.Tool
		raw  string
		says string // "" when accepted
	}{
		{small, `"hello"`, ""},
		{small, `5`, "expected string, but got number"},
		{small, `null`, "expected string"},
		{small, `"a" "b"`, "more text"},
		{small, ``, "missing"},
		{null, `null`, ""},
		{null, `0`, "expected null"},
		{full, `[]`, ""},
		{full, `[{"pattern":"a"},{"pattern":null,"more":1}]`, ""},
		{full, `[{"pattern":"a"},{"pattern":5}]`, "/1/pattern: expected string or null, but got number"},
		{full, `[{}]`, "/0: missing properties: 'pattern'"},
		{full, `{}`, "expected array"},
		{full, `[NaN]`, "NaN is not JSON"},
		{full, `[{"pattern":"a","pattern":"b"}]`, "stands twice"},
	}
	for _, c := range cases {
		err := Result(c.tool, []byte(c.raw))
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: got %v, want %q", c.raw, err, c.says)
		}
		if err != nil && (fault.KindOf(err) != fault.ToolFailed || fault.ReasonOf(err) != ReasonResult) {
			t.Errorf("%s: got kind %v, reason %q", c.raw, fault.KindOf(err), fault.ReasonOf(err))
		}
	}
}

// FuzzArguments holds that what is accepted is the same for Go's own decoder,
// is canonical already, and is accepted again unchanged.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{
		`{"url":"a"}`, `{"url":"\ud83d\ude00","limit":1e2,"options":{"a":[1,{"b":null}]}}`, `{"url":"a","columns":["b","c"],"note":null}`,
		`{"url":"a","url":"b"}`, `{"url":"\ud800"}`, `{"x":NaN}`, `[`, `{"url":"a","ratio":-0.0e-0}`, `{"url":"\u0000\\\/\b\f"}`,
	} {
		f.Add([]byte(s))
	}
	full := tool(f, "full")
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := Arguments(full, raw)
		var f *fault.Error
		if err != nil {
			if !errors.As(err, &f) || f.Kind != fault.Usage || f.Reason == "" || strings.ContainsFunc(f.Message, breaksLine) {
				t.Fatalf("error %q is not a printable usage fault", err)
			}
			return
		}
		given, err := decodeJSON(raw)
		if err != nil {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		after, err := decodeJSON(got)
		if err != nil {
			t.Fatalf("the canonical form is not JSON: %v", err)
		}
		result := after.(map[string]any)
		for name, v := range given.(map[string]any) {
			if !reflect.DeepEqual(result[name], v) {
				t.Fatalf("argument %q changed from %v to %v", name, v, result[name])
			}
		}
		again, err := Arguments(full, got)
		if err != nil || string(again) != string(got) {
			t.Fatalf("the canonical form is not stable: %s, %s, %v", got, again, err)
		}
	})
}

func BenchmarkArguments(b *testing.B) {
	for name, raw := range map[string]string{"example": `{"pdf_path":"/a.pdf"}`, "full": `{"url":"a","columns":["b"]}`} {
		t := tool(b, name)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Arguments(t, []byte(raw)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
