package convert

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// TestHostile: a document that is made to be much costs a conversion no more than its
// reading may.
func TestHostile(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	measure := func(t *testing.T, f func()) {
		t.Helper()
		best, least := time.Hour, uint64(1<<62)
		for range 3 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			f()
			best = min(best, time.Since(start))
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		// A quiet machine needs less than 100 ms; others work on this one.
		if best > time.Second || least > 64*limits.MiB {
			t.Errorf("it takes %v and %d MiB", best, least/limits.MiB)
		}
		t.Logf("%v, %d MiB", best, least/limits.MiB)
	}
	actions := `"actions": [` + many(60, `{"name": "a#", "summary": "A.", "side_effects": "read", "invocation": {"kind": "stdin-json"}, "input": {"type": "object", "properties": {`+
		many(30, `"p#": {"type": "string", "minLength": 1}`)+`}}}`) + `,{"name": "count"`
	deep := `"properties": {"a": ` + strings.Repeat(`{"type":"object","properties":{"a":`, 12) + `{}` + strings.Repeat(`}}`, 12) + `,` + many(1_500, `"p#": {"x-a":1,"x-b":2}`) + `,`
	for name, c := range map[string]struct {
		from     spec.Format
		old, new string
	}{
		"many actions": {spec.FormatInstall, `"actions": [{"name": "count"`, actions},
		"deep input":   {spec.FormatInstall, `"properties": {`, deep},
		"many fields":  {spec.FormatSkill, "execution:", "x: {" + many(4_000, "k#: 1") + "}\nexecution:"},
		"long enum":    {spec.FormatArcade, `"val_type": "string"}`, `"val_type": "string", "enum": [` + many(9_000, `"w#"`) + `]}`},
	} {
		t.Run(name, func(t *testing.T) {
			doc := read(t, c.from, c.old, c.new)
			for _, to := range Targets() {
				measure(t, func() { _, _ = To(doc, nil, to, origin) })
			}
		})
	}
	for name, text := range map[string]string{
		"server, many icons":     strings.Replace(serverJSON, `"packages"`, `"icons": [`+strings.Repeat(`[],`, 80_000)+`[]], "packages"`, 1),
		"server, many packages":  strings.Replace(serverJSON, `"packages": [`, `"packages": [`+many(4_000, `{"registryType": "nuget", "identifier": "a"}`)+`,`, 1),
		"server, many variables": strings.Replace(serverJSON, `"environmentVariables": [`, `"environmentVariables": [`+many(12_000, `{"name": "A#"}`)+`,`, 1),
		"server, long version":   strings.Replace(serverJSON, `"1.2"`, `"`+strings.Repeat("1.", 120_000)+`"`, 1),
		"server, tokens":         strings.Replace(serverJSON, `"stdio"}`, `"streamable-http", "url": "`+many(30_000, `{a#}`)+`"}`, 1),
	} {
		t.Run(name, func(t *testing.T) { measure(t, func() { _, _ = FromServer([]byte(text), Options{}) }) })
	}
	if _, err := FromServer([]byte(`{"name": "`+strings.Repeat("a", maxServer)+`"}`), Options{}); err == nil {
		t.Error("a server.json of more than 256 KiB is read")
	}
}
