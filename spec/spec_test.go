package spec_test

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

func TestParseName(t *testing.T) {
	for _, s := range []string{"abc", "csv_to_json", "a1b", "sha256_sum", strings.Repeat("a", 48)} {
		if n, err := spec.ParseName(s); err != nil || string(n) != s {
			t.Errorf("ParseName(%q) = %q, %v; want it accepted", s, n, err)
		}
	}
	for _, s := range []string{
		"", "ab", strings.Repeat("a", 49), "Csv", "csv-to-json", "_csv", "csv_", "csv__json", "1csv", "csv to", "csv.json", "../x", "con", "nul", "com1", "patch_run_tool", "сsv", "csv\n", "csv\x00", "ｃsv",
	} {
		if n, err := spec.ParseName(s); err == nil {
			t.Errorf("ParseName(%q) = %q, want it refused", s, n)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for _, s := range []string{"0.0.0", "1.2.3", "1.0.0-rc.1", "9223372036854775807.0.0", "10.20.30"} {
		if v, err := spec.ParseVersion(s); err != nil || string(v) != s {
			t.Errorf("ParseVersion(%q) = %q, %v; want it accepted", s, v, err)
		}
	}
	for _, s := range []string{"", "1", "1.2", "v1.2.3", "01.2.3", "1.2.3+build", "1.2.3-01", "1.2.x", "1.2.3 ", "9223372036854775808.0.0", "1..3", "1.2.3-" + strings.Repeat("a", 80), "１.2.3"} {
		if v, err := spec.ParseVersion(s); err == nil {
			t.Errorf("ParseVersion(%q) = %q, want it refused", s, v)
		}
	}
}

func TestVersionOrder(t *testing.T) {
	up := []spec.Version{"0.9.0", "1.0.0-alpha", "1.0.0-alpha.2", "1.0.0-alpha.10", "1.0.0", "1.2.0", "1.10.0"}
	for i := 1; i < len(up); i++ {
		if up[i-1].Compare(up[i]) >= 0 {
			t.Errorf("%s does not come before %s", up[i-1], up[i])
		}
	}
	if !up[1].IsPrerelease() || up[4].IsPrerelease() {
		t.Error("IsPrerelease confuses 1.0.0-alpha and 1.0.0")
	}
}

func TestParseRef(t *testing.T) {
	d := spec.DigestOf([]byte("x"))
	for _, s := range []string{"csv_to_json", "csv_to_json@1.2.0", "csv_to_json@1.2.0#" + d.String()} {
		r, err := spec.ParseRef(s)
		if err != nil || r.String() != s {
			t.Errorf("ParseRef(%q) = %q, %v", s, r, err)
		}
	}
	for _, s := range []string{
		"", "@1.0.0", "csv_to_json@", "csv_to_json@1.0", "csv_to_json#" + d.String(), "csv_to_json@1.0.0#", "csv_to_json@1.0.0#" + d.Hex(),
		"csv_to_json@1.0.0#sha256:" + strings.ToUpper(d.Hex()), "csv_to_json@1.0.0@2.0.0", "csv_to_json@1.0.0#sha256:00", "a/b",
	} {
		if r, err := spec.ParseRef(s); err == nil {
			t.Errorf("ParseRef(%q) = %q, want it refused", s, r)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	for _, s := range []string{"csv_to_json", "abc@1.2.3", "abc@1.2.3-rc.1#sha256:" + strings.Repeat("0", 63) + "1", "a@b#c", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := spec.ParseRef(s)
		if err != nil {
			return
		}
		if again, err := spec.ParseRef(r.String()); err != nil || again != r {
			t.Errorf("ParseRef(%q) is %v, which does not survive printing: %v, %v", s, r, again, err)
		}
	})
}

func TestCheckPath(t *testing.T) {
	for _, p := range []string{"tool.py", "README.md", "data/table-1.json", "a/b/c_d.txt"} {
		if err := spec.CheckPath(p); err != nil {
			t.Errorf("CheckPath(%q): %v", p, err)
		}
	}
	for _, p := range []string{"", ".", "..", "../x", "/x", "a//b", "a/./b", "a/../b", ".git/config", "a/.hidden", "a./b", "a\\b", "a b", "ä", "con", "x/NUL.txt", "a\x00", "a:b", strings.Repeat("a", 201)} {
		if spec.CheckPath(p) == nil {
			t.Errorf("CheckPath(%q) accepts", p)
		}
	}
}

func TestQuoteIsSafe(t *testing.T) {
	hostile := "\x1b[31mred\u202Etxt\u200b\n" + strings.Repeat("é", 200)
	q := spec.Quote(hostile)
	if len(q) > 500 {
		t.Errorf("Quote returns %d bytes", len(q))
	}
	for _, r := range strings.TrimSuffix(q, "…") {
		if r < 0x20 || r > 0x7e {
			t.Errorf("Quote lets %U through", r)
		}
	}
}

func TestRegistryName(t *testing.T) {
	for _, s := range []string{"demo/tools", "patch-cat/patch-git", "a/b", "x1/y.z_w-v"} {
		if _, err := spec.ParseRegistryName(s); err != nil {
			t.Errorf("ParseRegistryName(%q): %v", s, err)
		}
	}
	for _, s := range []string{"", "demo", "Demo/tools", "demo/", "/tools", "a/b/c", "a/..", "../b", "a/b ", "-a/b", "a/.b", "a/b."} {
		if n, err := spec.ParseRegistryName(s); err == nil {
			t.Errorf("ParseRegistryName(%q) = %q, want it refused", s, n)
		}
	}
}

func TestFindings(t *testing.T) {
	fs := []spec.Finding{
		{ID: "B", Severity: spec.SeverityWarning, File: "tool.py", Line: 3, Col: 1, Message: "second"},
		{ID: "A", Severity: spec.SeverityNote, File: "tool.py", Line: 2, Col: 9, Message: "first"},
	}
	spec.SortFindings(fs)
	if got, want := fs[0].String(), "tool.py:2:9: note: first [A]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if spec.Blocking(fs) {
		t.Error("warnings and notes block")
	}
	if !spec.Blocking(append(fs, spec.Finding{Severity: spec.SeverityError})) {
		t.Error("an error does not block")
	}
}
