package contribute

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/inspect"
	"github.com/patch-cat/patch-git/internal/keyless"
	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// job is a GitHub job in the folder of acme's registry, in front of a Sigstore
// of its own.
type job struct {
	*Workshop

	t        *testing.T
	dir      string
	with     Signing
	env      map[string]string
	sigstore *sigtest.Sigstore
	server   *sigtest.Server
}

// loopback is the only network that a test may ask, whatever it is configured to.
type loopback struct{}

func (loopback) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Hostname() != "127.0.0.1" {
		return nil, errors.New("a test asked " + r.URL.Hostname())
	}
	return http.DefaultTransport.RoundTrip(r)
}

// newJob makes the registry, which has nothing published.
func newJob(t *testing.T) *job {
	t.Helper()
	sigstore, err := sigtest.New(sigtest.Options{Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	files := t.TempDir()
	j := &job{
		Workshop: newWorkshop(t), t: t, dir: filepath.Join(t.TempDir(), "reg"), sigstore: sigstore, env: map[string]string{},
		with: Signing{Config: filepath.Join(files, "signing_config.json"), Root: filepath.Join(files, "trusted_root.json")},
	}
	j.host.Getenv = func(k string) string { return j.env[k] }
	client := &http.Client{Transport: loopback{}}
	j.host.HTTP = func() *http.Client { return client }
	j.pause = func(int) time.Duration { return time.Millisecond }
	made, err := j.InitGitHub(j.dir, "acme/tools")
	if err != nil || made.Trust.Identity.SAN != "https://github.com/acme/tools/.github/workflows/publish.yml@refs/heads/main" {
		t.Fatalf("made %+v, %v", made, err)
	}
	j.claims(sigtest.GitHub("acme", "tools"))
	return j
}

// claims lets the job be one with the claims from now on.
func (j *job) claims(c sigtest.Claims) {
	j.t.Helper()
	j.server = j.sigstore.Serve(j.t, c)
	j.env["ACTIONS_ID_TOKEN_REQUEST_URL"], j.env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] = j.server.TokenURL, j.server.RequestToken
	j.env["GITHUB_REPOSITORY_ID"], j.env["GITHUB_REPOSITORY_OWNER_ID"] = c.RepositoryID, c.RepositoryOwnerID
	if err := errors.Join(os.WriteFile(j.with.Config, j.server.SigningConfig, 0o600), os.WriteFile(j.with.Root, j.server.TrustedRoot, 0o600)); err != nil {
		j.t.Fatal(err)
	}
}

func (j *job) publish() (*Published, error) {
	return j.PublishTree(j.t.Context(), j.dir, j.with)
}

// accept publishes a version whose checks are taken to have passed.
func (j *job) accept(version spec.Version) error {
	j.t.Helper()
	b, err := j.open(j.t.Context(), j.dir, j.with)
	if err != nil {
		return err
	}
	data := []byte(strings.Replace(string(Template("echo_text", "")), "0.1.0", string(version), 1))
	doc, findings := manifest.Read("tool.py", data, manifest.Strict)
	if spec.Blocking(findings) || doc.Tool.Version != version {
		j.t.Fatal(findings)
	}
	r := &spec.Release{Ref: spec.Ref{Name: "echo_text", Version: version}, Tool: doc.Tool, Files: []spec.File{{Path: "tool.py", Data: data}}}
	if err := b.tree.Stage(r, ledger.Owner{Login: "ann", ID: 7}); err != nil {
		j.t.Fatal(err)
	}
	a := ownedBy(registry.Acceptance{Release: withReport(r), Report: spec.DigestOf([]byte("{}\n"))}, []ledger.Owner{{Login: "ann", ID: 7}})
	return j.seal(j.t.Context(), b, registry.Batch{Accept: []registry.Acceptance{a}}, newPublished(b))
}

// published are the digests of the files that clients read, by path.
func (j *job) published() map[string][32]byte {
	j.t.Helper()
	out, top := map[string][32]byte{}, filepath.Join(j.dir, publishedDir)
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == top {
			return nil
		}
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = sha256.Sum256(data)
		return err
	})
	if err != nil {
		j.t.Fatal(err)
	}
	return out
}

