package site

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
	"github.com/patch-cat/patch-git/spec"
)

func render(t *testing.T, r registry.Source, dir string) Result {
	t.Helper()
	done, err := Render(t.Context(), r, dir)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		out[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// says looks for texts that a page must have, and after "!" for those that it
// must not have.
func says(t *testing.T, pages map[string]string, path string, texts ...string) {
	t.Helper()
	page, ok := pages[path]
	if !ok {
		t.Errorf("there is no %s", path)
	}
	for _, text := range texts {
		not, negated := strings.CutPrefix(text, "!")
		if strings.Contains(page, not) == negated {
			t.Errorf("%s: %q is there: %v\n%.3000s", path, not, negated, page)
		}
	}
}

func TestRender(t *testing.T) {
	r, dir := registrytest.New(t), t.TempDir()
	render(t, r, dir) // of a registry without tools
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"), registrytest.Release("text_diff", "0.1.0"))
	r.Publish(t, registrytest.Release("csv_to_json", "1.1.0", spec.File{Path: "words.txt", Data: []byte("a\n")}))
	render(t, r, dir)
	first := files(t, dir)
	for _, want := range []string{
		".nojekyll", "404.html", "index.html", "feed.xml", "assets/style.css", "assets/icon.svg", "browse/index.html", "browse/all/index.html",
		"browse/kind/patch/index.html", "browse/may/nothing/index.html", "by/ada/index.html", "changes/index.html", "registry/index.html",
		"t/csv_to_json/index.html", "t/csv_to_json/1.0.0/index.html", "t/csv_to_json/1.1.0/index.html", "t/csv_to_json/1.1.0/changes.html",
	} {
		if _, ok := first[want]; !ok {
			t.Errorf("there is no %s in %v", want, slices.Sorted(maps.Keys(first)))
		}
	}
	says(t, first, "t/csv_to_json/index.html", "csv_to_json@1.1.0", "no network", "no files", `href="../../by/ada/index.html"`, `href="1.0.0/index.html"`,
		`href="1.1.0/changes.html"`, "../../v1/releases/cs/csv_to_json/1.1.0/evidence.sigstore.json", "<b>def </b><em>run</em>")
	says(t, first, "t/csv_to_json/1.1.0/index.html", "../../../v1/releases/cs/csv_to_json/1.1.0/words.txt", "The same as 1.0.0")
	says(t, first, "t/csv_to_json/1.1.0/changes.html", "words.txt", "new", `<del># version: &#34;1.0.0&#34;</del>`, `<ins># version: &#34;1.1.0&#34;</ins>`)
	says(t, first, "by/ada/index.html", "csv_to_json", "text_diff", "!at GitHub")
	says(t, first, "registry/index.html", r.Doc.Trust.Digest().String(), "patch-git log verify acme/tools")
	// Every link leads to a page, or to the published tree.
	for path, text := range first {
		for _, m := range regexp.MustCompile(`(?:href|src)="([^"#]*)`).FindAllStringSubmatch(text, -1) {
			to := filepath.ToSlash(filepath.Join(filepath.Dir(path), m[1]))
			if m[1] == "" || strings.HasPrefix(m[1], "https://") || to == "assets/page.js" {
				continue
			}
			if tree, ok := strings.CutPrefix(to, "v1/"); ok {
				if _, err := r.Read(t.Context(), tree, limits.Document); err != nil {
					t.Errorf("%s leads to %s: %v", path, to, err)
				}
			} else if _, ok := first[to]; !ok {
				t.Errorf("%s leads to %s, which is not there", path, to)
			}
		}
	}
	// The same tree makes the same bytes, and writes nothing again.
	other := t.TempDir()
	render(t, r, other)
	if !maps.Equal(files(t, other), first) {
		t.Error("the same tree made other bytes")
	}
	if done := render(t, r, dir); done.Written != 0 {
		t.Errorf("once more: %+v", done)
	}
	// Only what changes is written; what is not offered any more is not listed.
	r.Withdraw(t, ledger.EventRevoke, spec.Ref{Name: "text_diff", Version: "0.1.0"}, "malware")
	render(t, r, dir)
	now := files(t, dir)
	for path := range now {
		if strings.HasPrefix(path, "t/csv_to_json/") && now[path] != first[path] {
			t.Errorf("%s changed, which is of another tool", path)
		}
	}
	for _, list := range []string{"index.html", "browse/all/index.html", "by/ada/index.html"} {
		says(t, now, list, "!text_diff")
	}
	for _, page := range []string{"t/text_diff/index.html", "t/text_diff/0.1.0/index.html"} {
		says(t, now, page, "<strong>Revoked</strong> malware", "refuses to run it", "!patch-git pull text_diff")
	}
	says(t, now, "changes/index.html", "text_diff 0.1.0", ": malware")
	// Pages of what is gone go.
	put(t, filepath.Join(dir, "t", "gone_tool", "1.0.0", "index.html"), now["t/text_diff/index.html"])
	put(t, filepath.Join(dir, "by", "gone", "index.html"), now["t/text_diff/index.html"])
	put(t, filepath.Join(dir, "assets", "gone.js"), "// patch-git: of an older program\n")
	if done := render(t, r, dir); done.Removed != 3 || !maps.Equal(files(t, dir), now) {
		t.Errorf("with pages too many: %+v", done)
	}
}

// TestWithdrawnVersions: what was yanked is said where it stands, and the page
// of a tool is that of the version that is offered.
func TestWithdrawnVersions(t *testing.T) {
	r := registrytest.New(t)
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"))
	wide := registrytest.Release("csv_to_json", "2.0.0")
	wide.Tool.Capabilities = spec.Capabilities{Network: true, Filesystem: spec.FilesystemReadWrite}
	wide.Files[1].Data = []byte(strings.NewReplacer("network: false", "network: true", "filesystem: none", "filesystem: read-write").Replace(string(wide.Files[1].Data)))
	r.Publish(t, wide)
	r.Withdraw(t, ledger.EventYank, spec.Ref{Name: "csv_to_json", Version: "2.0.0"}, "loses rows")
	dir := t.TempDir()
	render(t, r, dir)
	pages := files(t, dir)
	says(t, pages, "t/csv_to_json/index.html", "patch-git pull csv_to_json@1.0.0", "!<strong>Yanked", `data-value="bad">yanked</span> loses rows`, "network: no → yes", "files: none → read-write")
	says(t, pages, "t/csv_to_json/2.0.0/index.html", "<strong>Yanked</strong> loses rows", "<strong>Not the latest</strong>", "!patch-git pull", "asks for more")
	says(t, pages, "t/csv_to_json/2.0.0/changes.html", "<strong>network</strong> no → yes", "<strong>files</strong> none → read-write", "asks for more")
	says(t, pages, "browse/may/nothing/index.html", "csv_to_json")
	if _, there := pages["browse/may/network/index.html"]; there {
		t.Error("a yanked version is listed by what it may do")
	}
	says(t, pages, "index.html", "!2.0.0")
	// The twin: the same version that is not yanked.
	r.Withdraw(t, ledger.EventUnyank, spec.Ref{Name: "csv_to_json", Version: "2.0.0"}, "it was the reader")
	render(t, r, dir)
	pages = files(t, dir)
	says(t, pages, "t/csv_to_json/index.html", "patch-git pull csv_to_json@2.0.0", "!yanked")
	says(t, pages, "browse/may/network/index.html", "csv_to_json")
	says(t, pages, "index.html", "2.0.0")
}

// TestPublishers: a login that changed hands is two people, and one that is no
// login has no page.
func TestPublishers(t *testing.T) {
	r := registrytest.New(t)
	var b registry.Batch
	for name, owner := range map[string]ledger.Owner{
		"one_tool": {Login: "Ada", ID: 7}, "two_tool": {Login: "ada", ID: 8}, "three_tool": {Login: "grace", ID: 9}, "four_tool": {Login: "con", ID: 10}, "five_tool": {Login: "../../x", ID: 11},
	} {
		rel := registrytest.Release(name, "1.0.0")
		b.Accept = append(b.Accept, registry.Acceptance{Release: rel, Contributor: owner, Report: spec.DigestOf(rel.Files[0].Data)})
	}
	slices.SortFunc(b.Accept, func(x, y registry.Acceptance) int {
		return strings.Compare(string(x.Release.Ref.Name), string(y.Release.Ref.Name))
	})
	r.Seal(t, b)
	dir := t.TempDir()
	render(t, r, dir)
	pages := files(t, dir)
	says(t, pages, "by/ada.7/index.html", "one_tool", "!two_tool")
	says(t, pages, "by/ada.8/index.html", "two_tool", "!one_tool")
	says(t, pages, "by/grace/index.html", "three_tool")
	says(t, pages, "t/three_tool/index.html", `href="../../by/grace/index.html"`)
	says(t, pages, "t/five_tool/index.html", "../../x", `!href="../../by/`)
	says(t, pages, "t/four_tool/index.html", "con", `!href="../../by/`)
	for path := range pages {
		if strings.HasPrefix(path, "by/") && len(slices.DeleteFunc([]string{"by/ada.7/index.html", "by/ada.8/index.html", "by/grace/index.html"}, func(s string) bool { return s != path })) == 0 {
			t.Errorf("there is %s", path)
		}
	}
}

// TestRegistryOnGitHub: the pages of a registry that a workflow signs say which,
// and lead to the people at GitHub.
func TestRegistryOnGitHub(t *testing.T) {
	r := registrytest.New(t)
	rel := registrytest.Release("csv_to_json", "1.0.0")
	r.Seal(t, registry.Batch{Accept: []registry.Acceptance{{
		Release: rel, Contributor: ledger.Owner{Login: "grace", ID: 9}, Report: spec.DigestOf(rel.Files[0].Data),
		PullRequest: "https://github.com/acme/tools/pull/7", Commit: strings.Repeat("ab", 20),
	}}, Meta: []registry.ToolMeta{{Name: "csv_to_json", Owners: []ledger.Owner{{Login: "ada", ID: 7}}}}})
	identity := ledger.GitHubIdentity("acme/tools")
	doc := &ledger.Registry{
		Schema: ledger.RegistrySchema, Name: "acme/tools", Source: "https://github.com/acme/tools",
		Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &identity},
	}
	r.Hook(registry.Hooks{Read: func(path string, data []byte, err error) ([]byte, error) {
		if path == ledger.RegistryPath {
			return ledger.Encode(doc), nil
		}
		return data, err
	}})
	dir := t.TempDir()
	render(t, r, dir)
	pages := files(t, dir)
	says(t, pages, "index.html", "patch-git registry add https://github.com/acme/tools</pre>", `<a href="https://github.com/acme/tools">`)
	says(t, pages, "registry/index.html", "<dt>san</dt><dd><code>"+identity.SAN, "<dt>trigger</dt>", doc.Trust.Digest().String(), "!One key")
	says(t, pages, "by/ada/index.html", `<a href="https://github.com/ada">at GitHub</a>`)
	says(t, pages, "t/csv_to_json/index.html", `<a href="https://github.com/grace">grace</a>`, `<a href="https://github.com/acme/tools/pull/7">github.com/acme/tools/pull/7</a>`,
		`<a href="https://github.com/acme/tools/commit/`+strings.Repeat("ab", 20), "!verified publisher")
}

func TestLists(t *testing.T) {
	r := registrytest.New(t)
	var all []*spec.Release
	for i := range 2*perPage + 1 {
		rel := registrytest.Release(fmt.Sprintf("%c_tool_%03d", 'a'+i%3, i), "1.0.0")
		rel.Tool.Tags = []string{"csv"}
		rel.Files[1].Data = []byte(strings.Replace(string(rel.Files[1].Data), "inputs:", "x-tags: [csv]\n# inputs:", 1))
		all = append(all, rel)
	}
	r.Publish(t, all...)
	dir := t.TempDir()
	render(t, r, dir)
	pages := files(t, dir)
	if len(pages["index.html"]) > 12_000 || strings.Contains(pages["index.html"], "b_tool_001") {
		t.Errorf("the start page of many tools has %d bytes", len(pages["index.html"]))
	}
	for path, cards := range map[string]int{
		"browse/all/index.html": perPage, "browse/all/2.html": perPage, "browse/all/3.html": 1, "browse/tag/csv/3.html": 1, "by/ada/2.html": perPage, "browse/kind/patch/3.html": 1,
	} {
		if n := strings.Count(pages[path], `<li class="card">`); n != cards {
			t.Errorf("%s lists %d tools, not %d", path, n, cards)
		}
	}
	says(t, pages, "browse/all/2.html", `href="index.html" rel="prev"`, `href="3.html" rel="next"`, `href="../../t/b_tool_100/index.html"`, "101 to 200 of 201")
	says(t, pages, "browse/all/index.html", `href="2.html#c"`)
}

// TestToolPageIsLight: whatever is in a tool, its page and those of its versions
// stay below the bound, and the whole source has a page of its own.
func TestToolPageIsLight(t *testing.T) {
	r := registrytest.New(t)
	var description, inputs strings.Builder
	for range limits.Description {
		description.WriteByte('&')
	}
	for i := range limits.Inputs {
		fmt.Fprintf(&inputs, "#   - {name: input_%s_%d, type: string, required: true, description: '%s'}\n", strings.Repeat("x", 30), i, strings.Repeat("\"<+>&", 100))
	}
	text := "# ---\n# name: heavy_tool\n# version: %s\n# description: '" + description.String() + "'\n# inputs:\n" + inputs.String() +
		"# outputs: {type: object}\n# capabilities: {network: false, filesystem: none, human_confirm: false}\n" +
		"# runtime: {language: python, python_version: \"3.9\", packages: []}\n# ---\n"
	owners := make([]ledger.Owner, 30)
	for i := range owners {
		owners[i] = ledger.Owner{Login: fmt.Sprintf("%s-%d", strings.Repeat("o", 35), i), ID: int64(i) + 1}
	}
	for i := range 12 {
		version := fmt.Sprintf("%d.%d.%d", i+1, 1<<62, 1<<62)
		source := fmt.Sprintf(text, version)
		source += strings.Repeat(`"'&<+1 `, (limits.ToolFile-len(source))/7)
		if i%2 == 1 {
			source = source[:len(source)/2] + strings.Repeat("\n", (limits.ToolFile-len(source)/2)/2)
		}
		rel := registrytest.Release("heavy_tool", version)
		rel.Files[1].Data = []byte(source)
		rel.Tool.Description = description.String()
		if _, found := manifest.Read("tool.py", []byte(source), manifest.Strict); spec.Blocking(found) {
			t.Fatalf("%.300v", found)
		}
		b := registry.Batch{Accept: []registry.Acceptance{{Release: rel, Contributor: owners[0], Report: spec.DigestOf(rel.Files[0].Data), PullRequest: "https://github.com/" + strings.Repeat("p", 400)}}}
		if i == 0 {
			b.Meta = []registry.ToolMeta{{Name: "heavy_tool", Owners: owners, Deprecated: strings.Repeat("<", 300)}}
		}
		r.Seal(t, b)
		r.Withdraw(t, ledger.EventYank, spec.Ref{Name: "heavy_tool", Version: rel.Ref.Version}, strings.Repeat("\"", 300))
	}
	dir := t.TempDir()
	render(t, r, dir)
	pages := files(t, dir)
	says(t, pages, "t/heavy_tool/index.html", "input_xxx", "more, which <code>--help</code>")
	for path, text := range pages {
		if strings.HasPrefix(path, "t/") && strings.HasSuffix(path, "index.html") && len(text) > limits.SitePage {
			t.Errorf("%s has %d bytes", path, len(text))
		}
		if len(text) > limits.Document {
			t.Errorf("%s has %d bytes: it could not be compared with what is there", path, len(text))
		}
	}
	if n := strings.Count(pages["t/heavy_tool/versions.html"], "<tr>"); n != 13 {
		t.Errorf("%d versions are listed", n)
	}
	if done := render(t, r, dir); done.Written != 0 {
		t.Errorf("once more: %+v", done)
	}
}
