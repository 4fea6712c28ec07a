package manifest

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// hostileTime is far above what is measured, so that a busy machine passes.
const hostileTime = time.Second

// Whatever a definition holds, reading it takes little time and memory.
func TestArcadeHostile(t *testing.T) {
	fill := func(before, one, after string) []byte {
		return []byte(before + strings.Repeat(one, (limits.ToolFile-len(before)-len(after))/len(one)) + after)
	}
	for name, data := range map[string][]byte{
		"deep":       fill("", "[", ""),
		"deep map":   fill("", `{"input":`, ""),
		"members":    fill("{", `"a":1,`, `"b":1}`),
		"cases":      fill("{", `"A":1,"a":1,`, `"b":1}`),
		"parameters": fill(`{"name":"a","fully_qualified_name":"a.a","toolkit":{"name":"a","version":"1.0.0"},"output":{"available_modes":["value"]},"input":{"parameters":[`, `{},`, `{}]}}`),
		"enum":       fill(`{"name":"abc","fully_qualified_name":"a.abc","toolkit":{"name":"a","version":"1.0.0"},"output":{"available_modes":["value"]},"input":{"parameters":[{"name":"a","required":true,"value_schema":{"val_type":"integer","enum":[`, `"x",`, `"y"]}}]}}`),
		"numbers":    fill(`{"name":`, "9", `}`),
		"escapes":    fill(`{"name":"`, `\u00e4`, `"}`),
		"line":       fill(`{"name":"`, `ä`, `"`),
		"lines":      fill(`{`, "\n", `}`),
		"$schema":    fill(`{"$schema":"`, `worker-1.0/`, `","name":"a","input":1}`),
	} {
		for _, mode := range []Mode{Strict, Lenient} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			_, findings := Read("arcade.json", data, mode)
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if took > hostileTime || after.TotalAlloc-before.TotalAlloc > 64*limits.MiB {
				t.Errorf("%s took %v and %d MiB", name, took, (after.TotalAlloc-before.TotalAlloc)/limits.MiB)
			}
			if !spec.Blocking(findings) && name != "enum" {
				t.Errorf("%s is taken", name)
			}
		}
	}
}

func FuzzArcade(f *testing.F) {
	for _, seed := range []string{whole, sdk, `[` + sdk + `,1]`, `{"items":[` + sdk + `]}`, whole + "\n" + whole, `{"a":{"input":{}}}`, `{`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := ReadArcade("x.json", data)
		if err != nil {
			return
		}
		for i := range all {
			d := &all[i]
			if d.Arcade == nil {
				if !spec.Blocking(d.Findings) {
					t.Fatalf("nothing says why %s cannot be read", d.Raw)
				}
				continue
			}
			if doc, findings := Read("arcade.json", d.Raw, Strict); doc != nil && !spec.Blocking(findings) && spec.Blocking(d.Findings) {
				t.Fatalf("taken strictly, and not leniently: %v\n%s", d.Findings, d.Raw)
			}
			out, findings := d.Publishable()
			if out == nil || spec.Blocking(findings) {
				continue
			}
			doc, _ := Read("arcade.json", out, Strict)
			want := *d.Arcade
			want.Edition, want.Behavior, want.Deprecation = ArcadeSpecified, nil, ""
			if doc == nil || !reflect.DeepEqual(doc.Tool.Arcade, &want) {
				t.Fatalf("%s\nis read back as %s", d.Raw, out)
			}
			if again := PrintArcade(doc.Tool.Arcade); !bytes.Equal(again, PrintArcade(&want)) {
				t.Fatalf("printed twice it differs:\n%s", again)
			}
			schema, _ := ArcadeInput(d.Arcade)
			if _, _, err := ArcadeParameters(schema); err != nil {
				t.Fatalf("%v: %s", err, schema)
			}
		}
	})
}

func BenchmarkArcade(b *testing.B) {
	one := []byte(strings.ReplaceAll(whole, "\n", " ") + "\n")
	data := bytes.Repeat(one, 1000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if all, err := ReadArcade("x.jsonl", data); err != nil || len(all) != 1000 {
			b.Fatal(len(all), err)
		}
	}
	b.ReportMetric(float64(1000*b.N)/b.Elapsed().Seconds(), "definitions/s")
}

func BenchmarkArcadeStrict(b *testing.B) {
	for b.Loop() {
		if doc, findings := Read("arcade.json", []byte(whole), Strict); doc == nil {
			b.Fatal(fmt.Sprint(findings))
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "definitions/s")
}
