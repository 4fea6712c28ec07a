package consume

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

var clock = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// scene is a registry in a folder and a user who may come to trust it.
type scene struct {
	t      testing.TB
	key    *signing.Key
	doc    *ledger.Registry
	dir    string
	client *Client
	warned []string
}

func newScene(tb testing.TB) *scene {
	tb.Helper()
	key, err := signing.NewKey()
	if err != nil {
		tb.Fatal(err)
	}
	s := &scene{t: tb, key: key, dir: filepath.Join(tb.TempDir(), "reg")}
	s.doc = &ledger.Registry{Schema: ledger.RegistrySchema, Name: "demo/tools", Trust: key.Trust()}
	s.client, err = New(&host.Host{
		Paths: paths.Paths{Root: tb.TempDir()}, Now: func() time.Time { return clock },
		HTTP: func() *http.Client { return &http.Client{} },
	})
	if err != nil {
		tb.Fatal(err)
	}
	s.client.Warn = func(text string) { s.warned = append(s.warned, text) }
	s.seal(s.dir, registry.Batch{})
	return s
}

// seal moves the head of the tree in a folder.
func (s *scene) seal(dir string, b registry.Batch) {
	s.t.Helper()
	policy := verify.Policy{Registry: s.doc.Name, Trust: s.doc.Trust}
	if _, err := registry.Seal(s.t.Context(), registry.OpenDir(filepath.Join(dir, ledger.Root)), b, registry.SealOptions{
		Registry: s.doc, Signer: s.key, Now: func() time.Time { return clock }, Checker: "patch-git test",
		CheckHead: func(evidence, head []byte) error { _, err := policy.HeadOnly(evidence, head); return err },
	}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) publish(dir string, version spec.Version) {
	s.t.Helper()
	r := &spec.Release{
		Ref:   spec.Ref{Name: "echo_text", Version: version},
		Tool:  spec.Tool{Format: spec.FormatPatch, Name: "echo_text", Version: version},
		Files: []spec.File{{Path: "tool.py", Data: []byte("# " + version + "\n")}},
	}
	s.seal(dir, registry.Batch{Accept: []registry.Acceptance{{Release: r, Contributor: ledger.Owner{Login: "ann", ID: 1}}}})
}

// copyAway keeps the tree as it is now in another folder.
func (s *scene) copyAway() string {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(s.dir)); err != nil {
		s.t.Fatal(err)
	}
	return dir
}

func (s *scene) head(dir string) (registry.Source, spec.Chain) {
	s.t.Helper()
	src := registry.OpenDir(filepath.Join(dir, ledger.Root))
	chain, err := registry.FetchHead(s.t.Context(), src)
	if err != nil {
		s.t.Fatal(err)
	}
	return src, chain
}

// TestNoWayBackWithinOneCommand: a pin that was read before a newer head was
// followed does not make room for an older one, or for a fork of the newer.
func TestNoWayBackWithinOneCommand(t *testing.T) {
	s := newScene(t)
	if _, err := s.client.AddRegistry(t.Context(), s.dir, AddOptions{}); err != nil {
		t.Fatal(err)
	}
	early, err := s.client.Box.Pin("demo/tools")
	if err != nil {
		t.Fatal(err)
	}
	fork := s.copyAway()
	s.publish(s.dir, "1.0.0")
	middle := s.copyAway()
	s.publish(s.dir, "1.1.0")
	follow := func(dir string) error {
		src, chain := s.head(dir)
		_, err := s.client.follow(t.Context(), early, src, chain)
		return err
	}
	for range 2 {
		if err := follow(s.dir); err != nil {
			t.Fatalf("the newest head: %v", err)
		}
	}
	if err := follow(middle); fault.ReasonOf(err) != string(verify.ReasonRollback) {
		t.Errorf("an older head, newer than the pin that was read first: %v", err)
	}
	s.publish(fork, "0.1.0")
	s.publish(fork, "0.2.0")
	if err := follow(fork); fault.ReasonOf(err) != string(verify.ReasonSplitView) {
		t.Errorf("another head of the same age: %v", err)
	}
}

