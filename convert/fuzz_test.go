package convert

import (
	"encoding/json"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// FuzzTo converts whatever its own format takes to everything else: it ends, with a
// document that can be read or with a reason.
func FuzzTo(f *testing.F) {
	formats := []spec.Format{spec.FormatPatch, spec.FormatInstall, spec.FormatSkill, spec.FormatArcade}
	f.Add(uint8(0), []byte(tame))
	for i, format := range formats[1:] {
		f.Add(uint8(i+1), []byte(harmless[format]))
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		format := formats[int(which)%len(formats)]
		doc, findings := manifest.Read(format.MainFile(), data, manifest.Lenient)
		if doc == nil || spec.Blocking(findings) {
			return
		}
		o := origin
		o.AllowLoss = true
		for _, to := range Targets() {
			r, err := To(doc, nil, to, o)
			if err != nil {
				if fault.KindOf(err) == fault.Internal {
					t.Fatalf("%s to %s: %v", format, to, err)
				}
				continue
			}
			if len(r.Files) == 0 || string(to) == string(format) && string(r.Files[0].Data) != string(data) {
				t.Fatalf("%s to %s is not what it was", format, to)
			}
			if (to == MCP || to == OpenAI || to == Anthropic) && !json.Valid(r.Files[0].Data) {
				t.Fatalf("%s to %s: %q", format, to, r.Files[0].Data)
			}
		}
	})
}
