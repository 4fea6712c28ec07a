package site

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/registry/registrytest"
)

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRenderBesideOthers: what somebody else has in the folder stays, whether it
// has the name of a page or lies where pages of tools do.
func TestRenderBesideOthers(t *testing.T) {
	r := registrytest.New(t)
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"))
	for _, name := range []string{"index.html", "404.html", "assets/style.css", "assets/icon.svg", "feed.xml", "browse/index.html", ".nojekyll", "t/csv_to_json/index.html"} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, name), "my own words")
		if _, err := Render(t.Context(), r, dir); fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != "foreign" {
			t.Errorf("%s: %v", name, err)
		}
		if got := files(t, dir)[name]; got != "my own words" {
			t.Errorf("%s is now %q", name, got)
		}
	}
	dir := t.TempDir()
	render(t, r, dir)
	page := files(t, dir)["t/csv_to_json/index.html"]
	mine := map[string]string{"t/letters/a.txt": "mine", "t/notes.txt": "mine", "t/mixed/index.html": page, "t/mixed/b.txt": "mine", "list/x/index.html": "mine"}
	for name, text := range mine {
		put(t, filepath.Join(dir, name), text)
	}
	put(t, filepath.Join(dir, "t/gone_tool/index.html"), page) // the twin: a page of ours, of a tool that is gone
	if done := render(t, r, dir); done.Removed != 1 || done.Written != 0 {
		t.Errorf("got %+v", done)
	}
	now := files(t, dir)
	for name, text := range mine {
		if now[name] != text {
			t.Errorf("%s is now %q", name, now[name])
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "t/gone_tool")); err == nil {
		t.Error("the page of a tool that is gone is still there")
	}
}

// TestRenderFollowsNoLink: a link in the folder leads nothing of the pages
// outside, and nothing outside is removed.
func TestRenderFollowsNoLink(t *testing.T) {
	r := registrytest.New(t)
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"))
	pages := t.TempDir()
	render(t, r, pages)
	page := files(t, pages)["t/csv_to_json/index.html"]
	for _, at := range []string{"t", "t/csv_to_json", "t/csv_to_json/index.html", "index.html", "list"} {
		dir, outside := t.TempDir(), t.TempDir()
		put(t, filepath.Join(outside, "old_tool/index.html"), page)
		put(t, filepath.Join(outside, "index.html"), page)
		was := files(t, outside)
		to := outside
		if filepath.Base(at) == "index.html" {
			to = filepath.Join(outside, "index.html")
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, at)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(dir, at)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
		_, err := Render(t.Context(), r, dir)
		if refused := fault.ReasonOf(err) == "foreign"; refused != (at != "list") { // of so few tools, there is no list
			t.Errorf("%s: %v", at, err)
		}
		if !maps.Equal(files(t, outside), was) {
			t.Errorf("%s: outside there is %v", at, files(t, outside))
		}
	}
}
