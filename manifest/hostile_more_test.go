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

// slowPattern is one whose match takes milliseconds and ends by itself, so that no time
// limit of one match stops many of them.
const slowPattern = `^(a*)(a*)(a*)\1\2\3$|.`

// numbered repeats a text, each # of it being the number.
func numbered(n int, s, between string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(s, "#", fmt.Sprint(i))
	}
	return strings.Join(parts, between)
}

// sums are attacks of which no part is slow and all together are, by file name.
func sums(t *testing.T) map[string]map[string]string {
	t.Helper()
	again := strings.Repeat
	weather := installs(t)["weather"]
	input := `{"type": "object", "properties": {"place": {"type": "string"}}, "additionalProperties": false}`
	schema := func(s string) string { return strings.Replace(weather, input, s, 1) }
	example := func(s, value string) string {
		return strings.Replace(weather, `"input": `+input+`,`, `"input": `+s+`, "examples": [{"description": "d", "input": `+value+`}],`, 1)
	}
	begin, end := strings.Index(weather, "\n  \"actions\": ["), strings.Index(weather, `  "smoke"`)
	actions := func(s string) string { return weather[:begin] + `"actions": [` + s + "],\n" + weather[end:] }
	slow := strings.ReplaceAll(slowPattern, `\`, `\\`)
	one := `{"name":"a#","summary":"s","invocation":{"kind":"stdin-json"},"side_effects":"none","input":{%s"properties":{"p":{"pattern":"` + slow + `"}}},"examples":[` +
		strings.TrimSuffix(again(`{"description":"d","input":{"p":"`+again("a", 400)+`"}},`, 4), ",") + `]}`
	front := func(s string) string {
		return "---\nname: a\ndescription: b\nmanifest_version: \"1.0\"\n" + s + "\n---\nx"
	}
	optional := func(s string) string {
		return front("inputs: {optional: [{name: b, description: c, schema: " + s + "}]}")
	}
	patch := func(s string) string {
		return string(with(t, "inputs: []\n", strings.TrimSuffix(strings.ReplaceAll(s, "\n", "\n# "), "# ")))
	}
	arrays := func(items, value string) string {
		return patch("inputs:\n" + numbered(60, "- {name: a#, type: array, items: {"+items+"}, description: c, required: false, default: ["+value+"]}\n", ""))
	}
	wrong := again("x-b: y: z\n", 8)
	return map[string]map[string]string{
		"install.json": {
			"60,000 actions":                actions(strings.TrimSuffix(again("{},", 60_000), ",")),
			"wrong actions":                 actions(numbered(2_000, `{"name":"a#","summary":1,"invocation":{"kind":"x#"},"input":1}`, ",")),
			"slow patterns":                 actions(numbered(64, fmt.Sprintf(one, ""), ",")),
			"slow patterns, by the library": actions(numbered(64, fmt.Sprintf(one, `"patternProperties":{"x":{}},`), ",")),
			"slow pattern, many items":      example(`{"properties":{"a":{"items":{"pattern":"`+slow+`"}}}}`, `{"a":[`+strings.TrimSuffix(again(`"`+again("a", 101)+`",`, 2_000), ",")+`]}`),
			"required of many members":      example(`{"required":[`+numbered(8_000, `"p#"`, ",")+`]}`, `{`+numbered(8_000, `"p#":1`, ",")+`}`),
			"an object to compare":          example(`{"const":{`+numbered(8_000, `"p#":1`, ",")+`}}`, `{`+numbered(8_000, `"p#":1`, ",")+`}`),
			"lists to compare":              example(`{"properties":{"a":{"items":{"enum":[`+strings.TrimSuffix(again(`[`+again("1,", 248)+`2,3],`, 120), ",")+`]}}}}`, `{"a":[`+strings.TrimSuffix(again(`[`+again("1,", 249)+`4],`, 240), ",")+`]}`),
			"long patterns":                 schema(`{"properties":{` + numbered(240, `"p#":{"pattern":"`+again("(", 480)+"#"+again(")", 480)+`"}`, ",") + `}}`),
			"classes of characters":         schema(`{"properties":{` + numbered(240, `"p#":{"pattern":"[`+again("acegikmoqsuwy", 70)+`]#"}`, ",") + `}}`),
			"integers with exponents":       example(`{"properties":{"a":{"items":{"type":"integer"}}}}`, `{"a":[`+strings.TrimSuffix(again("1e399,", 30_000), ",")+`]}`),
			"references among many":         schema(`{"properties":{` + numbered(6_000, `"p#":{"$ref":"#/properties/p5999"}`, ",") + `}}`),
			"tokens beside a large schema":  strings.Replace(schema(`{"type":"object","properties":{"place":{},`+numbered(5_000, `"p#":{"type":"string"}`, ",")+`}}`), `"path":`, `"headers":{`+numbered(2_000, `"h#":"${input.place}"`, ",")+`},"path":`, 1),
			"alternatives, none of them":    example(`{"properties":{"a":{"items":{"anyOf":[`+numbered(100, `{"type":"string","pattern":"x#"}`, ",")+`]}}}}`, `{"a":[`+strings.TrimSuffix(again("1,", 3_000), ",")+`]}`),
			"keys of other letters":         `{` + numbered(12_000, `"ÄÖİ#":1`, ",") + `}`,
			"unknown members of long names": strings.Replace(weather, `"cost":`, numbered(240, `"`+again("cost", 250)+`#":1`, ",")+`,"cost":`, 1),
			"numbers to divide":             example(`{"properties":{"a":{"items":{"multipleOf":1e-300}}}}`, `{"a":[`+strings.TrimSuffix(again("1e300,", 20_000), ",")+`]}`),
			"names that nothing has read":   example(`{"allOf":[`+numbered(200, `{"properties":{"p#":{}}}`, ",")+`],"unevaluatedProperties":false}`, `{`+numbered(4_000, `"p#":1`, ",")+`}`),
			"a license of 35,000 words":     strings.Replace(weather, `"license": "`, `"license": "`+again("MIT OR ", 35_000), 1),
		},
		"a/SKILL.md": {
			"tokens of outputs":        front("inputs:\n  optional:\n" + numbered(64, "  - {name: a#, description: c, schema: {}}\n", "") + "outputs:\n  files:\n" + again("  - pattern: \""+again("{{a63}}", 130)+"\"\n", 60)),
			"slow pattern, many items": optional(`{items: {pattern: "` + slow + `"}, default: [` + again(again("a", 101)+", ", 500) + "]}"),
			"slow patterns":            optional("{properties: {" + numbered(250, `p#: {pattern: "`+slow+`", default: `+again("a", 101)+`}`, ", ") + "}}"),
			"one pattern, many items":  optional(`{items: {pattern: "^(?:[acegikmoqsuwy]|b|c)*$|` + again("[a-c]", 180) + `"}, default: [` + again("a, ", 7_000) + "]}"),
			"patterns":                 optional("{properties: {" + numbered(1_500, `p#: {pattern: "^a#$"}`, ", ") + "}}"),
			"bounds of 400 digits":     optional("{items: {minimum: 1e-399, maximum: 1e399}, default: [" + again("1e399, ", 8_000) + "]}"),
			"mended everywhere":        "---\nname: a\n" + numbered(4_300, "d#: b: c\n", "") + "\n---\nx",
			"mended in vain":           "---\nname: a\ndescription: b: c\n" + again("x:\n- a\n- b: c\n", 4_000) + "\n  - y: : {\n---\nx",
			"lists and keys":           front("x: 1" + again("#\nb:\n- ", 7_500)),
			"questions and keys":       front("a:\n" + again("? \nb:\n- ", 6_000)),
			"comments and anchors":     front(again("\n#c\n&a : ", 6_000)),
			"metadata in metadata":     front("metadata:\n" + numbered(3_000, "  k#: {a: [1]}\n", "")),
		},
		"tool.py": {
			"errors in the middle":  patch("inputs: []\n" + numbered(90, "x-k#: "+again("a", 29)+"\n", "") + wrong + numbered(80, "x-l#: "+again("a", 29)+"\n", "")),
			"errors among lists":    patch("inputs: []\nx-a:\n" + again(again("- ", 17)+"a\n", 80) + wrong + again(again("- ", 17)+"a\n", 90)),
			"an open bracket":       patch("inputs: []\nx-a: [\n" + again(" "+again("a,", 16)+"\n", 180)),
			"slow patterns":         arrays("pattern: '"+slowPattern+"'", again(again("a", 91)+",", 6)),
			"alternatives":          arrays("anyOf: ["+again("{type: string}, ", 30)+"]", again("1,", 40)),
			"a description":         strings.Replace(string(with(t, "", "")), "description: ", "description: "+again("Word. A ", 7_000), 1),
			"dashes that are none":  again("# --–\n", 30_000) + string(with(t, "", "")),
			"strings above":         again("x = '''\n", 25_000) + string(with(t, "", "")),
			"the word of encodings": "# " + again("coding", 30_000) + "\n" + string(with(t, "", "")),
		},
		"arcade.json": {
			"a list":             `[` + strings.TrimSuffix(again(`{},`, 80_000), ",") + `]`,
			"members":            `{` + numbered(16_000, `"zz#":1`, ",") + `,"name":"Abc"}`,
			"a name":             strings.Replace(whole, `"name"`, `"name":"`+again("Ab", 100_000)+`","x"`, 1),
			"numbers of an enum": `{"name":"A","fully_qualified_name":"A.A","toolkit":{"name":"A","version":"1.0.0"},"output":{},"input":{"parameters":[{"name":"p","required":true,"value_schema":{"val_type":"integer","enum":[` + again(`"1e399",`, 9_000) + `"1"]}}]}}`,
		},
	}
}

// TestHostileSums reads them in bounded time and memory. What is asked for is 100 ms; the
// worst takes 60 of the processor on a quiet machine.
func TestHostileSums(t *testing.T) {
	const clock, processor = time.Second, 400 * time.Millisecond // for a busy machine and its neighbours
	for file, attacks := range sums(t) {
		for name, text := range attacks {
			data := []byte(text)
			if len(data) > limits.ToolFile {
				t.Errorf("%s, %s: it has %d bytes and would not be read", file, name, len(data))
				continue
			}
			took, used, memory := time.Hour, time.Hour, uint64(1<<62)
			for range 3 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start, began := time.Now(), processorTime()
				doc, findings := Read(file, data, Strict)
				took, used = min(took, time.Since(start)), min(used, processorTime()-began)
				runtime.ReadMemStats(&after)
				memory = min(memory, after.TotalAlloc-before.TotalAlloc)
				if doc == nil && !spec.Blocking(findings) || len(findings) > limits.ManifestProblems {
					t.Errorf("%s, %s: document %v and %d findings", file, name, doc != nil, len(findings))
				}
				if took < clock/20 && memory < 32<<20 {
					break
				}
			}
			t.Logf("%s, %s: %v, processor %v, %.1f MiB", file, name, took, used, float64(memory)/(1<<20))
			if !raced && (took > clock || used > processor || memory > 64<<20) {
				t.Errorf("%s, %s: it takes %v, of the processor %v, and %d MiB", file, name, took, used, memory>>20)
			}
		}
	}
}
