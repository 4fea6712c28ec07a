package invoke

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// deployment is a tool with one secret, one plain value and one that was skipped.
func deployment() *spec.Deployment {
	return &spec.Deployment{
		Command: []string{"prog", "; rm -rf $HOME"}, EndpointURL: "https://api.example.org/v1",
		Env: []spec.EnvVar{{Name: "USER"}, {Name: "KEY", Secret: true}, {Name: "SKIPPED"}},
	}
}

var env = map[string]string{"USER": "ann", "KEY": "k-secret"}

// TestParse: what a token is, and what is none.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"plain $5 $ {input.x} $$":   "",
		"${input.a}":                "${input.a}",
		"x${input.a.0.b-c_D}y":      "${input.a.0.b-c_D}",
		"${env.A_B}${input.q}":      "${env.A_B} ${input.q}",
		"$${input.a}":               "",
		"$$${input.a}":              "",
		"$${${input.a}":             "${input.a}",
		"${input.__proto__}":        "${input.__proto__}",
		"${input.a":                 "error",
		"${":                        "error",
		"${}":                       "error",
		"${a}":                      "error",
		"${HOME}":                   "error",
		"${input}":                  "error",
		"${input.}":                 "error",
		"${input..a}":               "error",
		"${input.a.}":               "error",
		"${input.a[0]}":             "error",
		"${ input.a }":              "error",
		"${Input.a}":                "error",
		"${env.a.b}":                "error",
		"${env.}":                   "error",
		"${secret.a}":               "error",
		"${input.${env.KEY}}":       "error",
		"${input.é}":                "error",
		strings.Repeat("x", 10_000): "error",
		strings.Repeat("${input.a}", limits.TemplateParts+1): "error",
	} {
		got, err := Parse(text)
		var names []string
		for _, token := range got.Tokens() {
			names = append(names, token.String())
		}
		is := strings.Join(names, " ")
		if err != nil {
			is = "error"
			if fault.KindOf(err) != fault.Findings {
				t.Errorf("%q: %v is of the kind %s", text, err, fault.KindOf(err))
			}
		}
		if is != want {
			t.Errorf("%q has %q, want %q (%v)", text, is, want, err)
		}
	}
}

