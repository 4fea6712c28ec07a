package paths_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/paths"
)

func TestDefault(t *testing.T) {
	for _, tt := range []struct {
		goos, home string
		env        map[string]string
		want       string // with slashes
	}{
		{"linux", "/home/x", nil, "/home/x/.local/share/patch-cat"},
		{"linux", "/home/x", map[string]string{"XDG_DATA_HOME": "/data"}, "/data/patch-cat"},
		{"linux", "/home/x", map[string]string{"XDG_DATA_HOME": "data"}, "/home/x/.local/share/patch-cat"}, // the standard: ignore relative
		{"linux", "", map[string]string{"XDG_DATA_HOME": "/data"}, "/data/patch-cat"},
		{"linux", "", nil, ""},
		{"freebsd", "/home/x", nil, "/home/x/.local/share/patch-cat"},
		{"darwin", "/Users/x", map[string]string{"XDG_DATA_HOME": "/data"}, "/Users/x/Library/Application Support/patch-cat"},
		{"darwin", "", nil, ""},
		{"windows", "/u/x", nil, "/u/x/AppData/Local/patch-cat/Data"},
		{"windows", "/u/x", map[string]string{"LOCALAPPDATA": "/local"}, "/local/patch-cat/Data"},
		{"windows", "", nil, ""},
		{"linux", "/home/x", map[string]string{"PATCH_GIT_HOME": "/own/../mine/", "XDG_DATA_HOME": "/data"}, "/mine"},
		{"linux", "/home/x", map[string]string{"PATCH_GIT_HOME": "mine"}, "/home/x/.local/share/patch-cat"},
	} {
		got := paths.Default(tt.goos, tt.home, func(k string) string { return tt.env[k] })
		if filepath.ToSlash(got.Root) != tt.want {
			t.Errorf("%s, home %q, %v: %q, want %q", tt.goos, tt.home, tt.env, got.Root, tt.want)
		}
	}
}

// Every place lies below the root and is no other place.
func TestPathsAreApart(t *testing.T) {
	p := paths.Paths{Root: filepath.Join(t.TempDir(), "root")}
	seen := map[string]string{}
	v := reflect.ValueOf(p)
	for i := range v.NumMethod() {
		m := v.Type().Method(i)
		if m.Type.NumIn() != 1 {
			continue // Tool, which is below Tools, and Guess
		}
		path := v.Method(i).Call(nil)[0].String()
		if !strings.HasPrefix(path, p.Root+string(filepath.Separator)) {
			t.Errorf("%s is %s, which is not below the root", m.Name, path)
		}
		if other, ok := seen[path]; ok {
			t.Errorf("%s and %s are both %s", m.Name, other, path)
		}
		seen[path] = m.Name
	}
	if len(seen) < 10 {
		t.Errorf("only %d places found", len(seen))
	}
	if got, want := p.Tool("hash_file"), filepath.Join(p.Tools(), "hash_file.py"); got != want {
		t.Errorf("Tool: %s, want %s", got, want)
	}
}
