package contribute

import (
	"maps"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

func TestDocstring(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		summary string
		params  map[string]string
		returns string
	}{
		"one line": {"Count words.", "Count words.", nil, ""},
		"google": {
			"Count words.\n\nMore of it.\n\nArgs:\n    text (str): The text,\n        of any length.\n    *rest: The rest.\nReturns:\n    dict: The counts.\n\nRaises:\n    ValueError: Never.",
			"Count words.",
			map[string]string{"text": "The text, of any length.", "rest": "The rest."},
			"The counts.",
		},
		"numpy": {
			"Count words.\n\nParameters\n----------\ntext : str\n    The text.\nn, optional\n    How many.\n\nReturns\n-------\ndict\n    The counts.\n",
			"Count words.",
			map[string]string{"text": "The text.", "n": "How many."},
			"The counts.",
		},
		"fields": {
			"Count ``words``\nof a text.\n\n:param text: The text,\n    of any length.\n:param int n: How many.\n:type n: int\n:raises ValueError: Never.\n:returns: The counts.",
			"Count `words` of a text.",
			map[string]string{"text": "The text, of any length.", "n": "How many."},
			"The counts.",
		},
		"nothing":              {"", "", nil, ""},
		"a heading is no text": {"Args:\n    a: The a.", "", map[string]string{"a": "The a."}, ""},
		"a colon in the text":  {"Do it: now.", "Do it: now.", nil, ""},
	} {
		d := parseDocstring(c.text)
		if d.summary != c.summary || d.returns != c.returns || !maps.Equal(d.params, c.params) && len(c.params)+len(d.params) > 0 {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestSplitFunction(t *testing.T) {
	for from, want := range map[string][2]string{
		"a.py": {"a.py", ""}, "a.py:f": {"a.py", "f"}, "/x/a.py:_f1": {"/x/a.py", "_f1"}, `C:\a.py`: {`C:\a.py`, ""}, `C:\a.py:f`: {`C:\a.py`, "f"},
		"a.py:": {"a.py:", ""}, "a.py:1f": {"a.py:1f", ""}, "a.py:f\nimport os": {"a.py:f\nimport os", ""}, "": {"", ""},
	} {
		if path, function := splitFunction(from); path != want[0] || function != want[1] {
			t.Errorf("%q: %q, %q", from, path, function)
		}
	}
}

// What the program prints about a source that took it over is not believed
// where it would do harm.
func TestSignatureRefused(t *testing.T) {
	const good = `{"schema":1,"error":"","files":"none","guards":[[1,2]],"params":[{"name":"a","schema":{"type":"array","items":{"type":"string"}},"default":"[1]"}],"returns":{"type":"object"}}`
	if _, err := parseSignature([]byte(good), 2); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"schema":              {`"schema":1`, `"schema":2`},
		"unknown field":       {`"error"`, `"eval":1,"error"`},
		"lines that overlap":  {`[[1,2]]`, `[[1,2],[2,2]]`},
		"lines beyond":        {`[[1,2]]`, `[[1,3]]`},
		"lines backwards":     {`[[1,2]]`, `[[2,1]]`},
		"type":                {`"object"`, `"bytes"`},
		"type of elements":    {`"string"`, `"\u001b[2J"`},
		"default":             {`"[1]"`, `"[1"`},
		"files":               {`"none"`, `"all"`},
		"nesting without end": {`{"type":"object"}`, strings.Repeat(`{"type":"array","items":`, 100) + `{"type":"string"}` + strings.Repeat("}", 100)},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if _, err := parseSignature([]byte(bad), 2); bad == good || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzSignature(f *testing.F) {
	f.Add([]byte(`{"schema":1,"error":"","files":"none","guards":[[1,2]],"params":[{"name":"a","kind":"plain","schema":{"type":"array"},"default":"[1]","has_default":true}],"returns":{"type":"object"},"found":true,"function":"f"}`))
	f.Add([]byte(`{"schema":1,"error":"x","line":-1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseSignature(data, 10)
		if err != nil || s.Error != "" {
			return
		}
		if s.usable("f.py", s.Function) != nil {
			return
		}
		d := &deriving{out: &Derived{Function: s.Function}, sig: s}
		d.describe("")
		d.inputs()
		d.output()
		_ = d.write([]byte(strings.Repeat("x = 1\n", 10)))
	})
}

func FuzzDocstring(f *testing.F) {
	f.Add("Count.\n\nArgs:\n    a: b\n")
	f.Add("x\n\nParameters\n----\na : b\n    c\n:param x: y")
	f.Fuzz(func(t *testing.T, text string) {
		d := parseDocstring(text)
		for _, s := range append([]string{d.summary, d.returns}, strings.Join(nil, "")) {
			if len(s) > limits.Description || strings.ContainsAny(s, "\n\r") {
				t.Errorf("%q", s)
			}
		}
		for _, s := range d.params {
			if len(s) > limits.Description || strings.ContainsAny(s, "\n\r") {
				t.Errorf("%q", s)
			}
		}
	})
}
