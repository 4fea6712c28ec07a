package contribute

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/inspect"
	"github.com/patch-cat/patch-git/internal/keyless"
	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/verify"
)

// TestPublishBranchAsWorkflow: what a job signs is what every client takes; a
// job that nobody would believe, and one that is cut off from Sigstore, push
// nothing, and the next one publishes all of it.
func TestPublishBranchAsWorkflow(t *testing.T) {
	j := newJob(t)
	j.host.GOOS, j.host.GOARCH = runtime.GOOS, runtime.GOARCH
	j.host.Home, _ = os.UserHomeDir()
	j.env["PATH"], j.env["HOME"] = os.Getenv("PATH"), os.Getenv("HOME")
	f := &forge{t: t, w: j.Workshop, origin: filepath.Join(t.TempDir(), "origin.git"), dir: j.dir}
	f.git("", "init", "-q", "--bare", "-b", "main", f.origin)
	f.git(f.dir, "init", "-q", "-b", "main")
	f.git(f.dir, "remote", "add", "origin", f.origin)
	f.propose("word_count", "1.0.0")
	f.commit("one")
	site := t.TempDir()
	with := func(o *BranchOptions) { o.Signing, o.Site = j.with, site }
	audit := func(releases int64) {
		t.Helper()
		root, err := keyless.ParseRoot(j.server.TrustedRoot)
		if err != nil {
			t.Fatal(err)
		}
		policy := verify.Policy{Registry: "acme/tools", Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: identity()}, Sigstore: root}
		for _, place := range []string{f.origin, site} {
			src, err := registry.Open(t.Context(), place, registry.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := inspect.Tree(t.Context(), src, policy, inspect.Options{})
			if err != nil || r.Err() != nil || r.Counts.Releases != releases {
				t.Fatalf("%s: %+v, %v", place, r, err)
			}
		}
	}
	if out := f.mustPublish(with); !slices.Equal(out.Accepted, []string{"word_count@1.0.0"}) || out.Trust != ledger.TrustKeyless {
		t.Errorf("got %+v", out)
	}
	audit(1)

	before := f.published()
	f.propose("word_count", "1.1.0")
	f.commit("two")
	byHand := sigtest.GitHub("acme", "tools")
	byHand.EventName = "workflow_dispatch"
	j.claims(byHand)
	if _, err := f.publish(with); fault.KindOf(err) != fault.NotVerified || !strings.HasPrefix(fault.ReasonOf(err), "identity:") || f.published() != before {
		t.Errorf("a run by hand: %v", err)
	}
	j.claims(sigtest.GitHub("acme", "tools"))
	j.server.FailNext(sigtest.ServiceRekor, 1<<10, http.StatusServiceUnavailable)
	if _, err := f.publish(with); fault.KindOf(err) != fault.Unavailable || f.published() != before {
		t.Errorf("without Sigstore: %v", err)
	}
	audit(1)
	j.claims(sigtest.GitHub("acme", "tools"))
	if out := f.mustPublish(with); !slices.Equal(out.Accepted, []string{"word_count@1.1.0"}) || out.Base != before {
		t.Errorf("got %+v", out)
	}
	audit(2)
}