// identity is what a client pins for acme's registry.
func identity() *ledger.Identity {
	id, c := ledger.GitHubIdentity("acme/tools"), sigtest.GitHub("acme", "tools")
	id.RepositoryID, id.OwnerID = c.RepositoryID, c.RepositoryOwnerID
	return &id
}

// audit reads all that is published as a client does who trusts the workflow.
func (j *job) audit() *inspect.Report {
	j.t.Helper()
	root, err := keyless.ParseRoot(j.server.TrustedRoot)
	if err != nil {
		j.t.Fatal(err)
	}
	policy := verify.Policy{Registry: "acme/tools", Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: identity()}, Sigstore: root}
	r, err := inspect.Tree(j.t.Context(), registry.OpenDir(filepath.Join(j.dir, publishedDir, ledger.Root)), policy, inspect.Options{})
	if err == nil {
		err = r.Err()
	}
	if err != nil {
		j.t.Fatalf("a client refuses the tree: %v, %+v", err, r)
	}
	return r
}

// refused holds an error against what it must be, and the tree against what it was.
func (j *job) refused(what string, err error, kind fault.Kind, reason string, before map[string][32]byte) {
	j.t.Helper()
	if err == nil || fault.KindOf(err) != kind || fault.ReasonOf(err) != reason {
		j.t.Errorf("%s: got %v (%v, %q), want %v for %q", what, err, fault.KindOf(err), fault.ReasonOf(err), kind, reason)
	}
	if now := j.published(); !maps.Equal(now, before) {
		j.t.Errorf("%s: of %d published files there are %d, and not the same", what, len(before), len(now))
	}
}

func TestPublishAsWorkflow(t *testing.T) {
	j := newJob(t)
	if n := len(j.published()); n != 0 {
		t.Fatalf("%d files are published by nobody", n)
	}
	done, err := j.publish()
	if err != nil || !done.New || done.Head.Seq != 1 || done.Trust != ledger.TrustKeyless || done.Key != "" ||
		done.Identity != spec.DigestOf(ledger.Encode(identity())).String() {
		t.Fatalf("the first head: %+v, %v", done, err)
	}
	for _, v := range []spec.Version{"1.0.0", "1.1.0"} {
		if err := j.accept(v); err != nil {
			t.Fatal(err)
		}
	}
	if done, err = j.AmendTree(t.Context(), Amendment{What: Yank, Ref: spec.Ref{Name: "echo_text", Version: "1.1.0"}, Reason: "wrong"}, j.dir, j.with); err != nil || len(done.Withdrawn) != 1 {
		t.Fatalf("a yank: %+v, %v", done, err)
	}
	if r := j.audit(); r.Head.Seq != 4 || r.Counts.Releases != 2 || r.Counts.Yanked != 1 {
		t.Errorf("published is %+v at %d", r.Counts, r.Head.Seq)
	}
	certificates := j.server.Requests(sigtest.ServiceFulcio)
	if done, err = j.publish(); err != nil || done.New || j.server.Requests(sigtest.ServiceFulcio) != certificates {
		t.Errorf("once more: %+v, %v, and %d certificates", done, err, j.server.Requests(sigtest.ServiceFulcio)-certificates)
	}
}

