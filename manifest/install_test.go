package manifest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// installs returns the manifests of testdata/install/ok by name.
func installs(tb testing.TB) map[string]string {
	tb.Helper()
	paths, err := filepath.Glob("testdata/install/ok/*.json")
	if err != nil || len(paths) == 0 {
		tb.Fatal(err)
	}
	out := map[string]string{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			tb.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(p), ".json")] = string(data)
	}
	return out
}

// TestInstallAccepted reads each whole manifest and compares the tool.
func TestInstallAccepted(t *testing.T) {
	for name, text := range installs(t) {
		t.Run(name, func(t *testing.T) {
			doc, findings := Read("install.json", []byte(text), Strict)
			if doc == nil || spec.Blocking(findings) {
				t.Fatalf("refused:\n%s", listing(doc, findings))
			}
			if !bytes.Equal(doc.Raw, []byte(text)) {
				t.Error("the bytes are not those of the file")
			}
			lenient, _ := Read("install.json", []byte(text), Lenient)
			a, _ := json.MarshalIndent(doc.Tool, "", "  ")
			b, err := json.MarshalIndent(lenient.Tool, "", "  ")
			if err != nil || !bytes.Equal(a, b) {
				t.Errorf("a lenient reading differs: %v", err)
			}
			golden(t, filepath.Join("testdata/install/ok", name+".out"), string(a)+"\n"+listing(doc, findings))
			if line, col := doc.Place("/tool/id"); line == 0 || col == 0 {
				t.Error("the id has no place")
			}
		})
	}
}

