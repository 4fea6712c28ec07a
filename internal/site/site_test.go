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

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
	"github.com/patch-cat/patch-git/spec"
)

func render(t *testing.T, r *registrytest.Registry, dir string) Result {
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

func TestRender(t *testing.T) {
	r, dir := registrytest.New(t), t.TempDir()
	render(t, r, dir) // of a registry without tools
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"), registrytest.Release("text_diff", "0.1.0"))
	r.Publish(t, registrytest.Release("csv_to_json", "1.1.0"))
	done := render(t, r, dir)
	if done.Pages != 3 || done.Removed != 0 {
		t.Errorf("got %+v", done)
	}
	first := files(t, dir)
	if want := []string{".nojekyll", "404.html", "index.html", "style.css", "t/csv_to_json/index.html", "t/text_diff/index.html"}; !slices.Equal(slices.Sorted(maps.Keys(first)), want) {
		t.Errorf("got %v", slices.Sorted(maps.Keys(first)))
	}
	for _, want := range []string{"csv_to_json@1.1.0", "no network, no files", "releases/cs/csv_to_json/1.0.0/tool.py", "Owned by ada"} {
		if !strings.Contains(first["t/csv_to_json/index.html"], want) {
			t.Errorf("the page does not say %q:\n%s", want, first["t/csv_to_json/index.html"])
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
	if done := render(t, r, dir); done.Written != 2 {
		t.Errorf("after a revocation: %+v", done)
	}
	now := files(t, dir)
	if strings.Contains(now["index.html"], "text_diff") || !strings.Contains(now["t/text_diff/index.html"], "revoked</span>: malware") {
		t.Errorf("the revoked tool:\n%s\n%s", now["index.html"], now["t/text_diff/index.html"])
	}
	// Pages of what is gone go.
	put(t, filepath.Join(dir, "t", "gone_tool", "index.html"), now["t/text_diff/index.html"])
	if done := render(t, r, dir); done.Removed != 1 || !maps.Equal(files(t, dir), now) {
		t.Errorf("with a page too much: %+v", done)
	}
}

// TestForeignTextStaysText: of whatever people write, no page gets markup, and
// no page can load or run anything.
func TestForeignTextStaysText(t *testing.T) {
	hostile := []string{
		`</p><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='x`, `<!--`, `]]>`,
		`&lt;b&gt;`, `javascript:alert(1)`, "\u202eevil", "{{.}} ${{ secrets.X }}", `<svg/onload=alert(1)>`, `%s%s`,
	}
	r := registrytest.New(t)
	var batch registry.Batch
	for i, text := range hostile {
		rel := registrytest.Release(fmt.Sprintf("tool_%d", i), "1.0.0")
		rel.Tool.Description = text
		batch.Accept = append(batch.Accept, registry.Acceptance{
			Release: rel, Contributor: ledger.Owner{Login: text, ID: 7}, Report: spec.DigestOf(rel.Files[0].Data),
		})
		batch.Meta = append(batch.Meta, registry.ToolMeta{Name: rel.Ref.Name, Owners: []ledger.Owner{{Login: text, ID: 7}}, Deprecated: text})
	}
	r.Seal(t, batch)
	for i, text := range hostile {
		r.Withdraw(t, ledger.EventYank, spec.Ref{Name: spec.Name(fmt.Sprintf("tool_%d", i)), Version: "1.0.0"}, text)
	}
	more := registrytest.Release("tool_0", "2.0.0")
	more.Tool.Description = strings.Join(hostile, " ")
	r.Publish(t, more)
	dir := t.TempDir()
	render(t, r, dir)
	tags := regexp.MustCompile(`<[^>]*>`)
	known := regexp.MustCompile(`^<(!doctype html|html lang="en"|head|meta [^<>]*|title|link rel="stylesheet" href="(\.\./\.\./)?style\.css"|style|body|h1|h2|p|p class="(note|dim)"|pre|i|code|table|tr|th|th class="wide"|td|td class="(wide|dim)"|a href="[A-Za-z0-9_./:-]*"|span class="(dim|bad|ok)"|ul class="tools"|li|footer|/[a-z0-9]+)>$`)
	for path, text := range files(t, dir) {
		if !strings.HasSuffix(path, ".html") {
			continue
		}
		for _, tag := range tags.FindAllString(text, -1) {
			if !known.MatchString(tag) {
				t.Errorf("%s has the tag %q", path, tag)
			}
		}
		policy := strings.Index(text, `http-equiv="Content-Security-Policy" content="default-src 'none'; style-src `)
		if policy < 0 || policy > strings.Index(text, "<title>") {
			t.Errorf("%s has no policy before everything else", path)
		}
		if strings.Contains(text, "\u202e") {
			t.Errorf("%s has a character that turns the text around", path)
		}
	}
	if !strings.Contains(files(t, dir)["t/tool_0/index.html"], "&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;") {
		t.Error("what people wrote is not shown")
	}
}

func TestLetters(t *testing.T) {
	r := registrytest.New(t)
	var all []*spec.Release
	for i := range onePage + 1 {
		all = append(all, registrytest.Release(fmt.Sprintf("%c_tool_%d", 'a'+i%3, i), "1.0.0"))
	}
	r.Publish(t, all...)
	dir := t.TempDir()
	done := render(t, r, dir)
	got := files(t, dir)
	if done.Pages != onePage+1+4 || got["list/a/index.html"] == "" || strings.Contains(got["index.html"], "b_tool_1\"") {
		t.Errorf("got %+v", done)
	}
	if n := strings.Count(got["list/b/index.html"], "<li>"); n != (onePage+2)/3 {
		t.Errorf("b lists %d tools", n)
	}
	if !strings.Contains(got["list/c/index.html"], `href="../../t/c_tool_2/index.html"`) {
		t.Error("a letter's links lead nowhere")
	}
	if n := strings.Count(got["index.html"], "<tr>"); n != newest {
		t.Errorf("%d versions are new", n)
	}
}
