package quarantine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

func TestShape(t *testing.T) {
	pad := func(n int) string { return strings.Repeat("x", n) }
	runTwins(t, []twin{
		{"stray file", addFile("helper.txt", "x"), "GOV-003 error", addFile("NOTES.md", "x")},
		{"second module", addFile("util.py", "x = 1\n"), "GOV-003 error", addFile("README.md", "x = 1\n")},
		{"licence with a tail", addFile("LICENSE.", "x"), "GOV-003 error", addFile("LICENSE-MIT", "x")},
		{"generated file of another format", func(s *Subject) {
			s.Release.Tool.Format = spec.FormatSkill
			s.Release.Files[0].Path = "SKILL.md"
			addFile("closure.json", "{}")(s)
		}, "GOV-003 error", addFile("closure.json", "{}")},
		{"folder", addFile("docs/README.md", "x"), "GOV-003 error", addFile("LICENCE", "x")},
		{"path upwards", addFile("../README.md", "x"), "GOV-003 error", addFile("README.md", "x")},
		{"hidden path", addFile(".README.md", "x"), "GOV-003 error", addFile("README.md", "x")},
		{"device name", addFile("NUL.md", "x"), "GOV-003 error", addFile("LICENSE.md", "x")},
		{
			"case twins", func(s *Subject) { addFile("LICENSE-A", "x")(s); addFile("LICENSE-a", "y")(s) }, "GOV-003 error",
			func(s *Subject) { addFile("LICENSE-A", "x")(s); addFile("LICENSE-b", "y")(s) },
		},
		{"same path twice", func(s *Subject) { addFile("NOTES.md", "x")(s); addFile("NOTES.md", "y")(s) }, "GOV-003 error", addFile("NOTES.md", "y")},
		{"folder twins", func(s *Subject) { addFile("a/b", "x")(s); addFile("A/c", "y")(s) }, "GOV-003 error, GOV-003 error, GOV-003 error", nil},
		{"file as folder", func(s *Subject) { addFile("NOTES.md", "x")(s); addFile("NOTES.md/b", "y")(s) }, "GOV-003 error, GOV-003 error", addFile("NOTES.md", "x")},
		{"NUL in a document", addFile("README.md", "a\x00b"), "GOV-003 error, TXT-001 error", addFile("README.md", "ab")},
		{"not UTF-8", addFile("README.md", "a\xffb"), "GOV-003 error", addFile("README.md", "aÿb")},
		{"large file storage", addFile("README.md", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n"), "GOV-003 error", addFile("README.md", "version 1\n")},
		{"file too large", addFile("NOTES.md", pad(limits.ToolFile+1)), "GOV-003 error", addFile("NOTES.md", pad(limits.ToolFile))},
		{"release too large", func(s *Subject) {
			addFile("closure.json", pad(limits.ReleaseBytes-len(validSource)+1))(s)
		}, "GOV-003 error", addFile("closure.json", pad(limits.ReleaseBytes-len(validSource)))},
		{"no main file", func(s *Subject) { s.Release.Files[0].Path = "README.md" }, "GOV-003 error", nil},
		{"unknown format", func(s *Subject) { s.Release.Tool.Format = "zip" }, "GOV-003 error", nil},
	})
	s := valid(t)
	for i := range limits.ReleaseFiles - 1 {
		addFile(fmt.Sprintf("LICENSE-%d", i), "x")(&s)
	}
	if r := Check(t.Context(), s); len(r.Findings) > 0 {
		t.Errorf("as many files as allowed: got %v", r.Findings)
	}
	addFile("NOTES.md", "x")(&s)
	if r := Check(t.Context(), s); ids(r.Findings) != "GOV-003 error" {
		t.Errorf("one file too many: got %v", r.Findings)
	}
}

func TestNames(t *testing.T) {
	taken := func(name, owner string) func(*Subject) {
		return func(s *Subject) {
			s.Names = []Existing{{Name: "unrelated_tool", Owner: "9"}, {Name: spec.Name(name), Owner: owner}}
		}
	}
	runTwins(t, []twin{
		{"same name", taken("word_count", "2"), "MAN-002 error", taken("word_count", "1")},
		{"other case", taken("Word_Count", "2"), "MAN-002 error", taken("Word_Count", "1")},
		{"underscore left out", taken("wordcount", "2"), "MAN-002 error", taken("wordcounts_all", "2")},
		{"zero for o", taken("w0rd_count", "2"), "MAN-002 error", taken("w0rd_counter", "2")},
		{
			"rn for m", func(s *Subject) { rename(s, "form_fill"); taken("forrn_fill", "2")(s) }, "MAN-002 error",
			func(s *Subject) { rename(s, "form_fill"); taken("forrn_fill", "1")(s) },
		},
		{"vv for w", taken("vvord_count", "2"), "MAN-002 error", taken("vord_counts", "2")},
		{"letter added", taken("word_counts", "2"), "MAN-002 warning", taken("word_counted", "2")},
		{"letter left out", taken("word_coun", "2"), "MAN-002 warning", taken("word_cou", "2")},
		{"letter changed", taken("ward_count", "2"), "MAN-002 warning", taken("wart_count", "2")},
		{"letters swapped", taken("word_coutn", "2"), "MAN-002 warning", taken("word_cotun", "2")},
		{"nobody owns nothing", func(s *Subject) { s.Owner = ""; taken("word_count", "")(s) }, "MAN-002 error", taken("word_count", "1")},
		{"reserved", func(s *Subject) { rename(s, "patch_run_tool") }, "MAN-002 error", func(s *Subject) { rename(s, "patches_run") }},
		{"not a name", func(s *Subject) { rename(s, "Word") }, "MAN-002 error", func(s *Subject) { rename(s, "word") }},
		{"manifest of another name", func(s *Subject) { s.Release.Tool.Name = "other_tool" }, "MAN-002 error", nil},
		{"manifest of another version", func(s *Subject) { s.Release.Tool.Version = "1.2.1" }, "MAN-002 error", nil},
	})
}

func rename(s *Subject, name string) {
	s.Release.Ref.Name, s.Release.Tool.Name = spec.Name(name), spec.Name(name)
}

func TestHistory(t *testing.T) {
	published := func(version string, files map[string]string) func(*Subject) {
		return func(s *Subject) {
			p := Published{Version: spec.Version(version), Files: map[string]spec.Digest{}}
			for path, data := range files {
				p.Files[path] = spec.DigestOf([]byte(data))
			}
			s.Previous = append(s.Previous, p)
		}
	}
	same := map[string]string{"tool.py": validSource, "closure.json": "{}", "pylock.toml": "", "report.json": "{}"}
	runTwins(t, []twin{
		{"changed source", published("1.2.0", map[string]string{"tool.py": validSource + "\n"}), "MAN-003 error", published("1.2.0", same)},
		{"file added", func(s *Subject) { published("1.2.0", same)(s); addFile("NOTES.md", "x")(s) }, "MAN-003 error", published("1.2.0", same)},
		{"file removed", published("1.2.0", map[string]string{"tool.py": validSource, "NOTES.md": "x"}), "MAN-003 error", published("1.2.0", same)},
		{"lower version", published("1.3.0", same), "MAN-003 error", published("1.1.9", same)},
		{
			"lower in another order", func(s *Subject) { published("2.0.0", same)(s); published("1.0.0", same)(s) }, "MAN-003 error",
			func(s *Subject) { published("1.0.1", same)(s); published("1.0.0", same)(s) },
		},
		{"pre-release of a published one", func(s *Subject) {
			s.Release.Ref.Version, s.Release.Tool.Version = "1.2.0-rc.1", "1.2.0-rc.1"
			published("1.2.0", same)(s)
		}, "MAN-003 error", published("1.2.0-rc.1", same)},
		{"ten is above nine", func(s *Subject) { published("1.10.0", same)(s) }, "MAN-003 error", published("1.1.10", same)},
		{"no version", func(s *Subject) { s.Release.Ref.Version, s.Release.Tool.Version = "1.2", "1.2" }, "MAN-003 error", nil},
	})
}

func TestScriptBlock(t *testing.T) {
	block := func(lines ...string) func(*Subject) {
		return func(s *Subject) {
			s.Release.Tool.Runtime.Packages = []string{"beautifulsoup4==4.12.3", "Pillow==10.0"}
			s.Release.Files[0].Data = []byte("# /// script\n# " + strings.Join(lines, "\n# ") + "\n# ///\n\n" + validSource)
		}
	}
	agree := block(`requires-python = ">=3.9"`, `dependencies = [`, `  "BeautifulSoup4 == 4.12.3", # html`, `  'pillow==10.0',`, `]`)
	deps := `dependencies = ["beautifulsoup4==4.12.3", "pillow==10.0"]`
	runTwins(t, []twin{
		{"other package", block(`dependencies = ["beautifulsoup4==4.12.3", "pillow==10.0", "evil==1.0"]`), "MAN-005 error", agree},
		{"package left out", block(`dependencies = ["pillow==10.0"]`), "MAN-005 error", agree},
		{"other version", block(`dependencies = ["beautifulsoup4==4.12.3", "pillow==10.1"]`), "MAN-005 error, MAN-005 error", agree},
		{"not pinned", block(`dependencies = ["beautifulsoup4==4.12.3", "pillow>=10.0"]`), "MAN-005 error, MAN-005 error", agree},
		{"from an address", block(`dependencies = ["beautifulsoup4==4.12.3", "pillow @ https://evil.example/p.whl"]`), "MAN-005 error, MAN-005 error", agree},
		{"other python", block(deps, `requires-python = ">=3.10"`), "MAN-005 error", block(deps, `requires-python = ">=3.9.2,<3.13"`)},
		{"python upwards closed", block(deps, `requires-python = "<3.9"`), "MAN-005 error", block(deps, `requires-python = "==3.9.*"`)},
		{"compatible release", block(deps, `requires-python = "~=3.8.1"`), "MAN-005 error", block(deps, `requires-python = "~=3.8"`)},
		{"unreadable python", block(deps, `requires-python = "three"`), "MAN-005 error", block(deps, `requires-python = "!=3.8.*"`)},
		{"unreadable value", block(`dependencies = "pillow"`), "MAN-005 error", agree},
		{"key twice", block(deps, `dependencies = []`), "MAN-005 error", block(deps)},
		{
			"escaped package", block(`dependencies = ["beautifulsoup4==4.12.3", "\u0070illow==10.0"]`, `extra = 1`), "MAN-005 error",
			block(`dependencies = ["beautifulsoup4==4.12.3", "\u0070illow==10.0"]`),
		},
		{"tables", block(deps, "[tool.uv]", `index-url = "https://evil.example"`), "MAN-005 warning", block(deps)},
		{"second block", func(s *Subject) {
			agree(s)
			s.Release.Files[0].Data = append(s.Release.Files[0].Data, "# /// script\n# dependencies = [\"evil==1\"]\n# ///\n"...)
		}, "MAN-005 error", agree},
		{"last closing line counts", block(deps, "///", `dependencies = ["evil==1"]`), "MAN-005 error", agree},
		{"not closed", func(s *Subject) {
			s.Release.Files[0].Data = []byte("# /// script\n# dependencies = [\"evil==1\"]\n\n" + validSource)
		}, "MAN-005 error", func(s *Subject) { s.Release.Files[0].Data = []byte("# /// other\n# x\n\n" + validSource) }},
	})
}

func FuzzReadScript(f *testing.F) {
	for _, s := range []string{"", `dependencies = ["a==1", 'b']`, "requires-python = \">=3.9\"\n[tool]", `x = "\u00e9\U0001F600\\"`, "dependencies = [\n# c\n]", `dependencies = ["a`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		meta, err := readScript(content)
		if err != nil {
			return
		}
		if len(meta.dependencies) > 0 && !meta.hasDependencies {
			t.Fatalf("readScript(%q) has dependencies without the key", content)
		}
		_, _ = allowsPython(meta.requiresPython, "3.12")
	})
}