// installCases break a whole manifest in one point each; the manifest as it is is the
// twin of every one of them.
var installCases = []struct {
	name, file, old, new string
	code                 string
	strict, lenient      spec.Severity
	line                 int
}{
	// Editions.
	{"edition of before", "mail", `"0.2"`, `"0.1"`, "manifest-version-unsupported", bad, bad, 2},
	{"edition 0.3", "mail", `"0.2"`, `"0.3"`, "manifest-version-unsupported", bad, bad, 2},
	{"edition 0.3.1", "mail", `"0.2"`, `"0.3.1"`, "manifest-version-unsupported", bad, bad, 2},
	{"edition 0.4", "mail", `"0.2"`, `"0.4"`, "manifest-version-unsupported", bad, bad, 2},
	{"edition of nobody", "mail", `"0.2"`, `"0.20"`, "manifest-version-unsupported", bad, bad, 2},
	{"edition, what is new in it", "mail", `"0.2",`, `"0.3", "verify": {},`, "edition-difference", note, note, 2},
	{"edition as a number", "mail", `"0.2"`, `0.2`, "schema-type", bad, bad, 2},
	{"edition not said", "mail", `"manifest_version": "0.2",`, ``, "schema-required", bad, bad, 1},
	// JSON.
	{"a key twice", "mail", `"id": "post-box",`, `"id": "other", "id": "post-box",`, "duplicate-key", bad, bad, 3},
	{"a key in another case", "mail", `"id": "post-box",`, `"Id": "other", "id": "post-box",`, "case-variant-key", warn, warn, 3},
	{"a lone surrogate", "mail", `Post box`, `Post \ud800`, "json-invalid", bad, bad, 3},
	{"not a number", "mail", `"http_status": 200`, `"http_status": NaN`, "json-invalid", bad, bad, 25},
	{"a number without end", "mail", `"http_status": 200`, `"http_status": 1e999`, "number-too-large", bad, bad, 25},
	{"more text", "mail", "revoke\"}\n}", "revoke\"}\n} {}", "json-invalid", bad, bad, 28},
	{"a byte order mark", "mail", "{\n  \"manifest_version\"", "\ufeff{\n  \"manifest_version\"", "byte-order-mark", bad, warn, 1},
	{"too large", "mail", "Post box", strings.Repeat("x", limits.ToolFile), "too-large", bad, bad, 0},
	// The form.
	{"a member of the prototype", "mail", `"tool": {`, `"__proto__": {}, "tool": {`, "schema-unknown-member", bad, bad, 3},
	{"null is not absent", "mail", `"env": [`, `"support": null, "env": [`, "schema-type", bad, bad, 9},
	{"a line end behind an id", "mail", `post-box`, `post-box\n`, "schema-pattern", bad, bad, 3},
	{"a branch by its method", "weather", `"package": "weather-desk", `, ``, "schema-required", bad, bad, 16},
	// Who it is.
	{"an id with two hyphens", "mail", `post-box`, `post--box`, "id-not-a-name", bad, warn, 3},
	{"an id that begins with a digit", "mail", `post-box`, `9-lives`, "id-not-a-name", bad, warn, 3},
	{"an id that is too long for a name", "mail", `post-box`, "a" + strings.Repeat("b", 48), "id-not-a-name", bad, warn, 3},
	{"an id of ours", "mail", `post-box`, `patch-box`, "id-not-a-name", bad, warn, 3},
	{"a leading zero", "mail", `0.3.0-rc.1`, `00.3.0`, "version-not-semver", bad, bad, 3},
	{"a license in words", "weather", `"MIT"`, `"MIT License"`, "license-not-spdx", bad, warn, 11},
	{"a license in another case", "weather", `"MIT"`, `"mit"`, "license-not-spdx", bad, warn, 11},
	// What is acquired.
	{"a range of pip", "weather", `==1.4.0`, `>=1.4.0`, "version-not-exact", bad, warn, 16},
	{"a wildcard of pip", "weather", `==1.4.0`, `==1.*`, "version-not-exact", bad, warn, 16},
	{"no version", "weather", `, "version_spec": "==1.4.0"`, ``, "version-not-exact", bad, warn, 16},
	{"a range of npm", "weather", `"pip", "package": "weather-desk", "version_spec": "==1.4.0"`, `"npm", "package": "@w/desk", "version_spec": "^1.4.0"`, "version-not-exact", bad, warn, 16},
	{"an option for pip", "weather", `"package": "weather-desk"`, `"package": "--index-url=x"`, "package-name-invalid", bad, bad, 16},
	{"an address for pip", "weather", `"package": "weather-desk"`, `"package": "x @ file:///tmp/x"`, "package-name-invalid", bad, bad, 16},
	{"a branch of git", "weather", pipInstall, `{"method": "git", "url": "https://a.example/r", "ref": "main"}`, "git-ref-not-sha", bad, warn, 16},
	{"a short SHA", "weather", pipInstall, `{"method": "git", "url": "https://a.example/r", "ref": "0123456"}`, "git-ref-not-sha", bad, warn, 16},
	{"a program for git", "weather", pipInstall, `{"method": "git", "url": "ext::sh -c id", "ref": "` + sha + `"}`, "package-name-invalid", bad, bad, 16},
	{"a path out of git", "weather", pipInstall, `{"method": "git", "url": "https://a.example/r", "ref": "` + sha + `", "subpath": "a/../../b"}`, "path-escapes", bad, bad, 16},
	{"git in the clear", "weather", pipInstall, `{"method": "git", "url": "http://a.example/r", "ref": "` + sha + `"}`, "address-not-https", warn, warn, 16},
	{"an image by tag", "mail", `@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef`, `:latest`, "image-without-digest", bad, warn, 6},
	// How it is started and called.
	{"both ends", "weather", `"entrypoint":`, `"endpoint_url": "https://a.example", "entrypoint":`, "entrypoint-and-endpoint", bad, bad, 17},
	{"no end", "weather", `,
    "entrypoint": {"command": ["python3", "-m", "weather_desk"], "cwd": "."}`, ``, "no-entrypoint", bad, bad, 14},
	{"http without an address", "weather", `"kind": "stdin-json", "argv_template": ["subscribe"]`, `"kind": "http", "method": "POST", "path": "/x"`, "http-action-without-endpoint", bad, bad, 49},
	{"a program of a service", "mail", `"kind": "mcp-tool", "tool_name": "send"`, `"kind": "stdin-json"`, "no-entrypoint", bad, bad, 21},
	{"a tool of no server", "weather", `"kind": "stdin-json", "argv_template": ["subscribe"]`, `"kind": "mcp-tool", "tool_name": "x"`, "mcp-tool-on-non-mcp", bad, bad, 49},
	{"an unknown token", "weather", `${input.place}`, `${place}`, "template-token-unknown", bad, bad, 31},
	{"a token that is not closed", "weather", `${input.place}`, `${input.place`, "template-token-unknown", bad, bad, 31},
	{"an input that is not there", "weather", `${input.place}`, `${input.plaice}`, "template-input-undeclared", bad, bad, 31},
	{"a variable that is not there", "weather", `${env.WEATHER_UNITS}`, `${env.HOME}`, "template-env-undeclared", bad, bad, 31},
	{"a secret among arguments", "weather", `${env.WEATHER_UNITS}`, `${env.WEATHER_KEY}`, "secret-in-argv", bad, bad, 31},
	{"a secret in a path", "mail", `/boxes/`, `/${env.POST_TOKEN}/`, "secret-in-path", bad, bad, 15},
	{"a secret with a default", "weather", `"prompt": "The key of your account"`, `"default": "x", "prompt": "The key of your account"`, "secret-default", bad, bad, 20},
	{"a default that does not match", "weather", `"default": "metric"`, `"default": "kelvin"`, "default-does-not-match", warn, warn, 21},
	{"no regular expression", "weather", `^(metric|imperial)$`, `^(metric`, "regex-invalid", bad, bad, 21},
	{"one of another language", "weather", `^(metric|imperial)$`, `(?i)metric`, "regex-invalid", bad, bad, 21},
	{"a variable twice", "weather", `"WEATHER_UNITS", "prompt"`, `"WEATHER_KEY", "prompt"`, "duplicate-env", bad, bad, 21},
	{"an action twice", "weather", `"name": "subscribe"`, `"name": "forecast"`, "duplicate-action", bad, bad, 47},
	{"a resource twice", "weather", `"fs.local"`, `"weather.forecast"`, "duplicate-scope", warn, warn, 25},
	{"a scope of nobody", "weather", `"scopes_used": ["weather.forecast"]`, `"scopes_used": ["weather.alerts"]`, "scope-undeclared", warn, warn, 42},
	{"too many tokens", "weather", `"${input.place}"`, `"` + strings.Repeat("${input.place}", maxTokens+1) + `"`, "template-too-long", bad, bad, 31},
	{"a token in a command", "weather", `"weather_desk"]`, `"${env.WEATHER_UNITS}"]`, "template-not-here", warn, warn, 17},
	// Schemas.
	{"no schema", "weather", `"minLength": 1,`, `"minLength": -1,`, codeSchemaInvalid, bad, bad, 37},
	{"no pattern", "weather", `^(?!-)`, `^(`, codeSchemaInvalid, bad, bad, 37},
	{"a schema elsewhere", "weather", `"#/$defs/place"`, `"https://a.example/schema.json"`, codeSchemaRemote, bad, bad, 36},
	{"a schema nowhere", "weather", `"#/$defs/place"`, `"#/$defs/plaice"`, codeSchemaInvalid, bad, bad, 36},
	{"a schema of itself", "weather", `"place": {"type": "string", "minLength"`, `"place": {"$ref": "#/$defs/place", "minLength"`, codeSchemaInvalid, bad, bad, 36},
	{"another dialect", "weather", `https://json-schema.org/draft/2020-12/schema`, `http://json-schema.org/draft-07/schema#`, codeSchemaDialect, bad, bad, 33},
	{"a schema of an output", "weather", `{"days": {"type": "array"}}`, `{"days": {"type": "list"}}`, "output-schema-invalid", bad, bad, 39},
	{"an open input", "weather", `{"type": "object", "properties": {"place": {"type": "string"}}, "additionalProperties": false}`, `{"type": "object"}`, "input-schema-closed", note, note, 50},
	{"an example that does not fit", "weather", `"days": 2.0`, `"days": 2.5`, "example-invalid", warn, warn, 44},
	{"an example with more", "weather", `"days": 2.0`, `"day": 2`, "example-invalid", warn, warn, 44},
	{"an answer that does not fit", "mail", `"output": [{"id": 1}]`, `"output": [{"id": 1}, {}]`, "example-invalid", warn, warn, 19},
	// Proof.
	{"a smoke of no action", "weather", `"action": "forecast"`, `"action": "forecasts"`, "smoke-action-unresolved", bad, bad, 56},
	{"a smoke with effects", "weather", `"action": "forecast"`, `"action": "subscribe"`, "smoke-action-has-side-effects", bad, bad, 56},
	{"a smoke with other arguments", "weather", `"arguments": {"place": "Oslo"}`, `"arguments": {"place": "-x"}`, "smoke-arguments-invalid", bad, bad, 57},
	{"a smoke without arguments", "weather", `"arguments": {"place": "Oslo"},`, ``, "smoke-arguments-invalid", bad, bad, 54},
	{"a smoke of no server", "weather", `"kind": "action-call",
    "action": "forecast"`, `"kind": "mcp-tool-call",
    "tool_name": "forecast"`, "mcp-tool-on-non-mcp", bad, bad, 56},
	{"no pointer", "weather", `/days/0/a~1b`, `days`, "json-pointer-invalid", bad, bad, 59},
	{"an escape that pointers lack", "weather", `/days/0/a~1b`, `/a~2b`, "json-pointer-invalid", bad, bad, 59},
	{"a condition of another kind", "mail", `"http_status": 200`, `"exit_code": 0`, "smoke-condition-idle", warn, warn, 25},
	{"no condition", "mail", `{"http_status": 200, "body_regex": "(?<=\"user\":)"}`, `{}`, "smoke-condition-idle", warn, warn, 25},
	{"a pattern of the body", "mail", `(?<=\"user\":)`, `(?<=\"user\":`, "regex-invalid", bad, bad, 25},
	{"a token of a smoke in the other form", "mail", `Bearer ${POST_TOKEN}`, `Bearer ${env.POST_TOKEN}`, "template-token-unknown", bad, bad, 24},
	{"a token of a smoke that is not there", "mail", `Bearer ${POST_TOKEN}`, `Bearer ${POST_KEY}`, "template-env-undeclared", bad, bad, 24},
	{"a token in an address of a smoke", "mail", `/api/me"`, `/api/${POST_TOKEN}"`, "template-not-here", warn, warn, 24},
	{"a token in an expectation", "weather", `"/days/0/a~1b": null`, `"/days/0/a~1b": "${WEATHER_UNITS}"`, "template-in-json-pointer", warn, warn, 59},
	{"a service in the clear", "mail", `"endpoint_url": "https:`, `"endpoint_url": "http:`, "address-not-https", warn, warn, 7},
}