// TestArgv: every rule of argument vectors, and next to each refusal what is taken.
func TestArgv(t *testing.T) {
	const schema = `{"type":"object","properties":{"limit":{"type":"integer","default":7},"deep":{"properties":{"in":{"default":"x"}}}}}`
	for name, c := range map[string]struct {
		template []string
		input    string
		want     []string // after the command
		reason   string
	}{
		"literals":               {[]string{"send", "", "a b"}, `{}`, []string{"send", "", "a b"}, ""},
		"no shell, no splitting": {[]string{"${input.a}"}, `{"a":"$(id); x  y\n*"}`, []string{"$(id); x  y\n*"}, ""},
		"one pass":               {[]string{"${input.a}"}, `{"a":"${env.KEY}${input.a}"}`, []string{"${env.KEY}${input.a}"}, ""},
		"escaped":                {[]string{"$${env.KEY}"}, `{}`, []string{"${env.KEY}"}, ""},
		"numbers as spelled":     {[]string{"${input.a}", "${input.b}", "n=${input.c}"}, `{"a":1.50,"b":9007199254740993,"c":1E2}`, []string{"1.50", "9007199254740993", "n=1E2"}, ""},
		"words":                  {[]string{"${input.a}${input.b}${input.c}"}, `{"a":true,"b":false,"c":null}`, []string{"truefalsenull"}, ""},
		"an empty text":          {[]string{"${input.a}"}, `{"a":""}`, []string{""}, ""},
		"deep":                   {[]string{"${input.a.0.b}"}, `{"a":[{"b":"x"}]}`, []string{"x"}, ""},
		"a name of digits":       {[]string{"${input.a.0}"}, `{"a":{"0":"x"}}`, []string{"x"}, ""},
		"a list as a whole":      {[]string{"${input.a}"}, `{"a":[1,"<b>"]}`, []string{`[1,"<b>"]`}, ""},
		"a list inside":          {[]string{"x=${input.a}"}, `{"a":[1]}`, nil, ReasonShape},
		"an index too far":       {[]string{"${input.a.1}"}, `{"a":[1]}`, nil, ReasonNoValue},
		"an index with a zero":   {[]string{"${input.a.00}"}, `{"a":[1]}`, nil, ReasonNoValue},
		"an index below":         {[]string{"${input.a.-1}"}, `{"a":[1]}`, nil, ReasonNoValue},
		"below a text":           {[]string{"${input.a.b}"}, `{"a":"b"}`, nil, ReasonNoValue},
		"absent":                 {[]string{"${input.b}"}, `{"a":1}`, nil, ReasonNoValue},
		"absent with a default":  {[]string{"${input.limit}", "${input.deep.in}"}, `{}`, []string{"7", "x"}, ""},
		"a value of the env":     {[]string{"${env.USER}"}, `{}`, []string{"ann"}, ""},
		"a skipped one":          {[]string{"${env.SKIPPED}"}, `{}`, nil, ReasonNoValue},
		"an unknown one":         {[]string{"${env.HOME}"}, `{}`, nil, ReasonToken},
		"an unknown token":       {[]string{"${HOME}"}, `{}`, nil, ReasonToken},
		"a secret":               {[]string{"--key=${env.KEY}"}, `{}`, nil, ReasonSecret},
		"a secret by an input":   {[]string{"${input.a}"}, `{"a":"my k-secret!"}`, nil, ReasonSecret},
		"an option":              {[]string{"${input.a}"}, `{"a":"-rf"}`, nil, ReasonOption},
		"an option in two parts": {[]string{"${input.a}${input.b}"}, `{"a":"","b":"--x"}`, nil, ReasonOption},
		"a number is no option":  {[]string{"${input.a}"}, `{"a":-5}`, []string{"-5"}, ""},
		"an option's value":      {[]string{"--x=${input.a}"}, `{"a":"-rf"}`, []string{"--x=-rf"}, ""},
		"after the options":      {[]string{"--", "${input.a}"}, `{"a":"-rf"}`, []string{"--", "-rf"}, ""},
		"a -- that was a value":  {[]string{"${input.b}", "${input.a}"}, `{"a":"-rf","b":"--"}`, nil, ReasonOption},
		"a zero byte":            {[]string{"${input.a}"}, `{"a":"x\u0000y"}`, nil, ReasonValue},
		"too long":               {[]string{"${input.a}"}, `{"a":"` + strings.Repeat("x", limits.CallArgv+1) + `"}`, nil, ReasonValue},
	} {
		t.Run(name, func(t *testing.T) {
			op := &spec.Operation{Name: "op", Input: json.RawMessage(schema), Invocation: spec.Invocation{Kind: spec.InvokeSubcommand, Argv: c.template}}
			got, err := Make(op, deployment(), json.RawMessage(c.input), env)
			if fault.ReasonOf(err) != c.reason {
				t.Fatalf("%v, want the reason %q", err, c.reason)
			}
			if err != nil {
				if strings.Contains(err.Error(), env["KEY"]) {
					t.Errorf("the message has the secret: %v", err)
				}
				return
			}
			if want := append([]string{"prog", "; rm -rf $HOME"}, c.want...); !slices.Equal(got.Argv, want) {
				t.Errorf("%q, want %q", got.Argv, want)
			}
		})
	}
}