// TestAddingAgain: a trusted registry moves to another place only where its
// newest state is served; nothing is written where it is not.
func TestAddingAgain(t *testing.T) {
	s := newScene(t)
	old := s.copyAway()
	s.publish(s.dir, "1.0.0")
	if _, err := s.client.AddRegistry(t.Context(), s.dir, AddOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.AddRegistry(t.Context(), old, AddOptions{}); fault.ReasonOf(err) != string(verify.ReasonRollback) {
		t.Errorf("an older copy: %v", err)
	}
	if pin, err := s.client.Box.Pin("demo/tools"); err != nil || pin.Location != s.dir {
		t.Errorf("after the refusal the registry is at %q, %v", pin.Location, err)
	}
	twin := s.copyAway()
	if _, err := s.client.AddRegistry(t.Context(), twin, AddOptions{}); err != nil {
		t.Errorf("an equal copy: %v", err)
	}
}

// TestMirrorsOfTheRegistry: registry.json is signed by nobody.
func TestMirrorsOfTheRegistry(t *testing.T) {
	s := newScene(t)
	good := []string{"https://mirror.example/reg", "git+https://mirror.example/reg"}
	bad := []string{"/etc", "http://169.254.169.254/", "git+ssh://host/x", "git@host:x.git", "file:///srv", "\x1b[2J"}
	if got := s.client.offered(slices.Concat(bad, good)); !slices.Equal(got, good) || len(s.warned) != 1 {
		t.Errorf("taken are %q, with the warnings %q", got, s.warned)
	}
	if got := s.client.offered(slices.Repeat(good, 100)); len(got) != maxMirrors {
		t.Errorf("%d mirrors are taken", len(got))
	}
}

// lets is the examination of a release that is all right.
func lets(context.Context) error { return nil }

// TestRevokedSubject: what was revoked is a subject, and does not run.
func TestRevokedSubject(t *testing.T) {
	s := newScene(t)
	subject := &Subject{
		program: python{},
		Tool:    &spec.Tool{Name: "was_good", Version: "1.0.0", Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone, HumanConfirm: true}},
		revoked: fault.New(fault.Denied, "revoked", "was_good@1.0.0 was revoked"), consent: &memory{}, examine: lets,
	}
	if _, err := s.client.Run(t.Context(), subject, []byte("{}"), RunOptions{Confirm: true, Agree: true}); fault.ReasonOf(err) != "revoked" {
		t.Errorf("got %v", err)
	}
	_, err := s.client.Run(t.Context(), subject, []byte("{}"), RunOptions{UnsafeRunRevoked: true})
	if fault.ReasonOf(err) != ReasonConfirm || len(s.warned) != 1 {
		t.Errorf("with the danger typed out it goes on to the next question: %v, warned %q", err, s.warned)
	}
}

// TestCatalogueThatIsNotThere: a head states a list that nobody serves. That is
// an outage, in which an older list may serve, and no failure of this program.
func TestCatalogueThatIsNotThere(t *testing.T) {
	s := newScene(t)
	s.publish(s.dir, "1.0.0")
	if _, err := s.client.AddRegistry(t.Context(), s.dir, AddOptions{}); err != nil {
		t.Fatal(err)
	}
	pin, err := s.client.Box.Pin("demo/tools")
	if err != nil {
		t.Fatal(err)
	}
	src, chain := s.head(s.dir)
	head, err := followed(t.Context(), pin, src, chain)
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{ledger.CataloguePath, ledger.ObjectsDir} {
		if err := os.RemoveAll(filepath.Join(s.dir, ledger.Root, gone)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.client.readCatalogue(t.Context(), head, src); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v (%v)", err, fault.KindOf(err))
	}
}

// TestMaxAgeOffline: a list that is kept is as old as the head that it belongs
// to, and who accepts no such head is not shown it where nothing answers.
func TestMaxAgeOffline(t *testing.T) {
	s := newScene(t)
	s.publish(s.dir, "1.0.0")
	up := true
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		http.FileServer(http.Dir(s.dir)).ServeHTTP(w, r)
	}))
	defer srv.Close()
	if _, err := s.client.AddRegistry(t.Context(), srv.URL, AddOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.Search(t.Context(), SearchOptions{Query: "echo"}); err != nil {
		t.Fatal(err)
	}
	up = false
	s.client.Host.Now = func() time.Time { return clock.Add(time.Hour) }
	for most, refused := range map[time.Duration]bool{time.Minute: true, 2 * time.Hour: false, 0: false} {
		s.client.MaxAge = most
		found, err := s.client.Search(t.Context(), SearchOptions{Query: "echo"})
		switch {
		case refused && fault.KindOf(err) != fault.Unavailable:
			t.Errorf("at most %v old: %+v, %v", most, found, err)
		case !refused && (err != nil || len(found.Hits) != 1):
			t.Errorf("at most %v old: %+v, %v", most, found, err)
		}
	}
}

// TestRecordSaysWhatBounded the run, also where the person said nothing.
func TestRecordSaysWhatBounded(t *testing.T) {
	s := newScene(t)
	subject := &Subject{program: python{}, Tool: &spec.Tool{Name: "asks_first", Version: "1.0.0", Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone, HumanConfirm: true}}, consent: &memory{}, examine: lets}
	o := RunOptions{}
	o.Limits.Wall = 7 * time.Second
	if _, err := s.client.Run(t.Context(), subject, []byte("{}"), o); fault.ReasonOf(err) != ReasonConfirm {
		t.Fatal(err)
	}
	runs, _, err := s.client.Journal.List(audit.Filter{})
	if err != nil || len(runs) != 1 {
		t.Fatalf("recorded are %v, %v", runs, err)
	}
	rec, err := s.client.Journal.Get(runs[0].RunID)
	if err != nil || rec.Status != audit.Refused || rec.ExitCode != -1 || rec.Sandbox.Limits.TimeMS != 7000 || rec.Sandbox.Limits.Memory != limits.RunMemory {
		t.Errorf("the record is %+v, %v", rec, err)
	}
}