const (
	pipInstall = `{"method": "pip", "package": "weather-desk", "version_spec": "==1.4.0"}`
	sha        = "0123456789abcdef0123456789abcdef01234567"
)

// TestInstallRefused reads manifests with one thing wrong each.
func TestInstallRefused(t *testing.T) {
	whole := installs(t)
	for _, c := range installCases {
		t.Run(c.name, func(t *testing.T) {
			if strings.Count(whole[c.file], c.old) == 0 {
				t.Fatalf("%s has no %s", c.file, c.old)
			}
			if _, twin := Read("install.json", []byte(whole[c.file]), Strict); hasCode(twin, c.code) && c.code != "input-schema-closed" {
				t.Fatalf("the twin has it as well:\n%s", listing(nil, twin))
			}
			text := strings.Replace(whole[c.file], c.old, c.new, 1)
			for mode, want := range map[Mode]spec.Severity{Strict: c.strict, Lenient: c.lenient} {
				doc, findings := Read("install.json", []byte(text), mode)
				i := slices.IndexFunc(findings, func(f spec.Finding) bool { return f.Code == c.code && (c.line == 0 || f.Line == c.line) })
				if i < 0 {
					t.Fatalf("no %s on line %d:\n%s", c.code, c.line, listing(doc, findings))
				}
				if findings[i].Severity != want {
					t.Errorf("%s is %s in mode %d", c.code, findings[i].Severity, mode)
				}
				if doc == nil && !spec.Blocking(findings) {
					t.Error("nothing was read and nothing is wrong")
				}
				if doc != nil && !spec.Blocking(findings) {
					if _, err := spec.ParseName(string(doc.Tool.Name)); err != nil {
						t.Errorf("the tool has no name: %v", err)
					}
				}
				if want != bad && c.code != "edition-difference" && c.code != "case-variant-key" && spec.Blocking(findings) && mode == Lenient {
					t.Errorf("more is wrong than was to be:\n%s", listing(doc, findings))
				}
			}
		})
	}
}