// TestRequest: every rule of paths, queries, bodies and headers.
func TestRequest(t *testing.T) {
	type h = []spec.Header
	for name, c := range map[string]struct {
		method, path string
		headers      h
		input        string
		url, body    string
		reason       string
	}{
		"a path":                      {"GET", "/a", nil, `{}`, "/v1/a", "", ""},
		"a path without a slash":      {"GET", "a", nil, `{}`, "/v1/a", "", ""},
		"one segment":                 {"GET", "/a/${input.x}/b", nil, `{"x":"p/q?r#s&t é%"}`, "/v1/a/p%2Fq%3Fr%23s%26t%20%C3%A9%25/b", "", ""},
		"what is left is the query":   {"GET", "/${input.x}", nil, `{"a":[1,true],"b":"c d&e=f","x":1}`, "/v1/1?a=1&a=true&b=c%20d%26e%3Df", "", ""},
		"a query of the template":     {"GET", "/s?q=${input.q}&z=1", nil, `{"q":"../?&","r":2}`, "/v1/s?q=..%2F%3F%26&z=1&r=2", "", ""},
		"an object has no query":      {"GET", "/s", nil, `{"q":{"a":1}}`, "", "", ReasonShape},
		"an object has no path":       {"GET", "/${input.q}", nil, `{"q":{"a":1}}`, "", "", ReasonShape},
		"a body":                      {"POST", "/${input.x}", nil, `{"a":1.50,"b":"<&>","x":"y"}`, "/v1/y", `{"a":1.50,"b":"<&>"}`, ""},
		"a body less a deep member":   {"PATCH", "/${input.x.id}", nil, `{"x":{"id":"y","n":12345678901234567890}}`, "/v1/y", `{"x":{"n":12345678901234567890}}`, ""},
		"elements stay":               {"PUT", "/${input.x.0}", nil, `{"x":["y","z"]}`, "/v1/y", `{"x":["y","z"]}`, ""},
		"DELETE has no body":          {"DELETE", "/${input.x}", nil, `{"x":"y","force":true}`, "/v1/y?force=true", "", ""},
		"another method":              {"TRACE", "/", nil, `{}`, "", "", ReasonTemplate},
		"up":                          {"GET", "/a/${input.x}", nil, `{"x":".."}`, "", "", ReasonValue},
		"up and on":                   {"GET", "/a/${input.x}", nil, `{"x":"../../etc"}`, "", "", ReasonValue},
		"up by backslashes":           {"GET", "/a/${input.x}", nil, `{"x":"..\\x"}`, "", "", ReasonValue},
		"up, encoded":                 {"GET", "/a/${input.x}", nil, `{"x":"%2e%2e%2fx"}`, "", "", ReasonValue},
		"up, encoded twice":           {"GET", "/a/${input.x}", nil, `{"x":"%252E%252e%255cx"}`, "", "", ReasonValue},
		"up with a parameter":         {"GET", "/a/${input.x}", nil, `{"x":"..;a"}`, "", "", ReasonValue},
		"here":                        {"GET", "/a/${input.x}", nil, `{"x":"."}`, "", "", ReasonValue},
		"up in two values":            {"GET", "/a/${input.x}${input.y}", nil, `{"x":".","y":"."}`, "", "", ReasonValue},
		"up by a literal and a value": {"GET", "/a/.${input.x}/b", nil, `{"x":"."}`, "", "", ReasonValue},
		"other dots":                  {"GET", "/a/${input.x}", nil, `{"x":"a..b..."}`, "/v1/a/a..b...", "", ""},
		"an empty segment":            {"DELETE", "/a/${input.x}", nil, `{"x":""}`, "", "", ReasonValue},
		"a line break in a path":      {"GET", "/a/${input.x}", nil, `{"x":"a\nb"}`, "", "", ReasonValue},
		"another host":                {"GET", "${input.x}", nil, `{"x":"@evil.example.org/"}`, "/v1/%40evil.example.org%2F", "", ""},
		"another host by slashes":     {"GET", "//evil.example.org/x", nil, `{}`, "/v1//evil.example.org/x", "", ""},
		"a fragment":                  {"GET", "/a#b", nil, `{}`, "", "", ReasonTemplate},
		"a literal step up":           {"GET", "/../a", nil, `{}`, "", "", ReasonValue},
		"a secret in the path":        {"GET", "/${env.KEY}", nil, `{}`, "", "", ReasonSecret},
		"a secret in the query":       {"GET", "/a?k=${env.KEY}", nil, `{}`, "", "", ReasonSecret},
		"a secret by an input":        {"GET", "/a", nil, `{"q":"k-secret"}`, "", "", ReasonSecret},
		"a secret in a header":        {"GET", "/a", h{{Name: "authorization", Value: "Bearer ${env.KEY}"}}, `{}`, "/v1/a", "", ""},
		"a secret in a body":          {"POST", "/a", nil, `{"q":"k-secret"}`, "/v1/a", `{"q":"k-secret"}`, ""},
		"a line break in a header":    {"GET", "/a", h{{Name: "X-A", Value: "${input.x}"}}, `{"x":"a\r\nHost: b"}`, "", "", ReasonValue},
		"a line feed alone":           {"GET", "/a", h{{Name: "X-A", Value: "${input.x}"}}, `{"x":"a\nb"}`, "", "", ReasonValue},
		"the host":                    {"GET", "/a", h{{Name: "host", Value: "evil"}}, `{}`, "", "", ReasonTemplate},
		"how it travels":              {"GET", "/a", h{{Name: "Transfer-Encoding", Value: "chunked"}}, `{}`, "", "", ReasonTemplate},
		"a proxy's":                   {"GET", "/a", h{{Name: "proxy-authorization", Value: "x"}}, `{}`, "", "", ReasonTemplate},
		"twice":                       {"GET", "/a", h{{Name: "X-A", Value: "1"}, {Name: "x-a", Value: "2"}}, `{}`, "", "", ReasonTemplate},
		"no name":                     {"GET", "/a", h{{Name: "X A", Value: "1"}}, `{}`, "", "", ReasonTemplate},
	} {
		t.Run(name, func(t *testing.T) {
			op := &spec.Operation{Name: "op", Input: json.RawMessage(`{"type":"object"}`), Invocation: spec.Invocation{Kind: spec.InvokeHTTP, Method: c.method, Path: c.path, Headers: c.headers}}
			got, err := Make(op, deployment(), json.RawMessage(c.input), env)
			if fault.ReasonOf(err) != c.reason {
				t.Fatalf("%v, want the reason %q", err, c.reason)
			}
			if err != nil {
				return
			}
			if want := "https://api.example.org" + c.url; got.Request.URL != want || string(got.Request.Body) != c.body {
				t.Errorf("%s says %s, want %s and %s", got.Request.URL, got.Request.Body, want, c.body)
			}
		})
	}
	op := &spec.Operation{Name: "op", Invocation: spec.Invocation{Kind: spec.InvokeHTTP, Method: "GET", Path: "/"}}
	for _, endpoint := range []string{"", "ftp://a", "https://", "https://u@a", "https://a/?q", "https://a/#x", "https://a/../b", "//a", "https:a"} {
		d := deployment()
		d.EndpointURL = endpoint
		if _, err := Make(op, d, json.RawMessage(`{}`), env); fault.ReasonOf(err) != ReasonTemplate {
			t.Errorf("the endpoint %q: %v", endpoint, err)
		}
	}
}

