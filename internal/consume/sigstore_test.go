package consume

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/internal/trustroot"
	"github.com/patch-cat/patch-git/verify"
)

// nowhere is a network that a test must not use.
type nowhere struct{ t testing.TB }

func (n nowhere) RoundTrip(r *http.Request) (*http.Response, error) {
	n.t.Errorf("the network was asked for %s", r.URL)
	return nil, http.ErrServerClosed
}

// offline takes the network away from a client that was just made.
func (a *acme) offline() {
	a.client.Host.HTTP = func() *http.Client { return &http.Client{Transport: nowhere{a.t}} }
}

// refreshed makes the acme Sigstore the public one of the user, by a refresh.
func (a *acme) refreshed() {
	a.t.Helper()
	repo, err := sigtest.NewTUF()
	if err != nil {
		a.t.Fatal(err)
	}
	if err := repo.Publish(map[string][]byte{"trusted_root.json": a.root, "signing_config.v0.2.json": trustroot.Embedded().Config}); err != nil {
		a.t.Fatal(err)
	}
	srv := httptest.NewServer(repo)
	defer srv.Close()
	if _, err := a.client.UpdateTrust(a.t.Context(), srv.URL, repo.Root); err != nil {
		a.t.Fatal(err)
	}
}

// TestPublicSigstore: a keyless registry is held against the public instance as
// the user has it, and nobody is asked for that.
func TestPublicSigstore(t *testing.T) {
	a := newAcme(t)
	dir := a.sealAs(filepath.Join(t.TempDir(), "reg"), sigtest.GitHub("acme", "tools"), "1.0.0")
	own := AddOptions{Repository: "acme/tools"}
	if _, err := a.client.AddRegistry(t.Context(), dir, own); fault.ReasonOf(err) != string(verify.ReasonRoot) {
		t.Errorf("under the embedded root: %v", err)
	}
	if len(pinned(t, a.client)) != 0 {
		t.Fatal("a refusal left a pin")
	}
	a.refreshed()
	a.offline()
	if _, err := a.client.AddRegistry(t.Context(), dir, own); err != nil {
		t.Fatalf("under the refreshed root: %v", err)
	}
	pin, err := a.client.Box.Pin("acme/tools")
	if err != nil || pin.TrustedRoot != nil {
		t.Fatalf("pinned with a root of its own: %v", err)
	}
	if _, ok, err := pin.LastHead(); err != nil || !ok {
		t.Errorf("the head that was kept: %v, %v", ok, err)
	}
	// Under a root of its own the same registry is another one to trust.
	before := pinned(t, a.client)
	if _, err := a.add(dir, AddOptions{Repository: "acme/tools", Command: "add it"}); fault.ReasonOf(err) != string(verify.ReasonRoot) ||
		!strings.HasSuffix(strings.Join(fault.HintsOf(err), ""), ": add it --accept-change") {
		t.Errorf("under another root: %v, %q", err, fault.HintsOf(err))
	}
	if !same(before, pinned(t, a.client)) {
		t.Error("a refusal changed what is pinned")
	}
	if _, err := a.add(dir, AddOptions{Repository: "acme/tools", AcceptChange: true}); err != nil {
		t.Errorf("the change that is wanted: %v", err)
	}
}

