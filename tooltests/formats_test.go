package tooltests

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	patchgit "github.com/patch-cat/patch-git"
	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/registry/registrytest"
	"github.com/patch-cat/patch-git/spec"
)

// TestFormats holds every version of another format than Patch to what a registry
// asks of it: not one finding, and the folder of its name.
func TestFormats(t *testing.T) {
	t.Parallel()
	workshop, err := contribute.New(testHost(realDir(t), ""), "patch-git test")
	if err != nil {
		t.Fatal(err)
	}
	patch, seen := allVersions(t), map[spec.Format]int{}
	for _, v := range versionDirs(t) {
		if slices.Contains(patch, v) {
			continue
		}
		checked, err := workshop.CheckFile(t.Context(), v.dir)
		if err != nil || !checked.OK() || len(checked.Findings) > 0 {
			t.Errorf("%s: %v, %v", v, err, checked)
			continue
		}
		if ref := checked.Release.Ref; ref.At() != v.String() {
			t.Errorf("%s holds %s", v.dir, ref.At())
		}
		seen[checked.Tool.Format]++
	}
	for _, f := range spec.Formats()[1:] {
		if seen[f] < 2 {
			t.Errorf("there are %d tools of the format %s, want 2", seen[f], f)
		}
		if _, err := registrytest.ReleasesIn(patchgit.Tools, f); err != nil {
			t.Error(err)
		}
	}
}

// TestScripts plays the scripts of the skills.
func TestScripts(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	dir := t.TempDir()
	for _, c := range []struct{ script, given, want string }{
		{
			"ch/changelog_writer/1.0.0/scripts/commits.py",
			"a1b2c3d\tfeat: read tables\n0000001\tFix the header\n0000002\tRename main\n0000003\tRelease 2\nno commit\n",
			`{"added":[{"commit":"a1b2c3d","subject":"feat: read tables"}],"fixed":[{"commit":"0000001","subject":"Fix the header"}],` +
				`"removed":[],"changed":[{"commit":"0000002","subject":"Rename main"}],"other":[{"commit":"0000003","subject":"Release 2"}]}`,
		},
		{"ch/changelog_writer/1.0.0/scripts/commits.py", "", `{"added":[],"fixed":[],"removed":[],"changed":[],"other":[]}`},
		{
			"cs/csv_profile/1.0.0/scripts/profile.py", "id,day,note\n1,2026-01-02,a\n2,2026-01-03,\n3,2026-01-04,a,more\n",
			`{"rows":3,"ragged":[3],"columns":[` +
				`{"name":"id","type":"integer","empty":0,"distinct":3,"common":[{"value":"1","times":1},{"value":"2","times":1},{"value":"3","times":1}],"odd":[]},` +
				`{"name":"day","type":"date","empty":0,"distinct":3,"common":[{"value":"2026-01-02","times":1},{"value":"2026-01-03","times":1},{"value":"2026-01-04","times":1}],"odd":[]},` +
				`{"name":"note","type":"text","empty":1,"distinct":1,"common":[{"value":"a","times":2}],"odd":[]}]}`,
		},
		{"cs/csv_profile/1.0.0/scripts/profile.py", "", `{"rows":0,"ragged":[],"columns":[]}`},
		{
			"cs/csv_profile/1.0.0/scripts/profile.py", "n\n1\n2.5\n", `{"rows":2,"ragged":[],"columns":[{"name":"n","type":"number","empty":0,"distinct":2,` +
				`"common":[{"value":"1","times":1},{"value":"2.5","times":1}],"odd":[]}]}`,
		},
	} {
		input := filepath.Join(dir, "input")
		if err := os.WriteFile(input, []byte(c.given), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), python, "-I", "-S", "-B", filepath.Join(toolsDir, filepath.FromSlash(c.script)), input).CombinedOutput()
		var got bytes.Buffer
		if err != nil || json.Compact(&got, bytes.TrimSpace(out)) != nil || got.String() != c.want {
			t.Errorf("%s of %q: %v\n%s\nwant %s", c.script, c.given, err, out, c.want)
		}
	}
}
