package realtest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/keyless"
	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

const registryName spec.RegistryName = "acme/tools"

const subject = "pkg:patch-git/acme/tools/echo_text@1.0.0"

// artifact is what the statement is about.
var artifact = []byte("print(1)\n")

// What describes an instance to programs.
const (
	trustedRoot   = "trusted_root.json"
	signingConfig = "signing_config.json"
)

// instance is a Sigstore of the real services, with a policy that trusts acme's
// workflow and knows the instance by its trusted root alone.
type instance struct {
	gitHub             *gitHub
	fulcio, tsa, rekor *service
	dir                string // with what describes it to programs, and the artifact
	config             []byte // signing_config.json
	own                sigtest.Claims
	policy             verify.Policy
}

func newInstance(t *testing.T) *instance {
	t.Helper()
	wanted(t)
	config, err := filepath.Abs("testdata/fulcio.yaml")
	if err != nil {
		t.Fatal(err)
	}
	in := &instance{dir: t.TempDir(), gitHub: newGitHub(t)}
	keys := newPKI(t)
	ctURL := serveCT(t, keys.ct)
	env := in.gitHub.env()

	var fulcioURL, tsaURL, rekorURL string
	in.fulcio, fulcioURL = serve(t, fulcio, env, 3, "/api/v2/trustBundle", func(dir string, ports []string) []string {
		return []string{
			"serve", "--host", "127.0.0.1", "--port", ports[0], "--grpc-host", "127.0.0.1", "--grpc-port", ports[1], "--metrics-port", ports[2],
			"--legacy-unix-domain-socket", filepath.Join(dir, "socket"), "--config-path", config, "--log_type", "prod",
			"--ca", "fileca", "--fileca-cert", keys.path("fulcio-chain.pem"), "--fileca-key", keys.path("fulcio-key.pem"), "--fileca-key-passwd", "none", "--fileca-watch=false",
			"--ct-log-url", ctURL, "--ct-log-public-key-path", keys.path("ct-public.pem"),
		}
	})
	in.tsa, tsaURL = serve(t, tsa, env, 1, "/ping", func(_ string, ports []string) []string {
		return []string{
			"serve", "--host", "127.0.0.1", "--port", ports[0], "--disable-ntp-monitoring", "--log-type", "prod",
			"--timestamp-signer", "file", "--file-signer-key-path", keys.path("tsa-key.pem"), "--file-signer-passwd", "",
			"--certificate-chain-path", keys.path("tsa-chain.pem"),
		}
	})
	in.rekor, rekorURL = serve(t, rekor, env, 3, "/healthz", func(dir string, ports []string) []string {
		return []string{
			"serve", "--http-address", "127.0.0.1", "--http-port", ports[0], "--grpc-address", "127.0.0.1", "--grpc-port", ports[1], "--http-metrics-port", ports[2],
			"--hostname", rekorOrigin, "--storage-dir", filepath.Join(dir, "log.d"), "--signer-filepath", keys.path("rekor-key.pem"),
			"--checkpoint-interval", "1s", "--batch-max-age", "50ms",
		}
	})

	in.config = keys.signingConfig(t, fulcioURL, tsaURL+"/api/v1/timestamp", rekorURL)
	trusted := keys.trustedRoot(t, fulcioURL, ctURL, tsaURL)
	in.write(t, trustedRoot, trusted)
	in.write(t, signingConfig, in.config)
	in.write(t, "artifact", artifact)
	root, err := keyless.ParseRoot(trusted)
	if err != nil {
		t.Fatal(err)
	}
	in.own = sigtest.GitHub("acme", "tools")
	in.own.Environment, in.own.Subject = "publish", "repo:acme@800000001/tools@900000001:environment:publish"
	in.policy = verify.Policy{Registry: registryName, Sigstore: root, Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: identity(in.own)}}
	return in
}

// identity is what a registry with the claims is pinned to.
func identity(c sigtest.Claims) *ledger.Identity {
	id := ledger.GitHubIdentity(registryName)
	id.RepositoryID, id.OwnerID = c.RepositoryID, c.RepositoryOwnerID
	id.Environment, id.TokenSubject = c.Environment, c.Subject
	return &id
}

func (in *instance) path(name string) string { return filepath.Join(in.dir, name) }

func (in *instance) write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := in.path(name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func statement(n int) *ledger.Statement {
	return ledger.NewStatement(subject, spec.DigestOf(artifact), ledger.PredicateAcceptance, map[string]int{"n": n})
}

// evidence is what the registry's policy thinks of a bundle.
func (in *instance) evidence(bundle []byte) (*ledger.Statement, error) {
	return in.policy.Evidence(bundle, subject, ledger.PredicateAcceptance)
}

// options are those of production code in a job that has the claims. Somebody
// may see a bundle before it is checked.
func (in *instance) options(c sigtest.Claims, see ...func(bundle []byte)) keyless.WorkflowOptions {
	job := in.gitHub.job(c)
	return keyless.WorkflowOptions{
		Token: keyless.GitHubToken(func(name string) string { return job[name] }, http.DefaultClient), Config: in.config, HTTP: http.DefaultClient, Now: time.Now,
		Check: func(b []byte, s *ledger.Statement) error {
			for _, see := range see {
				see(b)
			}
			got, err := in.evidence(b)
			if err == nil && !bytes.Equal(ledger.Encode(got), ledger.Encode(s)) {
				err = fmt.Errorf("signed is %+v, not %+v", got, s)
			}
			return err
		},
	}
}

// sign signs once. The bundle comes also where the registry's policy refuses
// it, which is not handed out in production.
func (in *instance) sign(ctx context.Context, t *testing.T, c sigtest.Claims, s *ledger.Statement) (bundle []byte, err error) {
	t.Helper()
	w, err := keyless.NewWorkflow(in.options(c, func(b []byte) { bundle = b }))
	if err != nil {
		t.Error(err)
		return nil, err
	}
	_, err = w.Sign(ctx, s)
	return bundle, err
}

// TestMain has this process reach nothing but this machine.
func TestMain(m *testing.M) {
	transport := http.DefaultTransport.(*http.Transport)
	transport.Proxy = nil
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil || !net.ParseIP(host).IsLoopback() {
			return nil, fmt.Errorf("%s is not this machine", address)
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	os.Exit(m.Run())
}