// TestWithdrawnAuthority: a newer trusted root does not know any more who vouched
// for the head that was kept. That head counts for nothing but as what was seen:
// the next one is believed, and what is older than it is refused.
func TestWithdrawnAuthority(t *testing.T) {
	a := newAcme(t)
	own := sigtest.GitHub("acme", "tools")
	dir := a.sealAs(filepath.Join(t.TempDir(), "reg"), own, "1.0.0")
	early := filepath.Join(t.TempDir(), "early")
	if err := os.CopyFS(early, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	a.sealAs(dir, own, "1.1.0")
	a.refreshed()
	if _, err := a.client.AddRegistry(t.Context(), dir, AddOptions{Repository: "acme/tools"}); err != nil {
		t.Fatal(err)
	}
	// Sigstore has other authorities and logs from here on.
	next, err := sigtest.New(sigtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a.sigstore = next
	if a.root, err = next.TrustedRoot(); err != nil {
		t.Fatal(err)
	}
	a.refreshed()
	before := pinned(t, a.client)
	if _, err := a.client.Search(t.Context(), SearchOptions{}); fault.ReasonOf(err) != string(verify.ReasonRoot) {
		t.Errorf("the head of before: %v", err)
	}
	a.sealAs(early, own, "2.0.0")
	if _, err := a.client.AddRegistry(t.Context(), early, AddOptions{Repository: "acme/tools"}); fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) == string(verify.ReasonRoot) {
		t.Errorf("a fork, signed under the new root: %v", err)
	}
	if !same(before, pinned(t, a.client)) {
		t.Error("a refusal changed what is pinned")
	}
	a.sealAs(dir, own, "1.2.0")
	added, err := a.client.AddRegistry(t.Context(), dir, AddOptions{Repository: "acme/tools"})
	if err != nil || added.Head.Seq != 3 {
		t.Fatalf("the next head: %+v, %v", added, err)
	}
}

// TestDamagedRoot: what cannot be read stops keyless registries, is no outage,
// and is not asked for where a key signs.
func TestDamagedRoot(t *testing.T) {
	a := newAcme(t)
	dir := a.sealAs(filepath.Join(t.TempDir(), "reg"), sigtest.GitHub("acme", "tools"), "1.0.0")
	a.refreshed()
	if _, err := a.client.AddRegistry(t.Context(), dir, AddOptions{Repository: "acme/tools"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.client.Host.Paths.Trust(), "sigstore.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	pin, err := a.client.Box.Pin("acme/tools")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := pin.LastHead(); fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != trustroot.ReasonDamaged || len(fault.HintsOf(err)) != 1 {
		t.Errorf("a damaged root: %v", err)
	}
	if _, err := a.client.AddRegistry(t.Context(), a.dir, AddOptions{}); err != nil {
		t.Errorf("a registry that a key signs: %v", err)
	}
	a.refreshed()
	if pin, err = a.client.Box.Pin("acme/tools"); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := pin.LastHead(); err != nil || !ok {
		t.Errorf("after a refresh: %v, %v", ok, err)
	}
}

// TestPrivateSigstore: a root of one's own is read before anything is asked,
// and kept with where it signs.
func TestPrivateSigstore(t *testing.T) {
	a := newAcme(t)
	a.offline()
	dir := a.sealAs(filepath.Join(t.TempDir(), "reg"), sigtest.GitHub("acme", "tools"), "1.0.0")
	config := trustroot.Embedded().Config
	for name, c := range map[string]struct {
		o      AddOptions
		reason string
	}{
		"no trusted root":               {AddOptions{TrustedRoot: []byte("{}")}, "trusted_root"},
		"an empty file":                 {AddOptions{TrustedRoot: []byte{}}, "trusted_root"},
		"a signing configuration":       {AddOptions{TrustedRoot: config}, "trusted_root"},
		"no signing configuration":      {AddOptions{TrustedRoot: a.root, SigningConfig: []byte("{}")}, "signing_config"},
		"a signing configuration alone": {AddOptions{SigningConfig: config}, "signing_config"},
	} {
		c.o.Repository = "acme/tools"
		if _, err := a.client.AddRegistry(t.Context(), "https://registry.invalid", c.o); fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != c.reason {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(pinned(t, a.client)) != 0 {
		t.Fatal("a refusal left a pin")
	}
	if _, err := a.add(dir, AddOptions{Repository: "acme/tools", SigningConfig: config}); err != nil {
		t.Fatal(err)
	}
	pin, err := a.client.Box.Pin("acme/tools")
	if err != nil || string(pin.TrustedRoot) != string(a.root) || string(pin.SigningConfig) != string(config) {
		t.Errorf("kept are %d and %d bytes, %v", len(pin.TrustedRoot), len(pin.SigningConfig), err)
	}
	if _, ok, err := pin.LastHead(); err != nil || !ok {
		t.Errorf("the head that was kept: %v, %v", ok, err)
	}
	// Who forgets the root is told, and not sent to refresh the public one.
	before := pinned(t, a.client)
	_, err = a.client.AddRegistry(t.Context(), dir, AddOptions{Repository: "acme/tools"})
	if hints := fault.HintsOf(err); fault.ReasonOf(err) != string(verify.ReasonRoot) || len(hints) != 1 || !strings.Contains(hints[0], "--trusted-root") {
		t.Errorf("without its root: %v, %q", err, hints)
	}
	if !same(before, pinned(t, a.client)) {
		t.Error("a refusal changed what is pinned")
	}
}
