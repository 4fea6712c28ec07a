package keyless_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	sigstore "github.com/sigstore/sigstore-go/pkg/verify"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyless"
	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/internal/trustroot"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

const registryName spec.RegistryName = "acme/tools"

const subject = "pkg:patch-git/acme/tools/echo_text@1.0.0"

// instance is one Sigstore for a test, with a policy that trusts acme's workflow.
type instance struct {
	tb testing.TB
	*sigtest.Sigstore
	policy verify.Policy
	theirs *sigstore.Verifier
}

func newInstance(tb testing.TB, o sigtest.Options) *instance {
	tb.Helper()
	s, err := sigtest.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	in := &instance{tb: tb, Sigstore: s}
	trusted, err := s.TrustedRoot()
	if err != nil {
		tb.Fatal(err)
	}
	in.theirs = theirs(tb, trusted)
	id := identity(sigtest.GitHub("acme", "tools"))
	in.policy = verify.Policy{Registry: registryName, Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &id}, Sigstore: in.root()}
	return in
}

func (in *instance) root() *keyless.Root {
	in.tb.Helper()
	data, err := in.TrustedRoot()
	if err != nil {
		in.tb.Fatal(err)
	}
	r, err := keyless.ParseRoot(data)
	if err != nil {
		in.tb.Fatal(err)
	}
	return r
}

// identity is what acme's registry is pinned to.
func identity(c sigtest.Claims) ledger.Identity {
	id := ledger.GitHubIdentity(registryName)
	id.RepositoryID, id.OwnerID = c.RepositoryID, c.RepositoryOwnerID
	id.Environment, id.TokenSubject = c.Environment, c.Subject
	return id
}

// statement is some statement of the shape that registries sign.
func statement() *ledger.Statement {
	return ledger.NewStatement(subject, spec.DigestOf([]byte("print(1)\n")), ledger.PredicateAcceptance, map[string]int{"n": 1})
}

func (in *instance) sign(s *ledger.Statement, c sigtest.Claims, changes ...sigtest.Change) []byte {
	in.tb.Helper()
	b, err := in.Sign(ledger.Encode(s), c, changes...)
	if err != nil {
		in.tb.Fatal(err)
	}
	return b
}

// refusals remembers which reasons some test provoked.
var refusals = map[verify.Reason]bool{}

func (in *instance) refuses(bundle []byte, want verify.Reason) {
	in.tb.Helper()
	_, err := in.policy.Evidence(bundle, subject, ledger.PredicateAcceptance)
	if fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != string(want) {
		in.tb.Errorf("got %v (%v, %q), want a refusal for %q", err, fault.KindOf(err), fault.ReasonOf(err), want)
		return
	}
	if text := err.Error(); len(text) > 1000 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' && r != '…' }) {
		in.tb.Errorf("the message echoes foreign text: %q", text)
	}
	refusals[want] = true
}

func (in *instance) accepts(bundle []byte) {
	in.tb.Helper()
	if _, err := in.policy.Evidence(bundle, subject, ledger.PredicateAcceptance); err != nil {
		in.tb.Errorf("refused: %v", err)
	}
	if err := in.oracle(bundle); err != nil {
		in.tb.Errorf("accepted, and sigstore-go refuses: %v", err)
	}
}

func TestAccepted(t *testing.T) {
	for _, p384 := range []bool{false, true} {
		in := newInstance(t, sigtest.Options{P384: p384})
		in.accepts(in.sign(statement(), sigtest.GitHub("acme", "tools")))
		in.accepts(in.sign(statement(), sigtest.GitHub("acme", "tools"), sigtest.OlderLog))
	}
}

// TestImpostors: bundles that this very Sigstore made for a workflow that is
// not the registry's. Each differs from the accepted one in its claims alone.
func TestImpostors(t *testing.T) {
	in := newInstance(t, sigtest.Options{})
	own := sigtest.GitHub("acme", "tools")
	for _, c := range sigtest.Impostors(own) {
		t.Run(c.Name, func(t *testing.T) {
			in := *in
			in.tb = t
			in.refuses(in.sign(statement(), c.Claims), verify.Reason("identity:"+c.Field))
			in.accepts(in.sign(statement(), own))
		})
	}
}

// TestEnvironment: a deployment environment that was pinned has to be there.
func TestEnvironment(t *testing.T) {
	in := newInstance(t, sigtest.Options{})
	with := sigtest.GitHub("acme", "tools")
	with.Environment = "publish"
	id := identity(with)
	in.policy.Trust.Identity = &id
	in.accepts(in.sign(statement(), with))
	in.refuses(in.sign(statement(), sigtest.GitHub("acme", "tools")), "identity:environment")
	other := with
	other.Environment = "test"
	in.refuses(in.sign(statement(), other), "identity:environment")
}

