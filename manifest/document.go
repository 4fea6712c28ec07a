package manifest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// ReadYAML reads a whole YAML file, such as registry.yaml and tool.yaml of a
// registry, by the rules of manifests: scalars as in JSON, no anchors, tags,
// merge keys, duplicates or further documents [C-20]. The result is the JSON of
// the mapping; nil with findings when it is none.
func ReadYAML(file string, data []byte) (json.RawMessage, []spec.Finding) {
	r := &report{file: file}
	if len(data) > limits.ManifestBytes {
		r.add(blockTooLarge, pos{1, 1}, "the file has %d bytes, allowed are %d", len(data), limits.ManifestBytes)
		return nil, r.finish()
	}
	text := strings.TrimSuffix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if l == "---" || l == "..." || strings.HasPrefix(l, "--- ") {
			r.add(badYAML, pos{i + 1, 1}, "a document marker stands in the file, which is one document")
			return nil, r.finish()
		}
	}
	n := parseYAML(lines, 1, r)
	findings := r.finish()
	for i := range findings {
		findings[i].Message = strings.Replace(findings[i].Message, "the manifest is", "the file is", 1)
	}
	if n == nil || spec.Blocking(findings) {
		if len(findings) == 0 {
			findings = []spec.Finding{{ID: badYAML.of().ID, Severity: spec.SeverityError, File: file, Line: 1, Message: fmt.Sprintf("%s cannot be read", file)}}
		}
		return nil, findings
	}
	return n.json(), findings
}