// TestImpostorsPublishNothing: jobs to which Sigstore rightly gives
// certificates, but which are not the registry's. Each says that it runs in the
// registry's repository; the certificate knows better.
func TestImpostorsPublishNothing(t *testing.T) {
	j := newJob(t)
	own := sigtest.GitHub("acme", "tools")
	pinned := *identity()
	pinned.RepositoryID, pinned.OwnerID, pinned.TokenSubject = "", "", own.Subject
	writeIdentity(t, j.dir, &pinned)
	steps := []struct {
		name string
		do   func() error
	}{
		{"the first head", func() error { _, err := j.publish(); return err }},
		{"a release", func() error { return j.accept("1.0.0") }},
		{"a withdrawal", func() error {
			_, err := j.AmendTree(t.Context(), Amendment{What: Revoke, Ref: spec.Ref{Name: "echo_text", Version: "1.0.0"}, Reason: "malware"}, j.dir, j.with)
			return err
		}},
	}
	for _, step := range steps {
		before := j.published()
		for _, c := range sigtest.Impostors(own) {
			j.claims(c.Claims)
			j.env["GITHUB_REPOSITORY_ID"], j.env["GITHUB_REPOSITORY_OWNER_ID"] = own.RepositoryID, own.RepositoryOwnerID
			j.refused(step.name+" by "+c.Name, step.do(), fault.NotVerified, "identity:"+c.Field, before)
		}
		j.claims(own)
		if err := step.do(); err != nil {
			t.Fatalf("%s by the workflow itself: %v", step.name, err)
		}
	}
}

// writeIdentity replaces registry.yaml of acme's registry.
func writeIdentity(t *testing.T, dir string, id *ledger.Identity) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "registry.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := registry.InitTree(dir, &ledger.Registry{
		Schema: ledger.RegistrySchema, Name: "acme/tools", Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: id},
	}); err != nil {
		t.Fatal(err)
	}
}

// TestNumbersOfTheJob: what the environment says of the repository is refused
// before anything is signed where it is no number or contradicts registry.yaml,
// and after, by the certificate, where it is a lie.
func TestNumbersOfTheJob(t *testing.T) {
	for name, c := range map[string]struct {
		variable, value string
		pinned          bool // in registry.yaml as well
		kind            fault.Kind
		reason          string
	}{
		"no repository":             {"GITHUB_REPOSITORY_ID", "", false, fault.Denied, "identity"},
		"no owner":                  {"GITHUB_REPOSITORY_OWNER_ID", "", false, fault.Denied, "identity"},
		"no number":                 {"GITHUB_REPOSITORY_ID", "acme\x1b[2J", false, fault.Denied, "identity"},
		"not as it is written":      {"GITHUB_REPOSITORY_ID", "0900000001", false, fault.Denied, "identity"},
		"another than is pinned":    {"GITHUB_REPOSITORY_ID", "900000002", true, fault.Denied, "identity"},
		"another owner":             {"GITHUB_REPOSITORY_OWNER_ID", "800000002", true, fault.Denied, "identity"},
		"another than is certified": {"GITHUB_REPOSITORY_ID", "900000002", false, fault.NotVerified, "identity:repository_id"},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJob(t)
			if c.pinned {
				writeIdentity(t, j.dir, identity())
			}
			before, right := j.published(), j.env[c.variable]
			j.env[c.variable] = c.value
			_, err := j.publish()
			j.refused(name, err, c.kind, c.reason, before)
			if n := j.server.Requests(sigtest.ServiceFulcio); c.kind == fault.Denied && n != 0 {
				t.Errorf("%d certificates were asked for", n)
			}
			if strings.ContainsRune(err.Error(), '\x1b') || c.kind == fault.Denied && len(fault.HintsOf(err)) == 0 {
				t.Errorf("the message is %q, the hints %q", err, fault.HintsOf(err))
			}
			j.env[c.variable] = right
			if _, err := j.publish(); err != nil {
				t.Errorf("with the right number: %v", err)
			}
		})
	}
	// What registry.yaml has, the environment need not say.
	j := newJob(t)
	writeIdentity(t, j.dir, identity())
	delete(j.env, "GITHUB_REPOSITORY_ID")
	if _, err := j.publish(); err != nil {
		t.Errorf("with the number in registry.yaml: %v", err)
	}
}