// TestStdin: the input is one object on one line.
func TestStdin(t *testing.T) {
	op := &spec.Operation{Name: "op", Input: json.RawMessage(`{}`), Invocation: spec.Invocation{Kind: spec.InvokeStdinJSON, Argv: []string{"json"}}}
	c, err := Make(op, deployment(), json.RawMessage(`{"a":"k-secret"}`), env)
	if err != nil || string(c.Stdin) != `{"a":"k-secret"}`+"\n" || c.Argv[2] != "json" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestRead: each form of an answer, and what is none.
func TestRead(t *testing.T) {
	const schema = `{"type":"object","properties":{"n":{"type":"integer"}}}`
	for name, c := range map[string]struct {
		format   spec.OutputFormat
		schema   string
		standard bool
		reply    Reply
		want     string // the result, or in front of a reason "!"
	}{
		"json":                   {spec.OutputJSON, schema, false, Reply{Body: []byte(" {\"n\": 1}\n")}, `{"n":1}`},
		"json after a banner":    {spec.OutputJSON, "", false, Reply{Body: []byte("hello\n{}")}, "!wrong_result"},
		"two documents":          {spec.OutputJSON, "", false, Reply{Body: []byte("{}{}")}, "!wrong_result"},
		"a member twice":         {spec.OutputJSON, "", false, Reply{Body: []byte(`{"a":1,"a":2}`)}, "!wrong_result"},
		"not its schema":         {spec.OutputJSON, schema, false, Reply{Body: []byte(`{"n":"1"}`)}, "!wrong_result"},
		"nothing":                {spec.OutputJSON, "", false, Reply{}, "!wrong_result"},
		"text":                   {spec.OutputText, "", false, Reply{Body: []byte("a\"b\n")}, `"a\"b\n"`},
		"no text":                {spec.OutputText, "", false, Reply{Body: []byte{0xff}}, "!wrong_result"},
		"records":                {spec.OutputNDJSON, schema, false, Reply{Body: []byte("{\"n\":1}\r\n\n{\"n\": 2}")}, `[{"n":1},{"n":2}]`},
		"no records":             {spec.OutputNDJSON, schema, false, Reply{}, `[]`},
		"a bad record":           {spec.OutputNDJSON, schema, false, Reply{Body: []byte("{\"n\":1}\n{\"n\":2}\n{\"n\":\"3\"}\n")}, "!wrong_result line 3"},
		"a record that is none":  {spec.OutputNDJSON, "", false, Reply{Body: []byte("[1]\n")}, "!wrong_result line 1"},
		"bytes":                  {spec.OutputBinary, "", false, Reply{Body: []byte{1, 2, 3}}, `{"bytes":3,"base64":"AQID"}`},
		"none":                   {spec.OutputNone, "", false, Reply{Body: []byte("x")}, `null`},
		"an exit code":           {spec.OutputText, "", false, Reply{Body: []byte("x"), Exit: 3}, "!exit"},
		"a status":               {spec.OutputJSON, "", false, Reply{Body: []byte("{}"), Status: 404}, "!http_status"},
		"a good status":          {spec.OutputJSON, "", false, Reply{Body: []byte("{}"), Status: 201}, "{}"},
		"it says so":             {spec.OutputText, "", false, Reply{Body: []byte("x"), Failed: true}, "!tool_error"},
		"the envelope":           {spec.OutputJSON, "", true, Reply{Body: []byte(`{"error":{"code":"c","message":"m","details":{}}}`), Exit: 1}, "!tool_error"},
		"the envelope with 200":  {spec.OutputJSON, "", true, Reply{Body: []byte(`{"error":{"code":"c","message":"m"}}`), Status: 200}, "!tool_error"},
		"the envelope, raw":      {spec.OutputJSON, "", false, Reply{Body: []byte(`{"error":{"code":"c","message":"m"}}`)}, `{"error":{"code":"c","message":"m"}}`},
		"more than the envelope": {spec.OutputJSON, "", true, Reply{Body: []byte(`{"error":{"code":"c","message":"m"},"x":1}`)}, `{"error":{"code":"c","message":"m"},"x":1}`},
		"a code that is none":    {spec.OutputJSON, "", true, Reply{Body: []byte(`{"error":{"code":1,"message":"m"}}`)}, `{"error":{"code":1,"message":"m"}}`},
		"a form that is none":    {"yaml", "", false, Reply{}, "!" + ReasonTemplate},
	} {
		t.Run(name, func(t *testing.T) {
			op := &spec.Operation{Name: "op", Output: &spec.OperationOutput{Format: c.format}, StandardError: c.standard}
			if c.schema != "" {
				op.Output.Schema = json.RawMessage(c.schema)
			}
			got, err := Read(op, manifest.NewOperation("a_tool", op), "a_tool op", c.reply)
			if reason, no := strings.CutPrefix(c.want, "!"); no {
				reason, words, _ := strings.Cut(reason, " ")
				if fault.ReasonOf(err) != reason || !strings.Contains(err.Error(), words) {
					t.Errorf("%v, want %s", err, c.want)
				}
				return
			}
			if err != nil || string(got.Result) != c.want {
				t.Errorf("%+v, %v, want %s", got, err, c.want)
			}
		})
	}
}

// TestAgain: when a call is made once more, and when never.
func TestAgain(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		idempotent bool
		attempts   int
		status     int
		after      string
		waited     time.Duration
		pause      time.Duration
		ok         bool
	}{
		"not idempotent":      {false, 1, 503, "", 0, 0, false},
		"busy":                {true, 1, 503, "", 0, firstPause, true},
		"busy again":          {true, 2, 429, "", 0, 2 * firstPause, true},
		"busy thrice":         {true, 3, 429, "", 0, 0, false},
		"no connection":       {true, 1, 0, "", 0, firstPause, true},
		"its own fault":       {true, 1, 500, "", 0, 0, false},
		"ours":                {true, 1, 404, "", 0, 0, false},
		"asked to wait":       {true, 1, 503, "3", 0, 3 * time.Second, true},
		"until a date":        {true, 1, 503, "Sun, 22 Nov 2026 12:00:05 GMT", 0, 5 * time.Second, true},
		"until the past":      {true, 1, 503, "Sun, 22 Nov 2020 12:00:05 GMT", 0, 0, true},
		"asked for too long":  {true, 1, 503, "3600", 0, time.Hour, false},
		"waited enough":       {true, 1, 503, "3", limits.CallWait, 3 * time.Second, false},
		"asked for a riddle":  {true, 1, 503, "soon", 0, firstPause, true},
		"asked for less than": {true, 1, 503, "-1", 0, firstPause, true},
	} {
		op := &spec.Operation{Idempotent: c.idempotent}
		if pause, ok := Again(op, c.attempts, c.status, c.after, now, c.waited); ok != c.ok || pause != c.pause {
			t.Errorf("%s: %v, %v", name, pause, ok)
		}
	}
}

