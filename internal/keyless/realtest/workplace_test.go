package realtest

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
)

// workplace is a folder with the registry of acme/tools, for those who have the
// program and know the instance.
type workplace struct {
	*instance

	program string
	reg     string   // the registry
	private []string // flags that name the instance to who publishes
}

// initialised makes a registry that nobody has published yet.
func (in *instance) initialised(t *testing.T, program string) workplace {
	t.Helper()
	w := workplace{
		instance: in, program: program, reg: filepath.Join(t.TempDir(), "reg"),
		private: []string{"--trusted-root", in.path(trustedRoot), "--signing-config", in.path(signingConfig)},
	}
	in.person(t, program, nil).does(t, "registry", "init", w.reg, "--github", "acme/tools")
	return w
}

// copied is a copy of the registry, for somebody to change.
func (w workplace) copied(t *testing.T) workplace {
	t.Helper()
	from := w.reg
	w.reg = filepath.Join(t.TempDir(), "reg")
	if err := os.CopyFS(w.reg, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return w
}

// job is who publishes: the job with the claims.
func (w workplace) job(t *testing.T, c sigtest.Claims) person {
	t.Helper()
	return w.person(t, w.program, w.gitHub.job(c))
}

// user is somebody who trusts the registry.
func (w workplace) user(t *testing.T) person {
	t.Helper()
	p := w.person(t, w.program, nil)
	p.does(t, "registry", "add", w.reg, "--repository", "acme/tools", "--trusted-root", w.path(trustedRoot))
	return p
}

// publish is the command that publishes a tool of the transcripts' test data.
func (w workplace) publish(t *testing.T, name, version string) []string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("../../../cmd/patch-git/testdata/tools", name+".py"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name+".py")
	if err := os.WriteFile(file, bytes.Replace(source, []byte("# version: 0.0.0\n"), []byte("# version: "+version+"\n"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	return append([]string{"publish", file, "--to", w.reg}, w.private...)
}

// withdraw is the command that yanks or revokes a version.
func (w workplace) withdraw(verb, at string) []string {
	return append([]string{verb, at, "--in", w.reg, "--reason", "steals keys"}, w.private...)
}

// v1 is the path of what clients read.
func (w workplace) v1(path ...string) string {
	return filepath.Join(append([]string{w.reg, "published", ledger.Root}, path...)...)
}

// published are the digests of all files of the published tree, by path.
func (w workplace) published(t *testing.T) map[string][sha256.Size]byte {
	t.Helper()
	all := map[string][sha256.Size]byte{}
	tree := os.DirFS(filepath.Join(w.reg, "published"))
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, path)
		all[path] = sha256.Sum256(data)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d files are published: %v", len(all), err)
	}
	return all
}

// publishesNothing runs a command as fails does, and holds what is published
// against what it was.
func (w workplace) publishesNothing(t *testing.T, p person, exit int, reason string, command []string) {
	t.Helper()
	before := w.published(t)
	p.fails(t, exit, reason, command...)
	if after := w.published(t); !maps.Equal(before, after) {
		t.Errorf("of %d published files there are %d, and not the same", len(before), len(after))
	}
}
