package consume

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// pinned are the bytes of what the user's state says of the registries.
func pinned(t *testing.T, c *Client) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(c.Host.Paths.Registries(), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // nothing there yet
		}
		b, err := os.ReadFile(path)
		out[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// rekey lets another key sign the tree in a folder from now on.
func (s *scene) rekey(dir string) {
	s.t.Helper()
	key, err := signing.NewKey()
	if err != nil {
		s.t.Fatal(err)
	}
	doc := *s.doc
	doc.Trust = key.Trust()
	if _, err := registry.Seal(s.t.Context(), registry.OpenDir(filepath.Join(dir, ledger.Root)), registry.Batch{Accept: []registry.Acceptance{{
		Release: &spec.Release{
			Ref:   spec.Ref{Name: "other_tool", Version: "1.0.0"},
			Tool:  spec.Tool{Format: spec.FormatPatch, Name: "other_tool", Version: "1.0.0"},
			Files: []spec.File{{Path: "tool.py", Data: []byte("# other\n")}},
		}, Contributor: ledger.Owner{Login: "ann", ID: 1},
	}}}, registry.SealOptions{
		Registry: &doc, Signer: key, Now: func() time.Time { return clock }, Checker: "patch-git test",
		CheckHead: func(_, _ []byte) error { return nil },
	}); err != nil {
		s.t.Fatal(err)
	}
}

// TestAcceptChange: another key is refused until the person says that it is
// wanted, and even then its log has to continue what was seen.
func TestAcceptChange(t *testing.T) {
	s := newScene(t)
	s.publish(s.dir, "1.0.0")
	early := s.copyAway()
	s.publish(s.dir, "1.1.0")
	if _, err := s.client.AddRegistry(t.Context(), s.dir, AddOptions{}); err != nil {
		t.Fatal(err)
	}
	before := pinned(t, s.client)
	s.rekey(s.dir)
	if _, err := s.client.AddRegistry(t.Context(), s.dir, AddOptions{}); fault.ReasonOf(err) != string(verify.ReasonKey) {
		t.Errorf("another key: %v", err)
	}
	s.rekey(early)
	if _, err := s.client.AddRegistry(t.Context(), early, AddOptions{AcceptChange: true}); fault.KindOf(err) != fault.NotVerified {
		t.Errorf("another key over an older log: %v", err)
	}
	s.publish(early+"2", "0.1.0")
	if _, err := s.client.AddRegistry(t.Context(), early, AddOptions{AcceptChange: true, Key: &spec.Digest{1}}); fault.ReasonOf(err) != string(verify.ReasonKey) {
		t.Errorf("another key than the one that was named: %v", err)
	}
	if !same(before, pinned(t, s.client)) {
		t.Error("a refusal changed what is pinned")
	}
	added, err := s.client.AddRegistry(t.Context(), s.dir, AddOptions{AcceptChange: true})
	if err != nil {
		t.Fatalf("the change that is wanted: %v", err)
	}
	pin, err := s.client.Box.Pin("demo/tools")
	if err != nil || !pin.Trust.Equal(&added.Pin.Trust) || pin.Trust.Equal(&s.doc.Trust) {
		t.Fatalf("pinned is %+v, %v", pin.Trust, err)
	}
	if h, ok, err := pin.LastHead(); err != nil || !ok || h.Seen() != added.Head {
		t.Errorf("the head that was seen: %v, %v", ok, err)
	}
	// The old key counts no more.
	s.publish(early+"3", "1.0.0")
	if _, err := s.client.AddRegistry(t.Context(), early+"3", AddOptions{}); fault.ReasonOf(err) != string(verify.ReasonKey) {
		t.Errorf("the key of before: %v", err)
	}
}

// workflow signs like a job of GitHub's with the claims.
type workflow struct {
	s *sigtest.Sigstore
	c sigtest.Claims
}

func (w workflow) Sign(_ context.Context, s *ledger.Statement) ([]byte, error) {
	return w.s.Sign(ledger.Encode(s), w.c)
}

func (workflow) SignCheckpoint(context.Context, spec.RegistryName, ledger.LogRoot) ([]byte, error) {
	return nil, nil
}

// acme is a keyless registry in folders, and a user whose program can verify it.
type acme struct {
	*scene
	sigstore *sigtest.Sigstore
	root     []byte
}

func newAcme(t *testing.T) *acme {
	t.Helper()
	a := &acme{scene: newScene(t)}
	var err error
	if a.sigstore, err = sigtest.New(sigtest.Options{}); err != nil {
		t.Fatal(err)
	}
	if a.root, err = a.sigstore.TrustedRoot(); err != nil {
		t.Fatal(err)
	}
	return a
}

// sealAs publishes a version in a folder as a workflow.
func (a *acme) sealAs(dir string, c sigtest.Claims, version spec.Version) string {
	a.t.Helper()
	identity := ledger.GitHubIdentity("acme/tools")
	doc := &ledger.Registry{Schema: ledger.RegistrySchema, Name: "acme/tools", Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &identity}}
	if _, err := registry.Seal(a.t.Context(), registry.OpenDir(filepath.Join(dir, ledger.Root)), registry.Batch{Accept: []registry.Acceptance{{
		Release: &spec.Release{
			Ref:   spec.Ref{Name: "echo_text", Version: version},
			Tool:  spec.Tool{Format: spec.FormatPatch, Name: "echo_text", Version: version},
			Files: []spec.File{{Path: "tool.py", Data: []byte("# " + version + "\n")}},
		}, Contributor: ledger.Owner{Login: "ann", ID: 1},
	}}}, registry.SealOptions{
		Registry: doc, Signer: workflow{a.sigstore, c}, Now: func() time.Time { return clock }, Checker: "patch-git test",
		CheckHead: func(_, _ []byte) error { return nil },
	}); err != nil {
		a.t.Fatal(err)
	}
	return dir
}

