package registry_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repository is one that git itself makes: a bare one, fed by fast-import, so
// that no work tree and no configuration of the machine has a say.
type repository struct {
	t   *testing.T
	dir string
	n   int
}

func newRepository(t *testing.T, tree map[string][]byte) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: the tests of the git source need it to make a repository")
	}
	r := &repository{t: t, dir: filepath.Join(t.TempDir(), "registry.git")}
	r.git(nil, "init", "-q", "--bare", r.dir)
	r.commit(tree, true)
	return r
}

// git runs a git command with nothing of the machine's configuration.
func (r *repository) git(stdin []byte, args ...string) string {
	r.t.Helper()
	if args[0] != "init" {
		args = append([]string{"--git-dir=" + r.dir}, args...)
	}
	cmd := exec.Command("git", args...)
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit makes a tree the content of the branch; orphan gives it no parent.
func (r *repository) commit(tree map[string][]byte, orphan bool) {
	r.t.Helper()
	var b bytes.Buffer
	r.n++
	branch := "refs/heads/published"
	if orphan {
		fmt.Fprintf(&b, "reset %s\n\n", branch)
	}
	fmt.Fprintf(&b, "commit %s\ncommitter a <a@example.com> %d +0000\ndata 1\nx\n", branch, 1_700_000_000+r.n)
	if !orphan {
		fmt.Fprintf(&b, "from %s^0\n", branch)
	}
	b.WriteString("deleteall\n")
	for _, p := range slices.Sorted(maps.Keys(tree)) {
		if link, ok := strings.CutPrefix(string(tree[p]), "symlink:"); ok {
			fmt.Fprintf(&b, "M 120000 inline v1/%s\ndata %d\n%s\n", p, len(link), link)
			continue
		}
		if commit, ok := strings.CutPrefix(string(tree[p]), "submodule:"); ok {
			fmt.Fprintf(&b, "M 160000 %s v1/%s\n", commit, p)
			continue
		}
		fmt.Fprintf(&b, "M 100644 inline v1/%s\ndata %d\n%s\n", p, len(tree[p]), tree[p])
	}
	r.git(b.Bytes(), "fast-import", "--quiet", "--force")
}
