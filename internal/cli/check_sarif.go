package cli

import (
	"bytes"
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/spec"
)

// The part of SARIF 2.1.0 (OASIS) that a check has something to say in.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifInvocation struct {
	Successful bool `json:"executionSuccessful"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID            string     `json:"id"`
	Short         sarifText  `json:"shortDescription"`
	Full          *sarifText `json:"fullDescription,omitempty"`
	Help          sarifText  `json:"help"`
	Configuration struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        string             `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifLocation    `json:"locations"`
	Suppressions []sarifSuppression `json:"suppressions"` // [] says that nothing suppresses it
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
}

type sarifRegion struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn,omitempty"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification"`
}

// writeSARIF writes all findings into a file, or to standard output for "-".
func (a *app) writeSARIF(name string, all []checked) error {
	doc := sarifOf(all)
	if name == "-" {
		return a.out.document(doc)
	}
	var b bytes.Buffer
	if err := writeJSON(&b, doc); err != nil {
		return err
	}
	// What is renamed over a device or a link is in its place from then on.
	if info, err := os.Lstat(a.path(name)); err == nil && !info.Mode().IsRegular() {
		return usage("--sarif: %s is there and no regular file; - is standard output", spec.Quote(name))
	}
	return durable.Replace(a.path(name), b.Bytes(), 0o644)
}

// sarifOf makes the log. What is waived is in it, as suppressed.
func sarifOf(all []checked) *sarifLog {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}, Invocations: []sarifInvocation{{true}}}
	run.Tool.Driver = sarifDriver{Name: "patch-git", Version: Version, InformationURI: "https://github.com/patch-cat/patch-git", Rules: []sarifRule{}}
	rules, index := map[string]aRule{}, map[string]int{}
	for _, r := range catalogue() {
		rules[r.ID] = r
	}
	for _, c := range all {
		run.Invocations[0].Successful = run.Invocations[0].Successful && !c.Untold
		for _, f := range c.Findings {
			if _, ok := index[f.ID]; !ok {
				index[f.ID] = len(run.Tool.Driver.Rules)
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(f.ID, rules[f.ID]))
			}
			run.Results = append(run.Results, sarifResultOf(c.File, f, index[f.ID]))
		}
	}
	return &sarifLog{Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func sarifRuleOf(id string, r aRule) sarifRule {
	out := sarifRule{ID: id, Short: sarifText{cmp.Or(r.What, id)}, Help: sarifText{cmp.Or(r.Fix, id)}}
	if r.Why != "" {
		out.Full = &sarifText{r.What + "; " + r.Why}
	}
	out.Configuration.Level = sarifLevel(spec.Finding{Severity: r.Severity})
	return out
}

func sarifResultOf(of string, f spec.Finding, index int) sarifResult {
	message := f.Message
	if f.Fix != "" {
		message += "; fix: " + f.Fix
	}
	out := sarifResult{
		RuleID: f.ID, RuleIndex: index, Level: sarifLevel(f), Message: sarifText{sanitize.ForTerminal(message)},
		Suppressions: []sarifSuppression{}, Locations: make([]sarifLocation, 1),
	}
	at := &out.Locations[0].Physical
	at.Artifact.URI = fileURI(placed(of, f).File)
	if strings.HasPrefix(f.File, `"`) { // no path of any file
		at.Artifact.URI = fileURI(of)
	}
	if f.Line > 0 {
		at.Region = &sarifRegion{f.Line, max(f.Col, 0)}
	}
	if w := f.Waived; w != (spec.Waived{}) {
		out.Suppressions = append(out.Suppressions, sarifSuppression{
			"external", "accepted", sanitize.ForTerminal(w.Reason + " (" + w.Approver + ", until " + string(w.Until) + ")"),
		})
	}
	return out
}

// sarifLevel is of the severity as it was found: that it is waived is said
// apart.
func sarifLevel(f spec.Finding) string {
	switch f.Severity {
	case spec.SeverityWarning:
		return "warning"
	case spec.SeverityNote:
		return "note"
	}
	return "error"
}

// fileURI is a path as an address: one that is relative stays so.
func fileURI(path string) string {
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
	}
	return u.String()
}
