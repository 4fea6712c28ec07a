package registry

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// treeWaivers is the folder with one file per name of what a maintainer lets
// pass. It lies outside of tools/, so that only a maintainer changes it, in a
// pull request that changes no tool.
const treeWaivers = "waivers"

// WaiversPath is the file of a name, from the root of a source tree.
func WaiversPath(n spec.Name) string { return treeWaivers + "/" + string(n) + ".yaml" }

// WaiversOf is the name whose waivers a path of a source tree has; ok is false
// for any other path.
func WaiversOf(path string) (n spec.Name, ok bool) {
	rest, inFolder := strings.CutPrefix(path, treeWaivers+"/")
	base, isYAML := strings.CutSuffix(rest, ".yaml")
	n, err := spec.ParseName(base)
	return n, inFolder && isYAML && err == nil
}

// Waivers reads what a maintainer lets pass of a name, whether it holds today
// or not; none where there is no file.
func (t *Tree) Waivers(n spec.Name) ([]spec.Waiver, error) {
	dir, err := t.within(treeWaivers)
	var data []byte
	if err == nil {
		data, err = durable.ReadFileNoFollow(filepath.Join(dir, string(n)+".yaml"), limits.ManifestBytes)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return ParseWaivers(WaiversPath(n), data)
}

// ParseWaivers reads the text of such a file; file is how it is called in
// messages. Every member has to be there, and a waiver ends after at most
// [limits.WaiverDays].
func ParseWaivers(file string, data []byte) ([]spec.Waiver, error) {
	if len(data) > limits.ManifestBytes {
		return nil, fault.New(fault.Findings, "yaml", "%s has %d bytes, allowed are %d", file, len(data), limits.ManifestBytes)
	}
	var doc struct {
		Waivers []spec.Waiver `json:"waivers"`
	}
	if err := decodeYAML(file, data, &doc); err != nil {
		return nil, err
	}
	if len(doc.Waivers) == 0 || len(doc.Waivers) > limits.Waivers {
		return nil, fault.New(fault.Findings, "yaml", "%s has %d waivers, allowed are 1 to %d", file, len(doc.Waivers), limits.Waivers)
	}
	for i := range doc.Waivers {
		if err := checkWaiver(&doc.Waivers[i]); err != nil {
			return nil, fault.New(fault.Findings, "yaml", "%s: waiver %d: %w", file, i+1, err)
		}
	}
	return doc.Waivers, nil
}

func checkWaiver(w *spec.Waiver) error {
	if w.Rule == "" || w.Seen == "" || w.Reason == "" || w.Approver == "" || w.Digest.IsZero() {
		return fmt.Errorf("rule, seen, reason, approver and digest have to be there")
	}
	if _, err := spec.ParseVersion(string(w.Version)); err != nil {
		return err
	}
	if err := spec.CheckPath(w.File); err != nil {
		return err
	}
	if w.Line < 0 || w.ApproverID < 0 {
		return fmt.Errorf("line %d, approver_id %d", w.Line, w.ApproverID)
	}
	for _, text := range []string{w.Rule, w.Seen, w.Reason, w.Approver} {
		if err := checkText("text", text); err != nil {
			return err
		}
	}
	since, err := w.Since.Time()
	if err != nil {
		return fmt.Errorf("since: %w", err)
	}
	until, err := w.Until.Time()
	if err != nil {
		return fmt.Errorf("until: %w", err)
	}
	if until.Before(since) || until.Sub(since) > limits.WaiverDays*24*time.Hour {
		return fmt.Errorf("from %s until %s is not a time of at most %d days", w.Since, w.Until, limits.WaiverDays)
	}
	return nil
}

// WriteWaivers puts waivers in the place of those that there are of a name.
func (t *Tree) WriteWaivers(n spec.Name, all []spec.Waiver) error {
	data := EncodeWaivers(all)
	if _, err := ParseWaivers(WaiversPath(n), data); err != nil {
		return err
	}
	dir := filepath.Join(t.dir, treeWaivers)
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return durable.Classify("make folder", dir, err)
	}
	if _, err := t.within(treeWaivers); err != nil {
		return err
	}
	return durable.Replace(filepath.Join(dir, string(n)+".yaml"), data, 0o644)
}

// EncodeWaivers writes them as [ParseWaivers] reads them, every text in double
// quotes, which YAML and JSON read alike.
func EncodeWaivers(all []spec.Waiver) []byte {
	var b bytes.Buffer
	b.WriteString("waivers:\n")
	for _, w := range all {
		fmt.Fprintf(&b, "  - rule: %s\n    version: %s\n    file: %s\n    digest: %s\n    line: %d\n    seen: %s\n",
			jsonText(w.Rule), jsonText(string(w.Version)), jsonText(w.File), jsonText(w.Digest.Hex()), w.Line, jsonText(w.Seen))
		fmt.Fprintf(&b, "    reason: %s\n    approver: %s\n    approver_id: %d\n    since: %s\n    until: %s\n",
			jsonText(w.Reason), jsonText(w.Approver), w.ApproverID, jsonText(string(w.Since)), jsonText(string(w.Until)))
	}
	return b.Bytes()
}