func hasCode(findings []spec.Finding, code string) bool {
	return slices.ContainsFunc(findings, func(f spec.Finding) bool { return f.Code == code })
}

// TestInstallFormats holds addresses against "format", which asserts only when asked.
func TestInstallFormats(t *testing.T) {
	whole := installs(t)["weather"]
	for _, c := range []struct{ old, new string }{
		{"https://weather.example/desk", "not a uri"},
		{"https://weather.example/desk", "https://weather.example/a b"},
		{"https://weather.example/desk", "/desk"},
		{"ada@weather.example", "ada"},
		{"ada@weather.example", "ada@@weather.example"},
		{"security@weather.example", "a..b@weather.example"},
	} {
		text := []byte(strings.Replace(whole, `"`+c.old+`"`, `"`+c.new+`"`, 1))
		if doc, findings := Read("install.json", text, Strict); doc == nil || spec.Blocking(findings) {
			t.Errorf("%s: a remark refuses:\n%s", c.new, listing(doc, findings))
		}
		if _, findings := ReadAsserting("install.json", text, Strict); !hasCode(findings, "schema-format") {
			t.Errorf("%s is taken:\n%s", c.new, listing(nil, findings))
		}
	}
	if doc, findings := ReadAsserting("install.json", []byte(whole), Strict); doc == nil || spec.Blocking(findings) {
		t.Errorf("the twin is refused:\n%s", listing(doc, findings))
	}
}

