package quarantine

import (
	"encoding/json"
	"slices"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// ReportSchema is the edition of [Report].
const ReportSchema = "patch-git/report/v1"

// RulesVersion changes whenever a rule may judge the same release differently,
// so that a report says by which rules it was made.
const RulesVersion = 4

// Report is report.json: what the rules found in one release. It has no time
// and names no machine, so anybody can make the same bytes from the same
// release and the same waivers.
type Report struct {
	Schema  string       `json:"schema"`
	Rules   int          `json:"rules"`
	Name    spec.Name    `json:"name"`
	Version spec.Version `json:"version"`
	Format  spec.Format  `json:"format"`
	Files   []FileDigest `json:"files"` // exactly what was judged, sorted by path
	Python  string       `json:"python,omitempty"`
	// Findings are sorted by file, line, column and id.
	Findings []spec.Finding `json:"findings"`
	// Unchecked says what nobody could compare with, one sentence each.
	Unchecked []string `json:"unchecked"`
}

// FileDigest is one file that was judged.
type FileDigest struct {
	Path   string      `json:"path"`
	SHA256 spec.Digest `json:"sha256"`
}

// Passed tells whether the release may go on: the rules ran and none of the
// findings is an error. The zero Report has not passed.
func (r *Report) Passed() bool { return r.Schema == ReportSchema && !spec.Blocking(r.Findings) }

// Encode returns the canonical bytes of the report, as in report.json.
func (r *Report) Encode() []byte { return ledger.Encode(r) }

// Digest is the digest of [Report.Encode], which the acceptance statement
// carries.
func (r *Report) Digest() spec.Digest { return spec.DigestOf(r.Encode()) }

// WaivedIn are the findings that a registry let pass, by the report.json that it
// signed. The text in them is foreign. What is no report has none.
func WaivedIn(data []byte) []spec.Finding {
	var r Report
	if json.Unmarshal(data, &r) != nil || r.Schema != ReportSchema {
		return nil
	}
	out := slices.DeleteFunc(r.Findings, func(f spec.Finding) bool { return f.Waived == spec.Waived{} })
	return out[:min(len(out), limits.ManifestProblems)]
}