// TestMachinery: the right workflow, but something of what Sigstore does is
// missing, foreign or of another time.
func TestMachinery(t *testing.T) {
	in := newInstance(t, sigtest.Options{})
	own, now := sigtest.GitHub("acme", "tools"), time.Now()
	for name, c := range map[string]struct {
		change sigtest.Change
		want   verify.Reason
	}{
		"no proof of the certificate's log":   {sigtest.NoSCT, verify.ReasonCertificate},
		"one promise of a log twice":          {sigtest.DuplicateSCT, verify.ReasonCertificate},
		"a foreign log of certificates":       {sigtest.ForeignSCT, verify.ReasonRoot},
		"no timestamp":                        {sigtest.NoTimestamp, verify.ReasonTime},
		"two timestamps":                      {sigtest.DuplicateTimestamp, verify.ReasonTime},
		"no log entry":                        {sigtest.NoLog, verify.ReasonLog},
		"two log entries":                     {sigtest.DuplicateLog, verify.ReasonLog},
		"an entry about something else":       {sigtest.LogOtherDigest, verify.ReasonLog},
		"signed after the certificate's life": {sigtest.TimestampAt(now.Add(time.Hour)), verify.ReasonTime},
		"signed before it":                    {sigtest.TimestampAt(now.Add(-time.Hour)), verify.ReasonTime},
		"a certificate of last year":          {sigtest.Lifetime(now.AddDate(0, -6, 0), now.AddDate(0, -5, 0)), verify.ReasonTime},
		"another name in the certificate":     {sigtest.SAN("https://github.com/evil/tools/.github/workflows/publish.yml@refs/heads/main"), "identity:san"},
		"no runner in the certificate":        {sigtest.WithoutExtension(11), "identity:runner"},
		"no repository number":                {sigtest.WithoutExtension(15), "identity:repository_id"},
		"no trigger":                          {sigtest.WithoutExtension(20), "identity:trigger"},
		"no issuer of the new kind":           {sigtest.WithoutExtension(8), "identity:issuer"},
		"another payload type":                {sigtest.PayloadType("text/plain"), verify.ReasonStatement},
	} {
		t.Run(name, func(t *testing.T) {
			in := *in
			in.tb = t
			in.refuses(in.sign(statement(), own, c.change), c.want)
			in.accepts(in.sign(statement(), own))
		})
	}
}

// TestOtherInstance: a bundle of another Sigstore is told apart from one that
// is not signed at all.
func TestOtherInstance(t *testing.T) {
	in, other := newInstance(t, sigtest.Options{}), newInstance(t, sigtest.Options{})
	bundle := other.sign(statement(), sigtest.GitHub("acme", "tools"))
	in.refuses(bundle, verify.ReasonRoot)
	other.accepts(bundle)
	_, err := in.policy.Evidence(bundle, subject, ledger.PredicateAcceptance)
	if hints := fault.HintsOf(err); len(hints) == 0 || !strings.Contains(hints[0], "trust update") {
		t.Errorf("no hint at the trusted root: %q", hints)
	}
}

