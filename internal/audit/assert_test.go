package audit_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/spec"
)

// What a record asserts of capabilities follows from what the sandbox said, and a
// run that did not come to it asserts nothing.
func TestAssertions(t *testing.T) {
	both := func(net, given, files, had string, enforced, files2 bool, by string) []audit.Assertion {
		return []audit.Assertion{
			{Capability: "network", Declared: net, Given: given, Enforced: enforced, By: by},
			{Capability: "filesystem", Declared: files, Given: had, Enforced: files2, By: by},
		}
	}
	word := func(by string) audit.Assertion {
		return audit.Assertion{Capability: "human_confirm", Declared: "true", Given: "true", Enforced: true, By: by}
	}
	for name, tt := range map[string]struct {
		change func(*audit.Record)
		want   []audit.Assertion
	}{
		"as it is": {func(*audit.Record) {}, both("false", "false", "read-only", "read-only", true, true, "linux")},
		"network": {
			func(r *audit.Record) { r.Sandbox.Capabilities.Network, r.Sandbox.Internet = true, true },
			both("true", "true", "read-only", "read-only", true, true, "linux"),
		},
		"network beyond": {func(r *audit.Record) {
			r.Sandbox.Capabilities.Network, r.Sandbox.Internet, r.Sandbox.NotEnforced = true, true, []string{"network: more"}
		}, both("true", "true", "read-only", "read-only", false, true, "linux")},
		"writes": {func(r *audit.Record) {
			r.Sandbox.Capabilities.Filesystem, r.Sandbox.Grants = spec.FilesystemReadWrite, []audit.Grant{{Path: "/a"}, {Path: "/b", Write: true}, {Path: "/c"}}
		}, both("false", "false", "read-write", "read-write", true, true, "linux")},
		"nothing given": {func(r *audit.Record) { r.Sandbox.Grants = nil }, both("false", "false", "read-only", "none", true, true, "linux")},
		"no sandbox":    {func(r *audit.Record) { r.Sandbox.Driver = "none" }, both("false", "false", "read-only", "read-only", false, false, "none")},
		"confirmed": {
			func(r *audit.Record) { r.Sandbox.Capabilities.HumanConfirm = true },
			append(both("false", "false", "read-only", "read-only", true, true, "linux"), word("command line")),
		},
		"approved": {func(r *audit.Record) {
			r.Sandbox.Capabilities.HumanConfirm, r.Approval = true, &audit.Approval{ID: "x", Via: "page"}
		}, append(both("false", "false", "read-only", "read-only", true, true, "linux"), word("page"))},
		"refused":   {func(r *audit.Record) { r.Status, r.Error = audit.Refused, audit.FailureOf(errors.New("no")) }, nil},
		"not begun": {func(r *audit.Record) { r.Sandbox.Driver = "" }, nil},
	} {
		j, _ := journal(t)
		rec := sample()
		run, err := j.Begin(t.Context(), rec)
		if err != nil {
			t.Fatal(err)
		}
		rec.Status, rec.Output = audit.Succeeded, json.RawMessage(`1`)
		rec.Assertions = []audit.Assertion{{Capability: "all", Enforced: true}} // the caller's word does not count
		if tt.change(&rec); rec.Status == audit.Refused {
			rec.Output = nil
		}
		if err := run.Finish(rec, nil, nil); err != nil {
			t.Fatal(name, err)
		}
		if got := get(t, j, run.ID()).Assertions; !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
