package secrets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
)

const pem = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n"

func headOf(text string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(text), nil }
}

// TestOf names secrets, and beside each what only looks like one.
func TestOf(t *testing.T) {
	k := New("/home/me")
	for path, want := range map[string]string{
		"/home/me/.ssh":                          "/home/me/.ssh",
		"/home/me/.ssh/config":                   "/home/me/.ssh",
		"/home/me/.sshd":                         "",
		"/home/other/.ssh/id":                    "/home/other/.ssh",
		"/mnt/copy/home/me/.aws/config":          "/mnt/copy/home/me/.aws",
		"/home/me/.config/gcloud/x":              "/home/me/.config/gcloud",
		"/home/me/.config/gcloudy":               "",
		"/home/me/.config":                       "",
		"/home/me/.docker/config.json":           "/home/me/.docker/config.json",
		"/home/me/app/config.json":               "",
		"/home/me/.Config/GH/hosts.yml":          "/home/me/.Config/GH",
		"/home/me/.mozilla/firefox/x/places.db":  "/home/me/.mozilla",
		"/home/me/.bash_history":                 "/home/me/.bash_history",
		"/home/me/.bitcoin/wallet":               "/home/me/.bitcoin",
		"/home/me/.local/share/patch-cat/keys/x": "/home/me/.local/share/patch-cat",
		"/etc/shadow":                            "/etc/shadow",
		"/etc/shadow.txt":                        "",
		"/home/me/etc/shadow":                    "",
		"/etc/ssl/private/x.crt":                 "/etc/ssl/private",
		"/etc/ssl/certs/x.crt":                   "",
		"/root/x":                                "/root",
		"/rooted":                                "",
		"/srv/app/.env":                          "/srv/app/.env",
		"/srv/app/.env.local":                    "/srv/app/.env.local",
		"/srv/app/.env.example":                  "",
		"/srv/app/env":                           "",
		"/srv/app/prod.env":                      "/srv/app/prod.env",
		"/srv/app/environment":                   "",
		"/srv/app/.ENV":                          "/srv/app/.ENV",
		"/srv/app/id_ed25519":                    "/srv/app/id_ed25519",
		"/srv/app/id_ed25519.pub":                "",
		"/srv/app/server.p12":                    "/srv/app/server.p12",
		"/srv/app/credentials":                   "/srv/app/credentials",
		"/srv/app/credentials.md":                "",
		"/srv/app/client_secret_12.json":         "/srv/app/client_secret_12.json",
		"/etc/ssh/ssh_host_rsa_key":              "/etc/ssh/ssh_host_rsa_key",
		"/etc/ssh/ssh_host_rsa_key.pub":          "",
		"/":                                      "",
	} {
		if got := k.Of(path, headOf("")); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := New("/root").Of("/root/x", headOf("")); got != "" {
		t.Errorf("root's own home is %q", got)
	}
	// A folder that has the name of a file with secrets is none of them.
	if got := k.Of("/srv/app/.env", nil); got != "" {
		t.Errorf("a folder .env is %q", got)
	}
	if got := k.Of("/srv/app/.aws", nil); got == "" {
		t.Error("a folder .aws is no place of secrets")
	}
}

// TestMind: a search tells its caller of the first things that the caller minds, each as
// a whole, hides none of them, and goes on finding secrets in them.
func TestMind(t *testing.T) {
	files := map[string]string{}
	for _, p := range []string{"a/hooks/one", "a/hooks/two", "b/.env", "b/hooks/.env", "c/hooks", "d/hooks", "plain/x"} {
		files[p] = "x"
	}
	tree, dir := plant(t, files)
	for _, minds := range []bool{true, false} {
		if tree.Mind = nil; minds {
			tree.Mind = func(p string) bool {
				if !strings.HasPrefix(p, dir+string(filepath.Separator)) {
					t.Errorf("told of %s", p)
				}
				return strings.Contains(p, "/hooks")
			}
		}
		f, err := New("/home/me").Search(t.Context(), tree)
		if err != nil || minds != (len(f.Minded) == leftNames) || !minds && f.Minded != nil || !slices.Equal(f.Paths, []string{"b/.env", "b/hooks/.env"}) {
			t.Errorf("%v: %+v, %v", minds, f, err)
		}
		for _, p := range f.Minded {
			if filepath.Base(p) != "hooks" {
				t.Errorf("%s lies in what was told", p)
			}
		}
	}
}

// TestKeys tells private keys from public ones by what they say.
func TestKeys(t *testing.T) {
	k := New("/home/me")
	for text, want := range map[string]bool{
		pem:                                     true,
		"-----BEGIN OPENSSH PRIVATE KEY-----\n": true,
		"-----BEGIN PGP PRIVATE KEY BLOCK-----\n":                                           true,
		"Bag Attributes\n-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n" + pem: true,
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n":                    false,
		"-----BEGIN PUBLIC KEY-----\n":                                                      false,
		"a text about -----BEGIN and a PRIVATE KEY\n":                                       false,
		"":                                     false,
		"\x30\x82\x04\xa4\x02\x01\x00\x02\x82": true,  // RSA, PKCS #1
		"\x30\x77\x02\x01\x01\x04\x20\x00":     true,  // EC, SEC 1
		"\x30\x82\x03\x00\x30\x82\x02\x00\x00": false, // a certificate
		"\x30\xff\x02\x01\x00\x00\x00\x00":     false,
	} {
		for _, name := range []string{"/x/a.pem", "/x/b.KEY", "/x/deploy_rsa", "/x/c.p8"} {
			if got := k.Of(name, headOf(text)) != ""; got != want {
				t.Errorf("%s of %q: %v, want %v", name, text, got, want)
			}
		}
		if k.Of("/x/a.txt", headOf(text)) != "" {
			t.Errorf("a.txt of %q was taken for a key", text)
		}
	}
	if k.Of("/x/a.pem", func() ([]byte, error) { return nil, os.ErrPermission }) == "" {
		t.Error("a key that could not be read was given")
	}
}

// TestNamesAreLower: a name in capitals would never be found.
func TestNamesAreLower(t *testing.T) {
	for _, list := range [][]string{places[:], system[:], names[:], accounts[:], endings[:], patterns[:], keyEndings[:]} {
		for _, n := range list {
			if n != strings.ToLower(n) || n == "" || strings.HasSuffix(n, "/") {
				t.Errorf("%q", n)
			}
		}
	}
	for _, n := range system {
		if !strings.HasPrefix(n, "/") {
			t.Errorf("%q is no whole path", n)
		}
	}
	for _, n := range places {
		if strings.HasPrefix(n, "/") {
			t.Errorf("%q is a whole path", n)
		}
	}
}

// plant makes files, and folders where the path ends with a slash.
func plant(t *testing.T, files map[string]string) (Tree, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for p, text := range files {
		at := filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(p, "/") {
			err = os.MkdirAll(at, 0o755)
		} else {
			err = os.WriteFile(at, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return treeAt(dir), dir
}

func treeAt(dir string) Tree {
	return Tree{
		At: dir, Open: func(rel string, _ bool) (*os.File, error) { return os.Open(filepath.Join(dir, rel)) },
		Look: func(*os.File) (bool, error) { return false, nil },
	}
}

func TestSearch(t *testing.T) {
	tree, dir := plant(t, map[string]string{
		"readme": "x", ".env": "A=b", "a/.env.example": "A=", "a/b/c/.npmrc": "t", "a/.ssh/id_rsa": "k", "a/.ssh/known_hosts": "h",
		"a/key.pem": pem, "a/cert.pem": "-----BEGIN CERTIFICATE-----", "venv/.env/": "", "venv/.env/x": "x", ".config/gh/hosts.yml": "t", ".config/other": "x",
	})
	if err := os.Symlink("readme", filepath.Join(dir, "id_rsa")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/", filepath.Join(dir, "whole")); err != nil {
		t.Fatal(err)
	}
	f, err := New("/home/me").Search(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".config/gh", ".env", "a/.ssh", "a/b/c/.npmrc", "a/key.pem"}
	if !slices.Equal(f.Paths, want) || f.Left != nil || f.More {
		t.Errorf("got %+v, want %v", f, want)
	}
}

// TestSearchBelowAPlace: the path of the folder itself counts, too.
func TestSearchBelowAPlace(t *testing.T) {
	_, dir := plant(t, map[string]string{".config/gcloud/x": "x"})
	f, err := New("/home/me").Search(t.Context(), treeAt(filepath.Join(dir, ".config")))
	if err != nil || !slices.Equal(f.Paths, []string{"gcloud"}) {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestSearchLooks: who looks at the folders hides one, or ends the search.
func TestSearchLooks(t *testing.T) {
	tree, _ := plant(t, map[string]string{"a/b/other/.env": "x", "a/b/x": "x"})
	at := func(name string, hide bool, err error) func(*os.File) (bool, error) {
		return func(f *os.File) (bool, error) {
			if filepath.Base(f.Name()) == name {
				return hide, err
			}
			return false, nil
		}
	}
	for _, c := range []struct {
		look func(*os.File) (bool, error)
		want []string
		ok   bool
	}{
		{at("other", true, nil), []string{"a/b/other"}, true},
		{at("none", true, nil), []string{"a/b/other/.env"}, true},
		{at("other", false, os.ErrInvalid), []string{"a/b/other"}, false},
	} {
		tree.Look = c.look
		f, err := New("").Search(t.Context(), tree)
		if (err == nil) != c.ok || !slices.Equal(f.Paths, c.want) {
			t.Errorf("%+v, %v, want %v", f, err, c.want)
		}
	}
}

// TestSearchIsBounded: what was not searched is told.
func TestSearchIsBounded(t *testing.T) {
	deep := strings.Repeat("d/", limits.GrantDepth+1) + ".env"
	tree, _ := plant(t, map[string]string{deep: "x", "shallow/.env": "x"})
	f, err := New("").Search(t.Context(), tree)
	if err != nil || !slices.Equal(f.Paths, []string{"shallow/.env"}) || len(f.Left) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if f, err := New("").Search(ended, tree); err != nil || !slices.Equal(f.Left, []string{"."}) {
		t.Errorf("%+v, %v", f, err)
	}
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("d%d/x", i)] = "x"
	}
	tree, _ = plant(t, files)
	s := search{known: New(""), tree: tree, found: &Found{}, seen: limits.GrantEntries}
	if below, err := s.folder(t.Context(), folder{".", 0, false}); err != nil || len(below) != 20 || len(s.found.Left) != 1 {
		t.Errorf("%v %v %+v", below, err, s.found)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("/home/me/.ssh/x", []byte(pem))
	f.Add("/a.pem", []byte("\x30\xfe"))
	f.Add("", []byte{})
	k := New("/home/me")
	f.Fuzz(func(t *testing.T, p string, b []byte) {
		got := k.Of(p, func() ([]byte, error) { return b, nil })
		if len(got) > len(p) || p[:len(got)] != got {
			t.Errorf("%q of %q", got, p)
		}
	})
}