// TestSniff tells formats by members.
func TestSniff(t *testing.T) {
	for text, want := range map[string]spec.Format{
		`{"manifest_version":"9"}`:              spec.FormatInstall,
		`{"a":1,"kill_switch":{}}`:              spec.FormatInstall,
		`{"name":"a","toolkit":{}}`:             spec.FormatArcade,
		` [{"name":"a"}]`:                       spec.FormatArcade,
		`{"manifest_version":"0.2","a":1,"a":2`: spec.FormatInstall, // what comes before an error counts
		`{"a":{"manifest_version":1}}`:          "",
		`{"toolkit"`:                            "",
		`# ---`:                                 "",
		``:                                      "",
	} {
		if got := Sniff([]byte(text)); got != want {
			t.Errorf("%s is %q", text, got)
		}
	}
}

// TestInstallConcurrently reads at the same time with what all readings share.
func TestInstallConcurrently(t *testing.T) {
	whole := installs(t)["weather"]
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			text := whole
			if i%2 == 0 {
				text = strings.Replace(whole, `"id": "weather-desk"`, `"id": "Weather"`, 1)
			}
			for range 20 {
				if doc, findings := Read("install.json", []byte(text), Strict); (doc == nil) != (i%2 == 0) {
					t.Errorf("%v", findings)
				}
			}
		})
	}
	group.Wait()
}