// TestBindings: the right workflow signed something else than what is asked for.
func TestBindings(t *testing.T) {
	in := newInstance(t, sigtest.Options{})
	own := sigtest.GitHub("acme", "tools")
	blob, err := in.SignBlob([]byte("bytes"), own)
	if err != nil {
		t.Fatal(err)
	}
	in.refuses(blob, verify.ReasonStatement)
	raw := func(change func(map[string]any)) []byte {
		var s map[string]any
		if err := json.Unmarshal(ledger.Encode(statement()), &s); err != nil {
			t.Fatal(err)
		}
		change(s)
		payload, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := in.Sign(append(payload, '\n'), own)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	first := func(s map[string]any) map[string]any { return s["subject"].([]any)[0].(map[string]any) }
	for name, c := range map[string]struct {
		change func(map[string]any)
		want   verify.Reason
	}{
		"another statement type":  {func(s map[string]any) { s["_type"] = "https://in-toto.io/Statement/v99" }, verify.ReasonStatement},
		"two subjects":            {func(s map[string]any) { s["subject"] = append(s["subject"].([]any), first(s)) }, verify.ReasonStatement},
		"another digest as well":  {func(s map[string]any) { first(s)["digest"].(map[string]any)["sha512"] = strings.Repeat("0", 128) }, verify.ReasonStatement},
		"another digest instead":  {func(s map[string]any) { first(s)["digest"] = map[string]any{"gitTree": strings.Repeat("0", 64)} }, verify.ReasonStatement},
		"a field that is unknown": {func(s map[string]any) { s["extra"] = "\x1b[2J\u202e" }, verify.ReasonStatement},
		"1024 subjects": {func(s map[string]any) {
			list := []any{}
			for i := range 1024 {
				list = append(list, map[string]any{"name": fmt.Sprint(i), "digest": first(s)["digest"]})
			}
			s["subject"] = list
		}, verify.ReasonStatement},
	} {
		t.Run(name, func(t *testing.T) {
			in := *in
			in.tb = t
			in.refuses(raw(c.change), c.want)
		})
	}
	predicate, version := statement(), statement()
	predicate.PredicateType = ledger.PredicateHead
	version.Subject[0].Name += "1"
	in.refuses(in.sign(predicate, own), verify.ReasonPredicate)
	in.refuses(in.sign(version, own), verify.ReasonSubject)
	in.accepts(in.sign(statement(), own))
}

// TestBytes: a bundle that was touched after it was made.
func TestBytes(t *testing.T) {
	in := newInstance(t, sigtest.Options{})
	own := sigtest.GitHub("acme", "tools")
	good := in.sign(statement(), own)
	in.accepts(good)
	edit := func(change func(map[string]any)) []byte {
		var b map[string]any
		if err := json.Unmarshal(good, &b); err != nil {
			t.Fatal(err)
		}
		change(b)
		out, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	in.accepts(edit(func(map[string]any) {})) // its bytes are nobody's claim
	material := func(b map[string]any) map[string]any { return b["verificationMaterial"].(map[string]any) }
	entry := func(b map[string]any) map[string]any { return material(b)["tlogEntries"].([]any)[0].(map[string]any) }
	other := in.sign(ledger.NewStatement(subject, spec.DigestOf(nil), ledger.PredicateAcceptance, 1), own)
	var second map[string]any
	if err := json.Unmarshal(other, &second); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		bundle []byte
		want   verify.Reason
	}{
		"nothing":             {nil, verify.ReasonBundle},
		"no JSON":             {[]byte("\x1b[2J"), verify.ReasonBundle},
		"cut short":           {good[:len(good)/2], verify.ReasonBundle},
		"10 MB":               {bytes.Repeat([]byte(" "), 10<<20), verify.ReasonBundle},
		"an older media type": {edit(func(b map[string]any) { b["mediaType"] = "application/vnd.dev.sigstore.bundle+json;version=0.2" }), verify.ReasonBundle},
		"an unknown field":    {edit(func(b map[string]any) { b["x"] = 1 }), verify.ReasonBundle},
		"a field twice":       {bytes.Replace(good, []byte(`"mediaType":`), []byte(`"mediaType":"`+ledger.BundleType+`","mediaType":`), 1), verify.ReasonBundle},
		"a key instead of a certificate": {edit(func(b map[string]any) {
			delete(material(b), "certificate")
			material(b)["publicKey"] = map[string]any{"hint": "x"}
		}), verify.ReasonBundle},
		"two signatures": {edit(func(b map[string]any) {
			e := b["dsseEnvelope"].(map[string]any)
			e["signatures"] = append(e["signatures"].([]any), e["signatures"].([]any)...)
		}), verify.ReasonBundle},
		"another payload": {edit(func(b map[string]any) {
			b["dsseEnvelope"].(map[string]any)["payload"] = second["dsseEnvelope"].(map[string]any)["payload"]
		}), verify.ReasonLog},
		"another certificate": {edit(func(b map[string]any) { material(b)["certificate"] = material(second)["certificate"] }), verify.ReasonLog},
		"another log entry":   {edit(func(b map[string]any) { material(b)["tlogEntries"] = material(second)["tlogEntries"] }), verify.ReasonLog},
		"another timestamp": {edit(func(b map[string]any) {
			material(b)["timestampVerificationData"] = material(second)["timestampVerificationData"]
		}), verify.ReasonTime},
		"no proof of inclusion":     {edit(func(b map[string]any) { delete(entry(b), "inclusionProof") }), verify.ReasonLog},
		"a forged integrated time":  {edit(func(b map[string]any) { entry(b)["integratedTime"] = "1" }), verify.ReasonLog},
		"an entry of another index": {edit(func(b map[string]any) { entry(b)["logIndex"] = "7" }), verify.ReasonLog},
	} {
		t.Run(name, func(t *testing.T) {
			in := *in
			in.tb = t
			in.refuses(c.bundle, c.want)
		})
	}
}

func TestParseRoot(t *testing.T) {
	in := newInstance(t, sigtest.Options{})
	good, err := in.TrustedRoot()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keyless.ParseRoot(good); err != nil {
		t.Errorf("got %v", err)
	}
	for _, list := range []string{"tlogs", "ctlogs", "certificateAuthorities", "timestampAuthorities"} {
		var m map[string]any
		if err := json.Unmarshal(good, &m); err != nil {
			t.Fatal(err)
		}
		if m[list] == nil {
			t.Fatalf("the root has no %s", list)
		}
		delete(m, list)
		data, _ := json.Marshal(m)
		if _, err := keyless.ParseRoot(data); err == nil {
			t.Errorf("a root without %s", list)
		}
	}
	for _, bad := range [][]byte{nil, []byte("{}"), []byte("\x1b"), bytes.Repeat([]byte("x"), 2<<20), good[:len(good)/2]} {
		if _, err := keyless.ParseRoot(bad); err == nil {
			t.Errorf("%.20q is a root", bad)
		}
	}
}

// TestCheckRoot: each certificate of a root has to be issued by the next.
func TestCheckRoot(t *testing.T) {
	if err := keyless.CheckRoot(trustroot.Embedded().Root); err != nil {
		t.Errorf("embedded: %v", err)
	}
	ours, err := newInstance(t, sigtest.Options{}).TrustedRoot()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := newInstance(t, sigtest.Options{}).TrustedRoot()
	if err != nil {
		t.Fatal(err)
	}
	if err := keyless.CheckRoot(ours); err != nil {
		t.Errorf("good: %v", err)
	}
	for _, list := range []string{"certificateAuthorities", "timestampAuthorities"} {
		var a, b map[string]any
		if json.Unmarshal(ours, &a) != nil || json.Unmarshal(theirs, &b) != nil {
			t.Fatal("no JSON")
		}
		chain := func(m map[string]any) []any {
			return m[list].([]any)[0].(map[string]any)["certChain"].(map[string]any)["certificates"].([]any)
		}
		chain(a)[len(chain(a))-1] = chain(b)[len(chain(b))-1]
		mixed, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if err := keyless.CheckRoot(mixed); err == nil || !strings.Contains(err.Error(), "not issued by the next") {
			t.Errorf("%s of two instances: %v", list, err)
		}
	}
}

// FuzzParseRoot: a file that a person names may hold anything.
func FuzzParseRoot(f *testing.F) {
	good, err := newInstance(f, sigtest.Options{}).TrustedRoot()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"mediaType":"application/vnd.dev.sigstore.trustedroot+json;version=0.1","tlogs":[{}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := keyless.ParseRoot(b); (r == nil) == (err == nil) {
			t.Errorf("got %v and %v", r, err)
		}
	})
}