func (a *acme) add(dir string, o AddOptions) (*Added, error) {
	o.TrustedRoot = a.root
	return a.client.AddRegistry(a.t.Context(), dir, o)
}

// TestAddKeyless: whom to trust follows from the repository; the numbers are
// learned from the first head and hold from then on.
func TestAddKeyless(t *testing.T) {
	own := sigtest.GitHub("acme", "tools")
	a := newAcme(t)
	dir := a.sealAs(filepath.Join(t.TempDir(), "reg"), own, "1.0.0")
	if _, err := a.add(dir, AddOptions{}); fault.KindOf(err) != fault.Usage {
		t.Errorf("a folder does not say whose workflow signs: %v", err)
	}
	if _, err := a.add(dir, AddOptions{Repository: "evil/tools"}); fault.ReasonOf(err) != string(verify.ReasonRegistry) {
		t.Errorf("another repository: %v", err)
	}
	if _, err := a.add(dir, AddOptions{Repository: "acme/tools", Key: &spec.Digest{}}); fault.ReasonOf(err) != string(verify.ReasonTrust) {
		t.Errorf("a key is expected: %v", err)
	}
	for name, c := range map[string]struct {
		claim func(*sigtest.Claims)
		want  verify.Reason
	}{
		"a fork":               {func(c *sigtest.Claims) { *c = sigtest.GitHub("evil", "tools") }, "identity:san"},
		"a pull request":       {func(c *sigtest.Claims) { c.EventName = "pull_request_target" }, "identity:trigger"},
		"a self-hosted runner": {func(c *sigtest.Claims) { c.RunnerEnvironment = "self-hosted" }, "identity:runner"},
		"another branch":       {func(c *sigtest.Claims) { c.Ref = "refs/heads/dev" }, "identity:ref"},
	} {
		claims := own
		c.claim(&claims)
		if _, err := a.add(a.sealAs(filepath.Join(t.TempDir(), "bad"), claims, "1.0.0"), AddOptions{Repository: "acme/tools"}); fault.ReasonOf(err) != string(c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(pinned(t, a.client)) != 0 {
		t.Fatal("a refusal left a pin")
	}
	added, err := a.add(dir, AddOptions{Repository: "acme/tools"})
	if err != nil {
		t.Fatal(err)
	}
	if id := added.Pin.Trust.Identity; id.RepositoryID != own.RepositoryID || id.OwnerID != own.RepositoryOwnerID || id.TokenSubject != own.Subject {
		t.Errorf("pinned is %+v", id)
	}
	// From the state alone, as the next command does.
	pin, err := a.client.Box.Pin("acme/tools")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := pin.LastHead(); err != nil || !ok {
		t.Errorf("the head that was kept: %v, %v", ok, err)
	}
	a.sealAs(dir, own, "1.1.0")
	if _, err := a.add(dir, AddOptions{Repository: "acme/tools"}); err != nil {
		t.Errorf("the same registry later: %v", err)
	}
	before := pinned(t, a.client)
	for name, c := range map[string]struct {
		claim func(*sigtest.Claims)
		want  verify.Reason
	}{
		"a repository that took over the name": {func(c *sigtest.Claims) { c.RepositoryID = "900000002" }, "identity:repository_id"},
		"an owner who took over the name":      {func(c *sigtest.Claims) { c.RepositoryOwnerID = "800000002" }, "identity:owner_id"},
	} {
		claims := own
		c.claim(&claims)
		taken := a.sealAs(filepath.Join(t.TempDir(), "taken"), claims, "1.0.0")
		if _, err := a.add(taken, AddOptions{Repository: "acme/tools"}); fault.ReasonOf(err) != string(c.want) {
			t.Errorf("%s: %v", name, err)
		}
		src, chain := a.head(taken)
		if _, err := a.client.follow(t.Context(), pin, src, chain); fault.ReasonOf(err) != string(c.want) {
			t.Errorf("%s, at a later command: %v", name, err)
		}
	}
	// One that a key signs now is another kind of trust.
	a.doc.Name = "acme/tools"
	keyed := filepath.Join(t.TempDir(), "keyed")
	a.publish(keyed, "1.0.0")
	if _, err := a.client.AddRegistry(t.Context(), keyed, AddOptions{}); fault.ReasonOf(err) != string(verify.ReasonTrust) {
		t.Errorf("a key instead of a workflow: %v", err)
	}
	if _, err := a.add(keyed, AddOptions{}); fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != "trusted_root" {
		t.Errorf("a key where a trusted root is given: %v", err)
	}
	if _, err := a.add(keyed, AddOptions{Repository: "acme/tools"}); fault.ReasonOf(err) != string(verify.ReasonTrust) {
		t.Errorf("a key where a workflow is named: %v", err)
	}
	if !same(before, pinned(t, a.client)) {
		t.Error("a refusal changed what is pinned")
	}
}

func TestRepositoryOf(t *testing.T) {
	for location, want := range map[string]string{
		"https://github.com/acme/tools":          "acme/tools",
		"git+https://github.com/acme/tools.git":  "acme/tools",
		"git+ssh://git@github.com/acme/tools":    "acme/tools",
		"https://acme.github.io/tools":           "acme/tools",
		"https://ACME.github.io/tools/":          "acme/tools",
		"https://acme.github.io":                 "",
		"https://github.com.evil.org/acme/tools": "",
		"https://evil.org/github.com/acme/tools": "",
		"https://github.com/acme/tools/tree/x":   "",
		"https://x.acme.github.io/tools":         "",
		"/srv/github.com/acme/tools":             "",
		"http://127.0.0.1:8080":                  "",
		"github.com":                             "",
		"github.com/acme/tools":                  "",
		"http://acme.github.io/tools":            "",
		"git+file:///github.com/acme/tools":      "",
	} {
		if got := repositoryOf(location); got != want {
			t.Errorf("%s: got %q, want %q", location, got, want)
		}
	}
}
