package manifest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// hostileInstalls are manifests of the largest size that is read, made to cost as
// much as they can.
func hostileInstalls(tb testing.TB) map[string][]byte {
	tb.Helper()
	const room = limits.ToolFile - 8_000
	weather := installs(tb)["weather"]
	fill := func(s string) string { return strings.Repeat(s, room/len(s)) }
	input := `{"type": "object", "properties": {"place": {"type": "string"}}, "additionalProperties": false}`
	withInput := func(schema string) string { return strings.Replace(weather, input, schema, 1) }
	withExample := func(schema, example string) string {
		return strings.Replace(weather, `"input": `+input+`,`, `"input": `+schema+`, "examples": [{"description": "d", "input": `+example+`}],`, 1)
	}
	each := func(n int, s string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, s, i)
		}
		return b.String()
	}
	action := `{"name":"a%d","summary":"s","invocation":{"kind":"stdin-json"},"side_effects":"none","input":`
	actions := func(schema, example string) string {
		one := action + strings.ReplaceAll(schema, "%", "%%") + `,"examples":[{"description":"d","input":` + example + `}]}`
		begin, end := strings.Index(weather, "\n  \"actions\": ["), strings.Index(weather, `  "smoke"`)
		return strings.Replace(weather[:begin]+`  "actions": [`+each(64, one)+"],\n"+weather[end:], `"action": "forecast"`, `"action": "a1"`, 1)
	}
	bomb := `{"$ref":"#/$defs/a0","$defs":{` + each(25, `"a%[1]d":{"allOf":[{"$ref":"#/$defs/b%[1]d"},{"$ref":"#/$defs/b%[1]d"}]}`) + "," +
		each(25, `"b%d":{"$ref":"#/$defs/a25"}`) + `,"a25":{"required":["zz"]}}}`
	for i := range 25 { // each of a leads to the next by two ways
		bomb = strings.Replace(bomb, fmt.Sprintf(`"b%d":{"$ref":"#/$defs/a25"}`, i), fmt.Sprintf(`"b%d":{"$ref":"#/$defs/a%d"}`, i, i+1), 1)
	}
	twice := `{"$defs":{"n":{"anyOf":[{"properties":{"a":{"$ref":"#/$defs/n"}}},{"properties":{"a":{"$ref":"#/$defs/n"}},"required":["b"]}],"required":["c"]}},"$ref":"#/$defs/n"}`
	deep := strings.Repeat(`{"a":`, 40) + `{}` + strings.Repeat("}", 40)
	out := map[string]string{
		"brackets":       fill("["),
		"objects":        fill(`{"a":`),
		"many members":   `{` + each(room/16, `"m%d":1`) + `}`,
		"many unknown":   strings.Replace(weather, `"cost":`, each(room/16, `"m%d":1`)+`,"cost":`, 1),
		"keys twice":     `{` + fill(`"a":1,`) + `"a":1}`,
		"keys that fold": `{` + each(room/16, `"A%[1]d":1,"a%[1]d":1`)[:room/2] + `}`,
		"many values":    withExample(input, `[`+fill(`[],`)+`[]]`),
		"numbers":        withExample(`{}`, `[`+fill(strings.Repeat("9", 1000)+`,`)+`1]`),
		"numbers to weigh": withExample(`{"additionalProperties":{"items":{"minimum":1e-400,"maximum":1e400,"type":"integer"}}}`,
			`{"a":[`+fill("1"+strings.Repeat("0", 50)+`e399,`)+`1]}`),
		"a text":                                    strings.Replace(weather, "Needs an account", fill("𝄞"), 1),
		"many schemas":                              withInput(`{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{},`, room/3), ",") + `]}`),
		"many schemas, an example":                  withExample(`{"allOf":[`+strings.TrimSuffix(strings.Repeat(`{"type":"object"},`, 1_900), ",")+`]}`, `{}`),
		"schemas within schemas":                    withInput(strings.Repeat(`{"not":`, 150) + `{}` + strings.Repeat("}", 150)),
		"many patterns":                             withInput(`{"properties":{` + each(room/32, `"p%[1]d":{"pattern":"^%[1]d"}`) + `}}`),
		"one pattern often":                         withInput(`{"properties":{` + each(room/34, `"p%d":{"pattern":"^(a+)+$"}`) + `}}`),
		"many references":                           withInput(`{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/a"},`, 1_900), ",") + `],"$defs":{"a":{}}}`),
		"a reference in a circle":                   withInput(`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`),
		"a circle, an example":                      withExample(`{"$ref":"#"}`, `{}`),
		"combinations":                              withExample(bomb, `{}`),
		"combinations that fit":                     withExample(strings.Replace(bomb, `"required":["zz"]`, `"required":[]`, 1), `{}`),
		"combinations, each level":                  withExample(twice, deep),
		"a long enum, many items":                   withExample(`{"properties":{"a":{"items":{"enum":[`+each(8_000, `"v%d"`)+`]}}}}`, `{"a":[`+strings.TrimSuffix(strings.Repeat(`"x",`, 30_000), ",")+`]}`),
		"different items":                           withExample(`{"properties":{"a":{"uniqueItems":true}}}`, `{"a":[`+each(20_000, `{"a":%d}`)+`]}`),
		"names by patterns":                         withExample(`{"patternProperties":{`+each(200, `"^(a|b)*%d$":{}`)+`}}`, `{`+each(5_000, `"abababababab%d":1`)+`}`),
		"a pattern without end":                     strings.NewReplacer(`^(metric|imperial)$`, `^(a+)+$`, `"default": "metric"`, `"default": "`+strings.Repeat("a", 40)+`!"`).Replace(weather),
		"a pattern without end, against an example": withExample(`{"properties":{"place":{"pattern":"^(a|a)*$"}}}`, `{"place":"`+strings.Repeat("a", 60)+`!"}`),
		"a pattern without end, quadratic":          withExample(`{"properties":{"place":{"pattern":"a*a*b"}}}`, `{"place":"`+strings.Repeat("a", 60_000)+`"}`),
		"64 actions":                                actions(`{"type":"object","properties":{`+each(40, `"p%d":{"type":"string","maxLength":10,"enum":["a"]}`)+`}}`, `{"p1":"b"}`),
		"64 actions with a pattern each":            actions(`{"properties":{"place":{"pattern":"^(a|a)*$"}}}`, `{"place":"`+strings.Repeat("a", 60)+`!"}`),
		"a repetition":                              withInput(`{"pattern":"` + strings.Repeat("(", 300) + "a" + strings.Repeat("{1,1000})", 300) + `"}`),
		"tokens":                                    strings.Replace(weather, "${input.place}", fill("${input.place}"), 1),
		"open tokens":                               strings.Replace(weather, "${input.place}", fill("${"), 1),
	}
	made := map[string][]byte{}
	for name, text := range out {
		made[name] = []byte(text)
	}
	return made
}

