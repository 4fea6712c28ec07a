package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
)

// TestAgain: the hint repeats what was typed, as a shell reads it.
func TestAgain(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "root.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"./reg"}, "patch-git registry add ./reg"},
		{[]string{"./it's $HOME", "--json"}, `patch-git registry add './it'\''s $HOME'`},
		{
			[]string{"--trusted-root", "root.json", "https://a.example/x?y", "--mirror", "m1", "--mirror=m 2", "--repository", "acme/tools"},
			"patch-git registry add 'https://a.example/x?y' --mirror m1 --mirror 'm 2' --repository acme/tools --trusted-root root.json",
		},
	} {
		a := &app{host: &host.Host{Dir: dir}}
		a.out = newPrinter(&host.Host{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Getenv: func(string) string { return "" }})
		add, rest, err := a.root().Find(append([]string{"registry", "add"}, c.args...))
		if err != nil {
			t.Fatal(err)
		}
		if err := add.ParseFlags(rest); err != nil {
			t.Fatal(err)
		}
		if got := again(add, add.Flags().Args()); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestPrintAdded: a person is shown all that is trusted, and nothing that
// drives their terminal.
func TestPrintAdded(t *testing.T) {
	id := ledger.GitHubIdentity("acme/tools")
	id.RepositoryID, id.OwnerID, id.Environment = "900000001", "800000001", "release\x1b[2J"
	added := &consume.Added{Pin: toolbox.Pin{
		Name: "acme/tools", Location: "/srv", TrustedRoot: []byte("{}"),
		Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &id},
	}}
	for _, asJSON := range []bool{false, true} {
		var out, talk bytes.Buffer
		a := &app{json: asJSON, out: newPrinter(&host.Host{Stdout: &out, Stderr: &talk, Getenv: func(string) string { return "" }})}
		if err := a.printAdded(added, consume.AddOptions{}); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"workflow of acme/tools\n", "https://github.com/acme/tools, number 900000001\n", "number 800000001\n", " .github/workflows/publish.yml\n",
			" refs/heads/main\n", " push\n", " github-hosted\n", " " + ledger.GitHubIssuer + "\n", " release", " sha256:44136fa3", "  head ",
		}
		if asJSON {
			want = []string{`"trust":"keyless"`, `"identity":{"issuer":"`, `"repository_id":"900000001"`, `"identity_digest":"sha256:`, `"trusted_root":"sha256:44136fa3`}
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("JSON %v: no %q in\n%s", asJSON, w, out.String())
			}
		}
		if strings.ContainsRune(out.String(), '\x1b') || asJSON && strings.Contains(out.String(), `"key"`) {
			t.Errorf("JSON %v:\n%s", asJSON, out.String())
		}
	}
	if s := signerOf(added.Pin.Trust, nil); s.short() != "workflow of acme/tools" {
		t.Errorf("in a list: %s", s.short())
	}
}
