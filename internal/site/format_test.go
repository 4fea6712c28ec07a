package site

import (
	"testing"

	patchgit "github.com/patch-cat/patch-git"
	"github.com/patch-cat/patch-git/registry/registrytest"
	"github.com/patch-cat/patch-git/spec"
)

// TestFormats: the page of a tool says what its format says: actions, what is
// installed and asked for, and how it is used; none of them is run by itself.
func TestFormats(t *testing.T) {
	r, dir := registrytest.New(t), t.TempDir()
	for _, format := range spec.Formats()[1:] {
		releases, err := registrytest.ReleasesIn(patchgit.Tools, format)
		if err != nil {
			t.Fatal(err)
		}
		r.Publish(t, releases...)
	}
	render(t, r, dir)
	pages := files(t, dir)
	says(t, pages, "t/markdown_html/index.html", "Installable program", "<code>render</code>", "Print the HTML of a Markdown file.", "markdown-it-py ==3.0.0, by pip",
		"In your name", "fs.documents:read", "patch-git pull markdown_html", "patch-git call markdown_html render", "patch-git setup cursor", "!patch-git run", "!Python  or newer", "install.json")
	says(t, pages, "t/time_zones/index.html", "Asks for LOCAL_TIMEZONE", "<code>convert_time</code>", "mcp-stdio")
	says(t, pages, "t/csv_profile/index.html", "Skill", "By nobody here", "patch-git skill run-plan csv_profile", "patch-git skill install csv_profile --to cursor", "!patch-git setup", "Needs the program", "<code>table</code>", "!patch-git run", "!It answers with")
	says(t, pages, "t/csv_profile/1.0.0/index.html", "scripts/profile.py", "references/reading.md", "SKILL.md")
	says(t, pages, "t/gmail_list_emails/index.html", "Arcade tool", "By Arcade, which runs it", "Gmail.ListEmails", "gmail.readonly", "<code>list_emails</code>", "patch-git arcade login\npatch-git setup vscode")
	says(t, pages, "browse/kind/skill/index.html", "changelog_writer", "csv_profile", "!markdown_html")
	says(t, pages, "browse/kind/arcade/index.html", "github_get_repository")
}
