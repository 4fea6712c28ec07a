package realtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
)

// TestCommands: what people type, from the first head of a registry to an
// outage, with the program as it is released.
func TestCommands(t *testing.T) {
	in := newInstance(t)
	own := sigtest.GitHub("acme", "tools")
	w := in.initialised(t, product(t))
	job := w.job(t, own)
	for _, at := range []string{"echo_text@1.0.0", "echo_text@1.1.0", "case_text@1.0.0"} {
		name, version, _ := strings.Cut(at, "@")
		job.does(t, w.publish(t, name, version)...)
	}
	user := w.user(t)
	t.Run("a user", func(t *testing.T) { w.used(t, user) })
	t.Run("withdrawn", func(t *testing.T) {
		user.does(t, "pull", "case_text@1.0.0")
		user.does(t, "run", "case_text", "--text", "hi")
		user.does(t, "log", "watch")
		job.does(t, w.withdraw("yank", "echo_text@1.1.0")...)
		job.does(t, w.withdraw("revoke", "case_text@1.0.0")...)
		if said := user.does(t, "log", "watch"); !strings.Contains(said, "echo_text@1.1.0") || !strings.Contains(said, "case_text@1.0.0") {
			t.Errorf("the news are %q", said)
		}
		user.does(t, "search", "text") // a client hears of it as it looks for tools
		user.fails(t, 5, "revoked", "run", "case_text", "--text", "hi")
		user.does(t, "run", "echo_text", "--text", "hi")
		user.does(t, "log", "verify")
	})
	t.Run("others", w.judged)
	t.Run("impostors", func(t *testing.T) { w.impostors(t, own) })
	t.Run("the log is gone", func(t *testing.T) {
		command := w.publish(t, "echo_text", "1.2.0")
		in.rekor.stop()
		w.publishesNothing(t, job, 7, "signing_service", command)
		in.rekor.start(t)
		if err := in.rekor.ready(); err != nil {
			t.Fatal(err)
		}
		job.does(t, command...)
		user.does(t, "pull", "echo_text@1.2.0")
	})
	t.Run("all are gone", func(t *testing.T) {
		for _, s := range []*service{in.fulcio, in.tsa, in.rekor} {
			s.stop()
		}
		w.used(t, w.user(t)) // who verifies asks nobody
	})
}

// used is what somebody does who has just added the registry.
func (w workplace) used(t *testing.T, p person) {
	t.Helper()
	p.does(t, "pull", "echo_text@1.0.0")
	if said := p.does(t, "run", "echo_text", "--text", "hi"); !strings.Contains(said, `"hi"`) {
		t.Errorf("the tool says %q", said)
	}
	for _, command := range [][]string{
		{"verify"},
		{"verify", "--offline", w.v1("releases", "ec", "echo_text", "1.0.0", "tool.py")},
		{"verify", "--offline", w.v1("releases", "ec", "echo_text", "1.1.0", "tool.py")},
		{"log", "verify"},
	} {
		p.does(t, command...)
	}
}

// judged holds the files that the commands wrote before programs by others, who
// accept them, and for anybody or anything else refuse them.
func (w workplace) judged(t *testing.T) {
	san, issuer := w.policy.Trust.Identity.SAN, w.policy.Trust.Identity.Issuer
	found, err := filepath.Glob(w.v1("releases", "*", "*", "*", "evidence.sigstore.json"))
	if err != nil || len(found) != 3 {
		t.Fatalf("the evidence of releases is %q: %v", found, err)
	}
	judge := func(t *testing.T, says opinion, noSigner, noIssuer string) {
		for _, path := range append(found, w.v1("head.sigstore.json")) {
			a := attestation{file: filepath.Join(filepath.Dir(path), "tool.py"), predicateType: ledger.PredicateAcceptance}
			if filepath.Base(path) == "head.sigstore.json" {
				a.file, a.predicateType = w.v1("head.json"), ledger.PredicateHead
			}
			if a.bundle, err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
			if err := says(t, a, san, issuer); err != nil {
				t.Errorf("%s is refused: %v", path, err)
			}
			if err := says(t, a, san+"x", issuer); err == nil || !strings.Contains(err.Error(), noSigner) {
				t.Errorf("%s for another name: %v", path, err)
			}
			if err := says(t, a, san, issuer+"/evil"); err == nil || !strings.Contains(err.Error(), noIssuer) {
				t.Errorf("%s for another issuer: %v", path, err)
			}
			if err := says(t, a.altered(t), san, issuer); err == nil {
				t.Errorf("%s is accepted with an altered statement", path)
			}
		}
	}
	t.Run("cosign", func(t *testing.T) {
		judge(t, w.cosign(t), "expected SAN value", "expected issuer value")
		data, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		other := attestation{data, filepath.Join(filepath.Dir(found[1]), "tool.py"), ledger.PredicateAcceptance}
		if err := w.cosign(t)(t, other, san, issuer); err == nil || !strings.Contains(err.Error(), "digest") {
			t.Errorf("for another file: %v", err)
		}
	})
	t.Run("sigstore-js", func(t *testing.T) {
		says, why := w.js(t)
		if says == nil {
			t.Skip("no opinion of sigstore-js: " + why)
		}
		judge(t, says, "certificate identity error", "invalid certificate extension")
	})
}