// FuzzOpen: whatever is served as a bundle is refused with a reason.
func FuzzOpen(f *testing.F) {
	in := newInstance(f, sigtest.Options{})
	good := in.sign(statement(), sigtest.GitHub("acme", "tools"))
	f.Add(good)
	f.Add(good[:len(good)-3])
	f.Add([]byte(`{"mediaType":"` + ledger.BundleType + `","verificationMaterial":{"certificate":{"rawBytes":"MAA="},"tlogEntries":[{}],"timestampVerificationData":{"rfc3161Timestamps":[{}]}},"dsseEnvelope":{"payloadType":"` + ledger.PayloadType + `","signatures":[{}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := in.policy.Evidence(b, subject, ledger.PredicateAcceptance)
		if err == nil && !bytes.Equal(ledger.Encode(s), ledger.Encode(statement())) {
			t.Errorf("a statement that nobody signed: %+v", s)
		}
		if err != nil && (fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) == "") {
			t.Errorf("a refusal without a reason: %v", err)
		}
		if err == nil && in.oracle(b) != nil {
			t.Errorf("accepted, and sigstore-go refuses: %v", in.oracle(b))
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	for name, c := range map[string]struct {
		o      sigtest.Options
		change []sigtest.Change
	}{
		"P256-RekorV2": {},
		// As the public-good instance: chains on P-384, Rekor of version 1.
		"P384-RekorV1": {sigtest.Options{P384: true}, []sigtest.Change{sigtest.OlderLog}},
		"P384-RekorV2": {sigtest.Options{P384: true}, nil},
	} {
		b.Run(name, func(b *testing.B) {
			in := newInstance(b, c.o)
			bundle := in.sign(statement(), sigtest.GitHub("acme", "tools"), c.change...)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := in.policy.Evidence(bundle, subject, ledger.PredicateAcceptance); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestMain asks whether every reason of Sigstore's was provoked.
func TestMain(m *testing.M) {
	code := m.Run()
	if run := flag.Lookup("test.run"); code == 0 && run.Value.String() == "" && flag.Lookup("test.list").Value.String() == "" && flag.Lookup("test.fuzz").Value.String() == "" {
		for _, r := range verify.SigstoreReasons() {
			if !refusals[r] {
				fmt.Fprintf(os.Stderr, "no test of this package provokes a refusal for %q\n", r)
				code = 1
			}
		}
	}
	os.Exit(code)
}
