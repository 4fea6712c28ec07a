package standalone

import (
	"strings"
	"testing"
)

// The table has the five versions for the five platforms, each once.
func TestTable(t *testing.T) {
	all, err := ParseTable(pinned)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	digests := map[string]bool{}
	for _, b := range all {
		seen[b.Minor()+" "+b.GOOS+"/"+b.GOARCH] = true
		digests[b.SHA256.Hex()] = true
		for other, goos := range map[string]string{"-linux-gnu": "linux", "-apple-darwin": "darwin", "-windows-msvc": "windows"} {
			if strings.HasSuffix(b.Triple, other) != (b.GOOS == goos) {
				t.Errorf("%s is said to be for %s", b.Triple, b.GOOS)
			}
		}
	}
	for _, minor := range []string{"3.10", "3.11", "3.12", "3.13", "3.14"} {
		for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"} {
			if !seen[minor+" "+platform] {
				t.Errorf("no build of %s for %s", minor, platform)
			}
		}
	}
	if len(all) != 25 || len(digests) != 25 {
		t.Errorf("%d builds with %d digests, want 25", len(all), len(digests))
	}
	if len(builds()) != len(all) {
		t.Error("the program does not see the whole table")
	}
}

// Sums that were read from the project's releases by another way than the rest
// of the table, and the addresses as the project writes them.
func TestTableIsTheProjects(t *testing.T) {
	for _, w := range []struct{ goos, goarch, version, sum, url string }{
		{
			"linux", "amd64", "3.12", "5acfa3e9ba26b51ae161c83aff278da915b590d22373a424b2ba55b8afe91fcc",
			"https://github.com/astral-sh/python-build-standalone/releases/download/20260814/cpython-3.12.14%2B20260814-x86_64-unknown-linux-gnu-install_only_stripped.tar.gz",
		},
		{"darwin", "arm64", "3.12.14", "dd5b76ab11451a4a4367c17c61d944dded56b425396b07f102922a7ebef7d55f", ""},
		{"windows", "amd64", "3.12", "89f18f6932917163b74339ebcec2645c8e47ae7f1c5f2ac37f2b4f4cf3beb647", ""},
	} {
		b, ok := Find(w.goos, w.goarch, w.version)
		if !ok || b.SHA256.Hex() != w.sum || w.url != "" && b.URL(Upstream) != w.url {
			t.Errorf("%s for %s: got %v %s %s", w.version, w.goos, ok, b.SHA256.Hex(), b.URL(Upstream))
		}
	}
	for _, none := range []string{"3.9", "3", "", "3.12.13", "3.1"} {
		if b, ok := Find("linux", "amd64", none); ok {
			t.Errorf("%q: got %s", none, b.File())
		}
	}
	if _, ok := Find("plan9", "amd64", "3.12"); ok {
		t.Error("a build for a platform that has none")
	}
}

const row = "3.12.14 20260814 linux/amd64 x86_64-unknown-linux-gnu 5acfa3e9ba26b51ae161c83aff278da915b590d22373a424b2ba55b8afe91fcc\n"

func TestParseTable(t *testing.T) {
	for name, change := range map[string][2]string{
		"digest short": {"91fcc\n", "91fc\n"}, "digest upper": {"5acfa", "5ACFA"}, "version": {"3.12.14", "3.12"}, "version up": {"3.12.14", "3.12.."},
		"version path": {"3.12.14", "../../1"}, "date": {"20260814", "2026081"}, "platform": {"linux/amd64", "linux"},
		"triple": {"x86_64-unknown-linux-gnu", "x86_64/../evil"}, "columns": {" linux/amd64", ""}, "more columns": {"91fcc\n", "91fcc x\n"},
	} {
		bad := strings.Replace(row, change[0], change[1], 1)
		if all, err := ParseTable("# a table\n" + bad); err == nil {
			t.Errorf("%s: got %v", name, all)
		}
	}
	all, err := ParseTable("# a table\n" + row)
	if err != nil || len(all) != 1 || all[0].ID() != "3.12.14-20260814-5acfa3e9ba26" {
		t.Errorf("the twin: got %v, %v", all, err)
	}
}

func TestCompareVersions(t *testing.T) {
	order := []string{"3.9.18", "3.9.20", "3.10.1", "3.12.9", "3.12.14"}
	for i, a := range order {
		for j, b := range order {
			if got := CompareVersions(a, b); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%s against %s: got %d", a, b, got)
			}
		}
	}
}

func FuzzParseTable(f *testing.F) {
	f.Add(row)
	f.Add("# x\n\n" + row + row)
	f.Fuzz(func(t *testing.T, text string) {
		all, err := ParseTable(text)
		if err != nil {
			return
		}
		for _, b := range all {
			if err := checkName(b.ID()); err != nil || strings.Contains(b.ID(), "/") {
				t.Errorf("%q: the folder %q: %v", text, b.ID(), err)
			}
			if u := b.URL("https://x/"); strings.ContainsAny(u, " \n?#\\") || strings.Contains(u, "..") {
				t.Errorf("%q: the address %q", text, u)
			}
		}
	})
}