// FuzzTemplate: whatever a template and a value are, an argument stays one, an address
// stays below its endpoint, and no secret stands in either.
func FuzzTemplate(f *testing.F) {
	f.Add("${input.x}", "../x")
	f.Add("a/${input.x}?q=${input.x}", "%2e%2e/é\r\n")
	f.Add("$${${env.USER}", "--help")
	f.Add("\x00\x04input.\x80}", "../t")
	f.Fuzz(func(t *testing.T, template, value string) {
		input, err := json.Marshal(map[string]string{"x": value})
		if err != nil {
			t.Skip()
		}
		op := &spec.Operation{Name: "op", Input: json.RawMessage(`{}`), Invocation: spec.Invocation{Kind: spec.InvokeSubcommand, Argv: []string{template}}}
		if c, err := Make(op, deployment(), input, env); err == nil {
			if len(c.Argv) != 3 || strings.Contains(c.Argv[2], env["KEY"]) || strings.ContainsRune(c.Argv[2], 0) {
				t.Errorf("%q", c.Argv)
			}
		}
		op.Invocation = spec.Invocation{Kind: spec.InvokeHTTP, Method: "GET", Path: template}
		if c, err := Make(op, deployment(), input, env); err == nil {
			if !strings.HasPrefix(c.Request.URL, "https://api.example.org/v1/") || strings.ContainsAny(c.Request.URL, " \r\n#") || strings.Contains(unescaped(c.Request.URL), env["KEY"]) {
				t.Errorf("%q", c.Request.URL)
			}
		}
		op.Invocation = spec.Invocation{Kind: spec.InvokeHTTP, Method: "POST", Path: "/", Headers: []spec.Header{{Name: "X-A", Value: template}}}
		if c, err := Make(op, deployment(), input, env); err == nil && strings.ContainsAny(c.Request.Headers[0].Value, "\r\n\x00") {
			t.Errorf("%q", c.Request.Headers)
		}
	})
}

// FuzzRead: no answer makes a reader panic, and what is read is JSON.
func FuzzRead(f *testing.F) {
	f.Add("{\"n\":1}\n{}", "ndjson-stream", true)
	f.Add(`{"error":{"code":"c","message":"m"}}`, "json", true)
	f.Fuzz(func(t *testing.T, body, format string, standard bool) {
		op := &spec.Operation{Name: "op", Output: &spec.OperationOutput{Format: spec.OutputFormat(format), Schema: json.RawMessage(`{"type":"object"}`)}, StandardError: standard}
		a, err := Read(op, manifest.NewOperation("a_tool", op), "a_tool op", Reply{Body: []byte(body)})
		if err == nil && !json.Valid(a.Result) {
			t.Errorf("%q", a.Result)
		}
	})
}
