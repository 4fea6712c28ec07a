package consume

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

func fileTool(fs spec.Filesystem) *spec.Tool {
	in := func(name string) spec.Input { return spec.Input{Name: name, Type: spec.TypeString} }
	return &spec.Tool{
		Name: "copy_file", Inputs: []spec.Input{in("input_path"), in("output_path"), in("label")},
		Capabilities: spec.Capabilities{Filesystem: fs},
	}
}

func arguments(t *testing.T, m map[string]string) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGrantFollowsTheManifest(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	photo := filepath.Join(dir, "photo.png")
	if err := os.WriteFile(photo, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(photo, filepath.Join(dir, "link.png")); err != nil {
		t.Fatal(err)
	}
	args := arguments(t, map[string]string{"input_path": "link.png", "output_path": "small.png", "label": "photo.png"})

	g, err := grant(fileTool(spec.FilesystemReadWrite), args, nil, nil, dir)
	if err != nil {
		t.Fatal(err)
	}
	small := filepath.Join(dir, "small.png")
	want := []audit.Grant{{Path: photo}, {Path: small, Write: true}}
	if len(g.list) != 2 || g.list[0] != want[0] || g.list[1] != want[1] {
		t.Errorf("granted %v, want %v", g.list, want)
	}
	var got map[string]string
	if err := json.Unmarshal(g.args, &got); err != nil {
		t.Fatal(err)
	}
	if got["input_path"] != photo || got["output_path"] != small || got["label"] != "photo.png" {
		t.Errorf("the tool is told %v", got)
	}
	g.tidy()
	if _, err := os.Stat(small); err == nil {
		t.Error("the empty file that nobody wrote is still there")
	}

	// A tool that declares no files gets none, whatever its arguments say.
	g, err = grant(fileTool(spec.FilesystemNone), args, nil, nil, dir)
	if err != nil || len(g.list) != 0 || string(g.args) != string(args) {
		t.Errorf("filesystem none is granted %v, %v", g.list, err)
	}
	// One that may only read gets no file made for it.
	if _, err = grant(fileTool(spec.FilesystemReadOnly), args, nil, nil, dir); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestGrantRefusals(t *testing.T) {
	dir := t.TempDir()
	none := arguments(t, map[string]string{})
	for name, c := range map[string]struct {
		fs          spec.Filesystem
		read, write []string
		want        fault.Kind
	}{
		"read for a tool without files": {spec.FilesystemNone, []string{dir}, nil, fault.Denied},
		"write for a tool that reads":   {spec.FilesystemReadOnly, nil, []string{dir}, fault.Denied},
		"undeclared filesystem":         {"", []string{dir}, nil, fault.Denied},
		"the whole file system":         {spec.FilesystemReadOnly, []string{"/"}, nil, fault.Denied},
		"the kernel's files":            {spec.FilesystemReadOnly, []string{"/proc/self"}, nil, fault.Denied},
		"what is not there":             {spec.FilesystemReadOnly, []string{"nothing"}, nil, fault.NotFound},
		"a path with a zero byte":       {spec.FilesystemReadOnly, []string{"a\x00b"}, nil, fault.Usage},
	} {
		if _, err := grant(fileTool(c.fs), none, c.read, c.write, dir); err == nil || fault.KindOf(err) != c.want {
			t.Errorf("%s: %v, want kind %v", name, err, c.want)
		}
	}
	for _, c := range []struct {
		fs          spec.Filesystem
		read, write []string
	}{{spec.FilesystemReadOnly, []string{dir}, nil}, {spec.FilesystemReadWrite, []string{dir}, nil}, {spec.FilesystemReadWrite, nil, []string{dir}}} {
		if g, err := grant(fileTool(c.fs), none, c.read, c.write, dir); err != nil || len(g.list) != 1 || g.list[0].Write != (c.write != nil) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// TestStateIsSpared: a tool that could write there would decide what it may, and
// one that could read there would have the keys.
func TestStateIsSpared(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(base, "home", "state")
	if err := os.MkdirAll(filepath.Join(state, "keys"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(state, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a    audit.Grant
		want bool
	}{
		{audit.Grant{Path: filepath.Join(state, "keys")}, false},
		{audit.Grant{Path: state}, false},
		{audit.Grant{Path: filepath.Join(base, "home"), Write: true}, false},
		{audit.Grant{Path: filepath.Join(base, "home")}, false}, // the keys are in there
		{audit.Grant{Path: filepath.Join(base, "home", "state2")}, true},
		{audit.Grant{Path: filepath.Join(base, "home", "state2"), Write: true}, true},
	} {
		g := &grants{list: []audit.Grant{c.a}}
		if err := g.spare(link); (err == nil) != c.want || err != nil && fault.KindOf(err) != fault.Denied {
			t.Errorf("%+v: %v", c.a, err)
		}
	}
	if err := (&grants{list: []audit.Grant{{Path: base, Write: true}}}).spare(filepath.Join(base, "later")); err == nil {
		t.Error("a tool could make the state that is not there yet")
	}
}
