package quarantine

import (
	"context"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// Check judges a subject by every rule. It is pure and deterministic; ctx only
// stops it early, and then the report says so with an error, so that an
// unfinished check is never a yes.
func Check(ctx context.Context, s Subject) Report {
	report := Report{Schema: ReportSchema, Rules: RulesVersion, Files: []FileDigest{}, Unchecked: []string{}}
	c := &collector{Subject: &s}
	if s.Release == nil {
		c.add(incomplete, at{}, "there is no release to check")
		report.Findings = c.finish()
		return report
	}
	c.tool, c.main, c.source = &s.Release.Tool, s.Release.Tool.Format.MainFile(), s.Release.Main()
	report.Name, report.Version, report.Format = s.Release.Ref.Name, s.Release.Ref.Version, c.tool.Format
	for _, f := range s.Release.Files {
		report.Files = append(report.Files, FileDigest{Path: f.Path, SHA256: spec.DigestOf(f.Data)})
	}
	slices.SortFunc(report.Files, func(a, b FileDigest) int { return strings.Compare(a.Path, b.Path) })

	for _, family := range []func(*collector){
		checkShape, checkName, checkHistory, checkScriptBlock, checkPackages, checkText, checkReading, checkRequests, checkSecrets, checkPython, checkScripts, checkSkill, checkDeployment,
	} {
		if ctx.Err() != nil {
			c.add(incomplete, at{}, "the check was stopped before its end")
			break
		}
		family(c)
	}
	if s.Facts != nil {
		report.Python = s.Facts.Python
	}
	report.Findings = c.finish()
	report.Unchecked = append(report.Unchecked, c.unchecked...)
	return report
}