// TestNoJob: outside of a job nothing is touched, the source tree neither.
func TestNoJob(t *testing.T) {
	j := newJob(t)
	if err := j.accept("1.0.0"); err != nil {
		t.Fatal(err)
	}
	before, address := j.published(), j.env["ACTIONS_ID_TOKEN_REQUEST_URL"]
	meta := filepath.Join(j.dir, "tools", "ec", "echo_text", "tool.yaml")
	was, err := os.ReadFile(meta)
	if err != nil {
		t.Fatal(err)
	}
	delete(j.env, "ACTIONS_ID_TOKEN_REQUEST_URL")
	yank := func() error {
		_, err := j.AmendTree(t.Context(), Amendment{What: Yank, Ref: spec.Ref{Name: "echo_text", Version: "1.0.0"}, Reason: "wrong"}, j.dir, j.with)
		return err
	}
	j.refused("no job", yank(), fault.Denied, "no_identity", before)
	if now, err := os.ReadFile(meta); err != nil || string(now) != string(was) {
		t.Errorf("tool.yaml is now %s", now)
	}
	j.env["ACTIONS_ID_TOKEN_REQUEST_URL"] = address
	if err := yank(); err != nil {
		t.Errorf("in a job: %v", err)
	}
}

// TestOutage: services that are out of order for good leave what was published
// as it was; when they are back, the same call does it.
func TestOutage(t *testing.T) {
	const forEver = 1 << 10
	j := newJob(t)
	if _, err := j.publish(); err != nil {
		t.Fatal(err)
	}
	for i, service := range []string{sigtest.ServiceToken, sigtest.ServiceFulcio, sigtest.ServiceTSA, sigtest.ServiceRekor} {
		version := spec.Version([]string{"1.0.0", "1.1.0", "1.2.0", "1.3.0"}[i])
		before := j.published()
		j.server.FailNext(service, forEver, http.StatusServiceUnavailable)
		j.refused(service, j.accept(version), fault.Unavailable, "signing_service", before)
		j.audit()
		j.claims(sigtest.GitHub("acme", "tools"))
		if err := j.accept(version); err != nil {
			t.Errorf("%s is back: %v", service, err)
		}
	}
	if r := j.audit(); r.Counts.Releases != 4 {
		t.Errorf("%d releases", r.Counts.Releases)
	}
}

// TestPinnedMeanwhile: what registry.yaml leaves open is held against the head
// that clients know, who pinned it: a job that they would refuse fails.
func TestPinnedMeanwhile(t *testing.T) {
	j := newJob(t)
	if _, err := j.publish(); err != nil {
		t.Fatal(err)
	}
	before := j.published()
	c := sigtest.GitHub("acme", "tools")
	c.Subject = "repo:acme/tools:ref:refs/heads/main"
	j.claims(c)
	j.refused("another token subject", j.accept("1.0.0"), fault.NotVerified, "identity:token_subject", before)
	j.claims(sigtest.GitHub("acme", "tools"))
	if err := j.accept("1.0.0"); err != nil {
		t.Errorf("the one of the first head: %v", err)
	}
}

