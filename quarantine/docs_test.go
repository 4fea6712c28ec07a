package quarantine

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

const (
	checksFile   = "../docs/checks.md"
	checksMarker = "<!-- What follows is written by the test: PATCH_GIT_UPDATE=1 go test -run TestChecksDocument ./quarantine -->\n"
)

// TestChecksDocument holds docs/checks.md against the rules and against what
// comes out when every example is played.
func TestChecksDocument(t *testing.T) {
	have, err := os.ReadFile(checksFile)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(have), checksMarker)
	if !ok {
		t.Fatalf("%s has no line %s", checksFile, checksMarker)
	}
	examples := allExamples(t)
	want := "\n" + standardTool(t) + rulesOfReleases(examples, play(t, examples)) + rulesOfManifests()
	if rest == want {
		return
	}
	if os.Getenv("PATCH_GIT_UPDATE") != "" {
		if err := os.WriteFile(checksFile, []byte(head+checksMarker+want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s is not what the examples make; write it again with PATCH_GIT_UPDATE=1\n%s", checksFile, firstDifference(rest, want))
}

func firstDifference(have, want string) string {
	a, b := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d has %q, want %q", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

func standardTool(t *testing.T) string {
	t.Helper()
	files, err := exampleFiles(Case{})
	if err != nil {
		t.Fatal(err)
	}
	return "## The tool of the examples\n\nEach example makes a change of this tool, in which nothing is found:\n\n" + block("python", string(files[0].Data)) +
		"\nExamples of rules about skills change this one:\n\n" + block("markdown", "---\n"+exampleSkill+"---\n"+exampleSteps) +
		"\nAnd those about install manifests this one:\n\n" + block("json", exampleInstall)
}

// block is a fenced block that its text cannot end.
func block(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + fence + "\n"
}

func rulesOfReleases(examples []Example, results [][]played) string {
	byID, resultOf := map[string]Example{}, map[string][]played{}
	for i, e := range examples {
		byID[e.ID], resultOf[e.ID] = e, results[i]
	}
	var b strings.Builder
	b.WriteString("\n## Rules about releases\n")
	for _, r := range Rules() {
		e := byID[r.ID]
		fmt.Fprintf(&b, "\n### %s\n\n**%s.** %s, because %s.\n\n", r.ID, sentence(r.What), strings.ToUpper(string(r.Severity[:1]))+string(r.Severity[1:]), r.Why)
		fmt.Fprintf(&b, "Fix: %s. Waived by: %s.\n", markdown(r.Fix), waivedBy(r.Waiver))
		if e.Notes != "" {
			fmt.Fprintf(&b, "\n%s\n", e.Notes)
		}
		for i, c := range e.Cases {
			b.WriteString(caseText(c, resultOf[r.ID][i].findings))
		}
	}
	return b.String()
}

// markdown keeps what Markdown would take for emphasis or HTML.
func markdown(s string) string {
	return strings.NewReplacer("_", `\_`, "*", `\*`, "<", `\<`).Replace(s)
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + markdown(s[1:]) }

func waivedBy(w Waiver) string {
	switch w {
	case WaiverAuthor, WaiverMaintainer:
		return "a maintainer"
	case WaiverDeclare:
		return "nobody, for it is declared"
	}
	return "nobody"
}

func caseText(c Case, findings []spec.Finding) string {
	var b strings.Builder
	for i, change := range c.Changes {
		word := "Not found"
		switch {
		case i > 0:
			word = "And"
		case c.Hit:
			word = "Found"
		}
		fmt.Fprintf(&b, "\n%s, %s:\n\n%s", word, change.Where(), block(map[string]string{"manifest": "yaml", "code": "python", "body": "python", "source": "python", "skill": "markdown", "frontmatter": "yaml", "install": "json"}[change.Kind], change.Text))
	}
	if len(findings) == 0 {
		return b.String()
	}
	var lines strings.Builder
	for _, f := range findings {
		for _, r := range Rules() {
			f.Message = strings.TrimSuffix(f.Message, "; "+r.Why)
		}
		lines.WriteString(f.String() + "\n")
	}
	return b.String() + "\n" + block("text", lines.String())
}

func rulesOfManifests() string {
	var b strings.Builder
	b.WriteString("\n## Rules about manifests\n\nNobody waives these; each is mended in the manifest.\n\n| id | severity | what is seen | fix |\n|---|---|---|---|\n")
	for _, r := range manifest.Rules() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.ID, r.Strict, markdown(r.Means), markdown(r.Fix))
	}
	return b.String()
}