// TestHostileInstalls reads them in bounded time and memory, whatever comes out.
func TestHostileInstalls(t *testing.T) {
	parseJSON([]byte(`{}`), &report{})
	Read("install.json", []byte(installs(t)["weather"]), Strict) // what is made once
	for name, data := range hostileInstalls(t) {
		t.Run(name, func(t *testing.T) {
			if len(data) > limits.ToolFile {
				t.Fatalf("it has %d bytes and would not be read", len(data))
			}
			best, memory := time.Hour, uint64(0)
			for range 3 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := time.Now()
				doc, findings := Read("install.json", data, Strict)
				took := time.Since(start)
				runtime.ReadMemStats(&after)
				best, memory = min(best, took), after.TotalAlloc-before.TotalAlloc
				if doc == nil && !spec.Blocking(findings) {
					t.Fatal("neither read nor refused")
				}
				if name == "a pattern without end" && !hasCode(findings, "not-everything-checked") {
					t.Errorf("a match without end was told:\n%s", listing(doc, findings))
				}
			}
			t.Logf("%s: %v, %.1f MiB", name, best, float64(memory)/(1<<20))
			if best > hostileInstallTime {
				t.Errorf("it takes %v", best)
			}
			if memory > 64<<20 { // all that was ever asked for, so that the most at once is less
				t.Errorf("it takes %d MiB", memory>>20)
			}
		})
	}
}

// hostileInstallTime is ten times what is asked for of a quiet machine: others work on this
// one at the same time, and a race detector makes everything slower.
const hostileInstallTime = time.Second
