package consume

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
)

// TestAdvice: what a registry says of its own workflow comes into a command to
// type only where no shell does anything with it.
func TestAdvice(t *testing.T) {
	c := newScene(t).client
	advice := func(path, ref string) string {
		t.Helper()
		id := ledger.GitHubWorkflow("acme/tools", path, ref)
		doc := &ledger.Registry{Name: "acme/tools", Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &id}}
		refused := fault.New(fault.NotVerified, "identity:san", "no")
		err := c.advise(doc, AddOptions{Repository: "acme/tools", Command: "add it"}, "reg", refused)
		if fault.ReasonOf(err) != "identity:san" {
			t.Errorf("%s: the refusal became %v", path, err)
		}
		return strings.Join(fault.HintsOf(err), "\n")
	}
	for path, ref := range map[string]string{
		"x/$(reboot).yml": "refs/heads/main", "x/a;reboot.yml": "refs/heads/main", "x/`reboot`.yml": "refs/heads/main",
		"x/a'b.yml": "refs/heads/main", "--key": "refs/heads/main", "x/a.yml": "refs/heads/$(reboot)", "x/b.yml": "refs/tags/v1", "x/c.yml": "refs/heads/-x",
	} {
		if got := advice(path, ref); got != "" {
			t.Errorf("%s@%s: advised %q", path, ref, got)
		}
	}
	// The twin: a path that is one.
	if got := advice(".github/workflows/release.yml", "refs/heads/main"); !strings.HasSuffix(got, ": add it --workflow .github/workflows/release.yml --branch main") {
		t.Errorf("advised %q", got)
	}
	if got := advice(".github/workflows/publish.yml", "refs/heads/main"); got != "" {
		t.Errorf("advised %q for the workflow that was expected", got)
	}
}