// TestMovedWorkflow: registry.yaml names another workflow file since the last
// publication. The job that it names builds on the old head when the maintainer
// says so, and never on one of another repository.
func TestMovedWorkflow(t *testing.T) {
	j := newJob(t)
	if err := j.accept("1.0.0"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(j.dir, "registry.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "/publish.yml@", "/release.yml@")), 0o600); err != nil {
		t.Fatal(err)
	}
	moved := sigtest.GitHub("acme", "tools")
	moved.WorkflowRef = strings.Replace(moved.WorkflowRef, "/publish.yml@", "/release.yml@", 1)
	moved.JobWorkflowRef = moved.WorkflowRef
	before := j.published()
	j.claims(moved)
	err = j.accept("1.1.0")
	j.refused("unannounced", err, fault.NotVerified, "identity:san", before)
	if hints := strings.Join(fault.HintsOf(err), " "); !strings.Contains(hints, "--accept-change") {
		t.Errorf("no hint at the way out: %q", hints)
	}
	j.with.AcceptChange = true
	// The job of before still cannot sign for the registry as it is now.
	j.claims(sigtest.GitHub("acme", "tools"))
	j.refused("the workflow of before", j.accept("1.1.0"), fault.NotVerified, "identity:san", before)
	// Nor is the head of a repository that was made anew under the name built on.
	other := moved
	other.RepositoryID = "900000002"
	j.claims(other)
	j.refused("another repository", j.accept("1.1.0"), fault.NotVerified, "identity:repository_id", before)
	j.claims(moved)
	if err := j.accept("1.1.0"); err != nil {
		t.Fatalf("announced: %v", err)
	}
	// From then on the new one is the registry's own.
	j.with.AcceptChange = false
	if err := j.accept("1.2.0"); err != nil {
		t.Errorf("after the change: %v", err)
	}
}

// TestRefreshedSigstore: without files on the command line the Sigstore is the
// user's own copy of the public one, and a damaged copy is not passed over.
func TestRefreshedSigstore(t *testing.T) {
	j := newJob(t)
	j.with = Signing{}
	file := filepath.Join(j.host.Paths.Trust(), "sigstore.json")
	write := func(text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"schema":1`)
	_, err := j.publish()
	j.refused("a damaged copy", err, fault.NotVerified, "trust_root", map[string][32]byte{})
	text, err := json.Marshal(map[string]any{
		"schema": 1, "fetched_at": "2026-11-01T00:00:00Z", "trusted_root": j.server.TrustedRoot, "signing_config": j.server.SigningConfig,
	})
	if err != nil {
		t.Fatal(err)
	}
	write(string(text))
	if _, err := j.publish(); err != nil {
		t.Error(err)
	}
	j.audit()
}

// TestPinnedSigstore: the private Sigstore that a maintainer added the registry
// with is the one that it is published through.
func TestPinnedSigstore(t *testing.T) {
	j := newJob(t)
	j.with = Signing{} // the public one would be asked, which no test may
	box, err := toolbox.Open(j.host.Paths, j.host.Now)
	if err != nil {
		t.Fatal(err)
	}
	trust := ledger.Trust{Kind: ledger.TrustKeyless, Identity: identity()}
	if err := box.AddPin(t.Context(), toolbox.Pin{
		Name: "acme/tools", Location: j.dir, Trust: trust, TrustedRoot: j.server.TrustedRoot, SigningConfig: j.server.SigningConfig,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := j.publish(); err != nil {
		t.Error(err)
	}
	j.audit()
}

// TestSigningOfOneKind: files that belong to the other kind of trust say that
// the person means another registry.
func TestSigningOfOneKind(t *testing.T) {
	j := newJob(t)
	_, keyed := scene(t)
	for name, c := range map[string]struct {
		dir  string
		with Signing
	}{
		"a key for a workflow":    {j.dir, Signing{Key: "x", Config: j.with.Config, Root: j.with.Root}},
		"no trusted root":         {j.dir, Signing{Config: j.with.Config}},
		"no configuration":        {j.dir, Signing{Root: j.with.Root}},
		"a Sigstore for a key":    {keyed, j.with},
		"a root that is no root":  {j.dir, Signing{Config: j.with.Config, Root: j.with.Config}},
		"a config that is a root": {j.dir, Signing{Config: j.with.Root, Root: j.with.Root}},
	} {
		if _, err := j.open(t.Context(), c.dir, c.with); fault.KindOf(err) != fault.Usage {
			t.Errorf("%s: %v (%v)", name, err, fault.KindOf(err))
		}
	}
	missing := Signing{Config: j.with.Config, Root: j.with.Root + ".not"}
	if _, err := j.open(t.Context(), j.dir, missing); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := j.InitGitHub(j.dir, "acme/tools"); fault.KindOf(err) != fault.Usage {
		t.Errorf("a registry was made over another: %v", err)
	}
	if b, err := j.open(t.Context(), j.dir, j.with); err != nil || !slices.Equal(b.doc.Trust.Identity.Fields(), identity().Fields()) {
		t.Errorf("the twin: %+v, %v", b, err)
	}
}
