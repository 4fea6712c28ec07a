package ledger_test

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
)

// TestUnknownPermission: what a registry of a later edition lets a tool have, and
// this program does not know, is refused and not left out.
func TestUnknownPermission(t *testing.T) {
	record, release := string(ledger.Encode(someRecord())), string(ledger.Encode(someRelease()))
	with := func(text, member string) []byte {
		t.Helper()
		out := strings.Replace(text, `"permissions":{`, `"permissions":{`+member, 1)
		if out == text && member != "" {
			t.Fatalf("there are no permissions in %s", text)
		}
		return []byte(out)
	}
	for _, c := range []struct {
		member string
		ok     bool
	}{{"", true}, {`"later":["camera"],`, false}} {
		if _, err := ledger.ParseRecord(with(record, c.member), "csv_to_json"); (err == nil) != c.ok {
			t.Errorf("record with %q: %v", c.member, err)
		}
		if _, err := ledger.ParseRelease(with(release, c.member)); (err == nil) != c.ok {
			t.Errorf("release with %q: %v", c.member, err)
		}
	}
}
