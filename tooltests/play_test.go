package tooltests

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/spec"
)

// play runs one case and judges what came of it.
func (c testCase) play(t *testing.T, l lane, s *consume.Subject) {
	t.Helper()
	capability := s.Tool.Capabilities.Filesystem
	fixtures, out := filesOf(t, s.Tool), realDir(t)
	places := map[string]string{"$FILES": fixtures, "$OUT": out}
	start := func(map[string]answer) {}
	if c.Server != nil {
		places["$SERVER"], start = serve(t)
	}
	c, err := c.expand(places)
	if err != nil {
		t.Fatal(err)
	}
	start(c.Server)
	args, err := json.Marshal(c.Args)
	if err != nil {
		t.Fatal(err)
	}
	o := consume.RunOptions{HostApp: "test", Agree: true, Confirm: s.Tool.Capabilities.HumanConfirm}
	if server, ok := strings.CutPrefix(places["$SERVER"], "http://"); ok {
		o.Net = []string{server}
	}
	before := snapshot(t, fixtures)
	ran, err := l.client.Run(t.Context(), s, args, o)
	for _, wrong := range c.judge(ran, err) {
		t.Error(wrong)
	}
	if ran != nil && ran.Python != l.python {
		t.Errorf("it ran on Python %s, want %s", ran.Python, l.python)
	}
	// What was not asked to be written is as it was; a call that failed left
	// nothing behind, not even half of a file.
	if (capability != spec.FilesystemReadWrite || err != nil) && !maps.Equal(before, snapshot(t, fixtures)) {
		t.Error("the fixtures are not as they were")
	}
	written := snapshot(t, out)
	if (capability != spec.FilesystemReadWrite || err != nil) && len(written) > 0 {
		t.Errorf("it left %v behind", written)
	}
	if err == nil && capability == spec.FilesystemReadWrite && len(written) == 0 {
		t.Error("it wrote nothing")
	}
}

// filesOf is the real path of a tool's fixtures, or of a copy where the tool
// may write. A tool without fixtures has an empty directory.
func filesOf(t *testing.T, tool *spec.Tool) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join(testdata, tool.Name.String(), "files"))
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return realDir(t)
	}
	if err == nil && tool.Capabilities.Filesystem == spec.FilesystemReadWrite {
		fixtures := real
		real = realDir(t)
		err = os.CopyFS(real, os.DirFS(fixtures))
	}
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// snapshot is the digest of every file below a directory, by its path.
func snapshot(t *testing.T, dir string) map[string]spec.Digest {
	t.Helper()
	out := map[string]spec.Digest{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = spec.DigestOf(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
