package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/verify"
)

// TestEveryReasonHasATranscript: a reason for refusing that no transcript shows
// is one that no user ever saw tried.
func TestEveryReasonHasATranscript(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	says := regexp.MustCompile(`(?m)^(?:json std(?:err|out) (?:tools\.\d+\.)?reason|refuses) (\S+)(?: .*)?$`)
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range says.FindAllStringSubmatch(string(data), -1) {
			shown[m[1]] = true
		}
		if !strings.HasPrefix(string(data), "# ") {
			t.Errorf("%s does not begin with its story", f)
		}
		if strings.HasPrefix(filepath.Base(f), "refuse_") && (!strings.Contains(string(data), "tree-digest -same") || !strings.Contains(string(data), "# The twin")) {
			t.Errorf("%s does not show that nothing changed, or has no twin", f)
		}
	}
	for _, r := range slices.Concat(verify.Reasons(), verify.SigstoreReasons(), verify.IdentityReasons()) {
		if !shown[string(r)] {
			t.Errorf("no transcript shows a refusal for %q", r)
		}
	}
	for _, r := range []string{
		"consent_required", "secret", "obeyed", "secret_link", "cannot_hide", "config_shared", "config_damaged", "confirmation_required", "revoked", "capability", "widened", "external_auth", "key",
		"unknown_argument", "missing_argument", "wrong_type", "findings", "ambiguous",
		"no_tool", "no_version", "no_registry", "not_installed", "no_python", "network", "disk_full", "read_only", "no_home",
		"python_digest", "python_unsafe", "python_download", "python_pin", "python_pins", "python_unusable",
		"approval_damaged", "approval_changed", "approval_used", "approval_expired", "approval_denied", "approval_pending", "approval_session", "approval_decided",
		"no_approval", "not_remembered", "key_damaged", "agent_shell", "no_terminal", "hook_event", "note_too_long", "notes",
		"no_host", "unknown_host", "not_set_up", "entry_taken", "host_file_damaged", "host_file_foreign", "not_listed",
		"stale", "exit", "timeout", "output", "wrong_result",
	} {
		if !shown[r] {
			t.Errorf("no transcript shows %q", r)
		}
	}
}
