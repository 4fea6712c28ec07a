package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// refusals is what the tests of this package have seen refused; the last test
// compares it with the list of reasons.
var refusals = map[verify.Reason]bool{}

func wantRefusal(t *testing.T, err error, want verify.Reason) {
	t.Helper()
	if fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != string(want) {
		t.Errorf("got %v (%v, %q), want a refusal for %q", err, fault.KindOf(err), fault.ReasonOf(err), want)
		return
	}
	refusals[want] = true
}

func TestAccepted(t *testing.T) {
	tr := newTree(t, "demo/tools")
	tr.publish("echo_text", "1.0.0")
	tr.publish("echo_text", "1.2.0")
	v, err := check(tr.policy, tr.fetch("echo_text@1.0.0"))
	if err != nil {
		t.Fatal(err)
	}
	if !v.OK() || v.Ref().At() != "echo_text@1.0.0" || !v.Ref().Pinned() || !bytes.Equal(v.Main(), source("echo_text", "1.0.0", nil)) {
		t.Errorf("verified %v with %d bytes", v.Ref(), len(v.Main()))
	}
	if again, err := tr.policy.Stored(v.Ref(), v.Stored()); err != nil || again.Ref() != v.Ref() {
		t.Errorf("what was verified does not verify again: %v", err)
	}
	if v, err := check(tr.policy, tr.fetch("echo_text")); err != nil || v.Ref().Version != "1.2.0" {
		t.Errorf("latest is %v, %v", v.Ref(), err)
	}
	if (verify.Verified{}).OK() {
		t.Error("the zero Verified says that it is verified")
	}
}

func TestAbsenceIsProved(t *testing.T) {
	tr := newTree(t, "demo/tools")
	tr.publish("echo_text", "1.0.0")
	for ref, reason := range map[string]string{"no_such_tool": "no_tool", "echo_text@9.9.9": "no_version"} {
		_, err := check(tr.policy, tr.fetch(ref))
		if fault.KindOf(err) != fault.NotFound || fault.ReasonOf(err) != reason {
			t.Errorf("%s: %v", ref, err)
		}
	}
	// A server that hides a name cannot also show the signed head.
	c := tr.fetch("echo_text@1.0.0")
	c.Chain.Bucket, c.Chain.Record = nil, nil
	_, err := check(tr.policy, c)
	wantRefusal(t, err, verify.ReasonBucket)
}

func TestZeroPolicyRefuses(t *testing.T) {
	tr := newTree(t, "demo/tools")
	tr.publish("echo_text", "1.0.0")
	c := tr.fetch("echo_text@1.0.0")
	for _, p := range []verify.Policy{
		{},
		{Registry: "demo/tools"},
		{Trust: tr.key.Trust()},
		{Registry: "demo/tools", Trust: ledger.Trust{Kind: "key"}},
		{Registry: "demo/tools", Trust: ledger.Trust{Kind: "keyless", Key: tr.key.Trust().Key}},
	} {
		_, err := check(p, c)
		wantRefusal(t, err, verify.ReasonPolicy)
	}
	var h verify.Head
	_, err := h.Record(c.Chain, "echo_text")
	wantRefusal(t, err, verify.ReasonPolicy)
	wantRefusal(t, h.Follows(nil, nil), verify.ReasonPolicy)
	if h.RevokedReason(c.Ref) == "" {
		t.Error("the zero head lets a release run")
	}
	var r verify.Record
	_, err = r.Release(c)
	wantRefusal(t, err, verify.ReasonPolicy)
	if _, err := check(tr.policy, c); err != nil {
		t.Errorf("the whole policy refuses too: %v", err)
	}
}

// flip changes one byte in the middle.
func flip(b []byte) []byte {
	out := bytes.Clone(b)
	out[len(out)/2] ^= 1
	return out
}

// TestTampering changes one thing of a candidate that is otherwise accepted.
func TestTampering(t *testing.T) {
	tr := newTree(t, "demo/tools")
	tr.publish("echo_text", "1.0.0")
	old := tr.fetch("echo_text@1.0.0")
	tr.publish("echo_text", "1.1.0")
	tr.publish("other_tool", "1.0.0")
	sibling, other := tr.fetch("echo_text@1.1.0"), tr.fetch("other_tool@1.0.0")
	evil := newTree(t, "demo/tools") // the same name, another key, another log
	evil.publish("first_tool", "1.0.0")
	evil.publish("echo_text", "1.0.0")
	forged := evil.fetch("echo_text@1.0.0")
	foreign := newTree(t, "demo/else")
	foreign.key, foreign.doc.Trust, foreign.policy.Trust = tr.key, tr.key.Trust(), tr.key.Trust()
	foreign.store = registry.NewMemory() // another registry of the same maintainer
	foreign.seal(registry.Batch{})
	foreign.publish("echo_text", "1.0.0")
	stranger := foreign.fetch("echo_text@1.0.0")

	for name, attack := range map[string]struct {
		change func(c *spec.Candidate)
		want   verify.Reason
	}{
		"byte of the main file":               {func(c *spec.Candidate) { c.Files["tool.py"] = flip(c.Files["tool.py"]) }, verify.ReasonFile},
		"byte of another file":                {func(c *spec.Candidate) { c.Files["report.json"] = flip(c.Files["report.json"]) }, verify.ReasonFile},
		"a file is missing":                   {func(c *spec.Candidate) { delete(c.Files, "report.json") }, verify.ReasonFile},
		"a file too many":                     {func(c *spec.Candidate) { c.Files["extra.txt"] = []byte("x") }, verify.ReasonFile},
		"main file of another version":        {func(c *spec.Candidate) { c.Files["tool.py"] = sibling.Files["tool.py"] }, verify.ReasonFile},
		"release.json of another version":     {func(c *spec.Candidate) { c.Release = sibling.Release }, verify.ReasonRelease},
		"byte of release.json":                {func(c *spec.Candidate) { c.Release = flip(c.Release) }, verify.ReasonRelease},
		"no release.json":                     {func(c *spec.Candidate) { c.Release = nil }, verify.ReasonRelease},
		"a whole other version":               {func(c *spec.Candidate) { swap(c, sibling) }, verify.ReasonRelease},
		"a whole other tool":                  {func(c *spec.Candidate) { swap(c, other) }, verify.ReasonRelease},
		"evidence of another version":         {func(c *spec.Candidate) { c.Evidence = sibling.Evidence }, verify.ReasonSubject},
		"evidence of another tool":            {func(c *spec.Candidate) { c.Evidence = other.Evidence }, verify.ReasonSubject},
		"evidence of the head":                {func(c *spec.Candidate) { c.Evidence = c.Chain.HeadEvidence }, verify.ReasonPredicate},
		"no evidence":                         {func(c *spec.Candidate) { c.Evidence = nil }, verify.ReasonBundle},
		"evidence that is no bundle":          {func(c *spec.Candidate) { c.Evidence = []byte("{}\n") }, verify.ReasonBundle},
		"evidence of 300 KB":                  {func(c *spec.Candidate) { c.Evidence = bytes.Repeat([]byte(" "), 300<<10) }, verify.ReasonBundle},
		"evidence of another key":             {func(c *spec.Candidate) { c.Evidence = forged.Evidence }, verify.ReasonKey},
		"another key under the right hint":    {func(c *spec.Candidate) { c.Evidence = rehint(t, forged.Evidence, tr.key.Trust().Key) }, verify.ReasonSignature},
		"payload changed":                     {func(c *spec.Candidate) { c.Evidence = repayload(t, c.Evidence) }, verify.ReasonSignature},
		"evidence of another registry":        {func(c *spec.Candidate) { c.Evidence = stranger.Evidence }, verify.ReasonSubject},
		"no proof":                            {func(c *spec.Candidate) { c.Proof = nil }, verify.ReasonLog},
		"proof of another version":            {func(c *spec.Candidate) { c.Proof = sibling.Proof }, verify.ReasonLog},
		"proof of another log":                {func(c *spec.Candidate) { c.Proof = forged.Proof }, verify.ReasonLog},
		"byte of the proof":                   {func(c *spec.Candidate) { c.Proof = flip(c.Proof) }, verify.ReasonLog},
		"head of another key":                 {func(c *spec.Candidate) { c.Chain = forged.Chain }, verify.ReasonKey},
		"head of another registry":            {func(c *spec.Candidate) { c.Chain = stranger.Chain }, verify.ReasonSubject},
		"byte of head.json":                   {func(c *spec.Candidate) { c.Chain.Head = flip(c.Chain.Head) }, verify.ReasonHead},
		"head.json of an older head":          {func(c *spec.Candidate) { c.Chain.Head = old.Chain.Head }, verify.ReasonHead},
		"evidence of an older head":           {func(c *spec.Candidate) { c.Chain.HeadEvidence = old.Chain.HeadEvidence }, verify.ReasonHead},
		"evidence of a release over the head": {func(c *spec.Candidate) { c.Chain.HeadEvidence = c.Evidence }, verify.ReasonPredicate},
		"revoked list":                        {func(c *spec.Candidate) { c.Chain.Revoked = flip(c.Chain.Revoked) }, verify.ReasonRevoked},
		"no revoked list":                     {func(c *spec.Candidate) { c.Chain.Revoked = nil }, verify.ReasonRevoked},
		"buckets of an older head":            {func(c *spec.Candidate) { c.Chain.Buckets = old.Chain.Buckets }, verify.ReasonBuckets},
		"bucket":                              {func(c *spec.Candidate) { c.Chain.Bucket = flip(c.Chain.Bucket) }, verify.ReasonBucket},
		"record of an older head":             {func(c *spec.Candidate) { c.Chain.Record = old.Chain.Record }, verify.ReasonRecord},
		"record is hidden":                    {func(c *spec.Candidate) { c.Chain.Record = nil }, verify.ReasonRecord},
		"pinned to another digest":            {func(c *spec.Candidate) { c.Ref.Digest = spec.DigestOf([]byte("x")) }, verify.ReasonRelease},
	} {
		t.Run(name, func(t *testing.T) {
			c := tr.fetch("echo_text@1.0.0")
			if _, err := check(tr.policy, c); err != nil {
				t.Fatalf("untouched: %v", err)
			}
			attack.change(&c)
			v, err := check(tr.policy, c)
			wantRefusal(t, err, attack.want)
			if v.OK() {
				t.Error("a refusal comes with a verified release")
			}
		})
	}
	// The twin of the last row: pinned to the right digest.
	c := tr.fetch("echo_text@1.0.0")
	c.Ref.Digest = spec.DigestOf(c.Release)
	if _, err := check(tr.policy, c); err != nil {
		t.Errorf("pinned to its own digest: %v", err)
	}
}

// swap serves the files and evidence of another release under the record.
func swap(c *spec.Candidate, from spec.Candidate) {
	c.Release, c.Evidence, c.Proof, c.Files = from.Release, from.Evidence, from.Proof, from.Files
}

func rehint(t *testing.T, evidence, key []byte) []byte {
	t.Helper()
	b, err := ledger.ParseBundle(evidence)
	if err != nil {
		t.Fatal(err)
	}
	b.Material.PublicKey.Hint = ledger.KeyHint(key)
	return ledger.Encode(b)
}

func repayload(t *testing.T, evidence []byte) []byte {
	t.Helper()
	b, err := ledger.ParseBundle(evidence)
	if err != nil {
		t.Fatal(err)
	}
	b.Envelope.Payload = bytes.Replace(b.Envelope.Payload, []byte(`"login":"ann"`), []byte(`"login":"eve"`), 1)
	return ledger.Encode(b)
}

// insider has the registry's key and signs what its own tools never would:
// what is checked beyond the signature must hold by itself.
type insider struct {
	t    *testing.T
	tr   *tree
	c    spec.Candidate
	stmt *ledger.Statement
	acc  *ledger.Acceptance
}

func newInsider(t *testing.T, tr *tree) *insider {
	t.Helper()
	in := &insider{t: t, tr: tr, c: tr.fetch("echo_text@1.0.0")}
	b, err := ledger.ParseBundle(in.c.Evidence)
	if err != nil {
		t.Fatal(err)
	}
	if in.stmt, err = ledger.ParseStatement(b.Envelope.Payload); err != nil {
		t.Fatal(err)
	}
	if in.acc, err = ledger.ParseAcceptance(in.stmt); err != nil {
		t.Fatal(err)
	}
	return in
}

func (in *insider) sign() spec.Candidate {
	in.t.Helper()
	body := ledger.Encode(in.acc)
	in.stmt.Predicate = body[:len(body)-1]
	return in.signAs(ledger.Encode(in.stmt))
}

func (in *insider) signAs(payload []byte) spec.Candidate {
	in.t.Helper()
	// The key's own Sign refuses statements that would not verify, so sign by hand.
	pub := in.tr.key.Trust().Key
	sig, err := in.tr.key.SignRaw(ledger.PAE(ledger.PayloadType, payload))
	if err != nil {
		in.t.Fatal(err)
	}
	in.c.Evidence = ledger.Encode(ledger.NewBundle(ledger.KeyHint(pub), payload, sig))
	return in.c
}

func TestValidSignatureOverTheWrongThing(t *testing.T) {
	tr := newTree(t, "demo/tools")
	tr.publish("echo_text", "1.0.0")
	for name, attack := range map[string]struct {
		change func(in *insider)
		want   verify.Reason
	}{
		"nothing changed":          {func(*insider) {}, ""},
		"another predicate type":   {func(in *insider) { in.stmt.PredicateType = "https://slsa.dev/provenance/v1" }, verify.ReasonPredicate},
		"head predicate":           {func(in *insider) { in.stmt.PredicateType = ledger.PredicateHead }, verify.ReasonPredicate},
		"another statement type":   {func(in *insider) { in.stmt.Type = "https://in-toto.io/Statement/v0.1" }, verify.ReasonStatement},
		"two subjects":             {func(in *insider) { in.stmt.Subject = append(in.stmt.Subject, in.stmt.Subject[0]) }, verify.ReasonStatement},
		"no subject":               {func(in *insider) { in.stmt.Subject = nil }, verify.ReasonStatement},
		"subject of a sibling":     {func(in *insider) { in.stmt.Subject[0].Name = "pkg:patch-git/demo/tools/echo_text@1.0.1" }, verify.ReasonSubject},
		"subject has another file": {func(in *insider) { in.stmt.Subject[0].Digest.SHA256 = spec.DigestOf(nil) }, verify.ReasonSubject},
		"predicate of a sibling":   {func(in *insider) { in.acc.Version = "1.0.1" }, verify.ReasonSubject},
		"predicate of a registry":  {func(in *insider) { in.acc.Registry.Name = "demo/else" }, verify.ReasonRegistry},
		"another release.json":     {func(in *insider) { in.acc.Release = spec.DigestOf(nil) }, verify.ReasonRelease},
		"another list of files":    {func(in *insider) { in.acc.Files = in.acc.Files[:1] }, verify.ReasonFile},
		"more permissions":         {func(in *insider) { in.acc.Permissions.Network = true }, verify.ReasonManifest},
		"another log":              {func(in *insider) { in.acc.Log.Root = spec.DigestOf(nil) }, verify.ReasonLog},
		"a longer log":             {func(in *insider) { in.acc.Log.Size++ }, verify.ReasonLog},
		"another report":           {func(in *insider) { in.acc.Report = spec.DigestOf(nil) }, verify.ReasonFile},
		"a closure out of nowhere": {func(in *insider) { d := spec.DigestOf(nil); in.acc.Closure = &d }, verify.ReasonFile},
	} {
		t.Run(name, func(t *testing.T) {
			in := newInsider(t, tr)
			attack.change(in)
			_, err := check(tr.policy, in.sign())
			if attack.want == "" {
				if err != nil {
					t.Errorf("signed again without a change: %v", err)
				}
				return
			}
			wantRefusal(t, err, attack.want)
		})
	}
	in := newInsider(t, tr)
	var loose map[string]any
	if err := json.Unmarshal(ledger.Encode(in.stmt), &loose); err != nil {
		t.Fatal(err)
	}
	loose["extra"] = true
	payload, err := json.Marshal(loose)
	if err != nil {
		t.Fatal(err)
	}
	_, err = check(tr.policy, in.signAs(append(payload, '\n')))
	wantRefusal(t, err, verify.ReasonStatement)
}

// TestWritingIsNotHidden is the twin: letters of any script and emoji are no
// hidden characters.
func TestWritingIsNotHidden(t *testing.T) {
	tr := newTree(t, "demo/tools")
	tr.accept(release(t, "echo_text", "1.0.0", func(t *spec.Tool) {
		t.Description = "Gibt den Text zurück, auch متن و हिन्दी 👩‍👩‍👧."
	}))
	if _, err := check(tr.policy, tr.fetch("echo_text@1.0.0")); err != nil {
		t.Error(err)
	}
}

// TestManifestIsReadAgain: a registry that accepts what it must not is not believed.
func TestManifestIsReadAgain(t *testing.T) {
	for name, change := range map[string]func(*spec.Release){
		"invalid manifest": func(r *spec.Release) {
			r.Files[1].Data = bytes.Replace(r.Files[1].Data, []byte("# runtime:"), []byte("# runtyme:"), 1)
		},
		"another name": func(r *spec.Release) { r.Files[1].Data = source("other_name", "1.0.0", nil) },
		"a hidden order to the model": func(r *spec.Release) {
			r.Files[1].Data = bytes.Replace(r.Files[1].Data, []byte("Returns the text"), []byte("Returns the text\U000E0041\U000E0042"), 1)
		},
		"text that runs backwards": func(r *spec.Release) {
			r.Files[1].Data = bytes.Replace(r.Files[1].Data, []byte("Returns the text"), []byte("Returns \u202Ethe text\u202C"), 1)
		},
		"another permission": func(r *spec.Release) {
			r.Files[1].Data = source("echo_text", "1.0.0", func(t *spec.Tool) { t.Capabilities.Network = true })
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTree(t, "demo/tools")
			r := release(t, "echo_text", "1.0.0", nil)
			change(r)
			tr.accept(r)
			_, err := check(tr.policy, tr.fetch("echo_text@1.0.0"))
			wantRefusal(t, err, verify.ReasonManifest)
		})
	}
}

func copyOf(t *testing.T, m *registry.Memory) *registry.Memory {
	t.Helper()
	out := registry.NewMemory()
	for path, data := range m.Files() {
		if err := out.Write(t.Context(), path, data, true); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestFollows(t *testing.T) {
	tr := newTree(t, "demo/tools")
	tr.publish("echo_text", "1.0.0")
	first := tr.head()
	fork := &tree{t: t, key: tr.key, store: copyOf(t, tr.store), doc: tr.doc, clock: tr.clock, policy: tr.policy}
	tr.publish("echo_text", "1.1.0")
	second := tr.head()
	fork.publish("other_tool", "1.0.0")
	fork.publish("other_tool", "1.1.0")
	read := registry.ReadTile(context.Background(), tr.store)
	forkRead := registry.ReadTile(context.Background(), fork.store)

	seen := func(h verify.Head) *verify.Seen { s := h.Seen(); return &s }
	for name, err := range map[string]error{
		"the first head": first.Follows(nil, read), "the same head": second.Follows(seen(second), read), "the next head": second.Follows(seen(first), read),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantRefusal(t, first.Follows(seen(second), read), verify.ReasonRollback)
	wantRefusal(t, fork.head().Follows(seen(second), forkRead), verify.ReasonSplitView) // longer, but not a continuation
	twin := *seen(second)
	twin.Digest[0] ^= 1
	wantRefusal(t, second.Follows(&twin, read), verify.ReasonSplitView)
	longer := *seen(first)
	longer.Log.Size = 99
	wantRefusal(t, second.Follows(&longer, read), verify.ReasonRollback)

	// A tile that cannot be had is an outage, not a verdict.
	down := fault.New(fault.Unavailable, "network", "the server is down")
	if err := second.Follows(seen(first), func(string) ([]byte, error) { return nil, down }); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without tiles: %v", err)
	}
	if err := second.Follows(seen(first), func(string) ([]byte, error) { return nil, context.Canceled }); fault.KindOf(err) != fault.Interrupted {
		t.Errorf("interrupted while reading tiles: %v", err)
	}
	if err := second.Follows(seen(first), func(p string) ([]byte, error) {
		b, err := read(p)
		return flip(b), err
	}); fault.ReasonOf(err) != string(verify.ReasonSplitView) {
		t.Errorf("with damaged tiles: %v", err)
	}
}

func TestRevoked(t *testing.T) {
	tr := newTree(t, "demo/tools")
	tr.publish("echo_text", "1.0.0")
	tr.publish("echo_text", "1.1.0")
	tr.seal(registry.Batch{Withdraw: []registry.Withdrawal{{Event: ledger.EventRevoke, Name: "echo_text", Version: "1.1.0", Reason: "malware"}}})
	h := tr.head()
	if got := h.RevokedReason(spec.Ref{Name: "echo_text", Version: "1.1.0"}); got != "malware" {
		t.Errorf("reason is %q", got)
	}
	if got := h.RevokedReason(spec.Ref{Name: "echo_text", Version: "1.0.0"}); got != "" {
		t.Errorf("1.0.0 is revoked too: %q", got)
	}
	if v, err := check(tr.policy, tr.fetch("echo_text")); err != nil || v.Ref().Version != "1.0.0" {
		t.Errorf("latest is %v, %v", v.Ref(), err)
	}
}

func TestCatalogueIsBoundToTheHead(t *testing.T) {
	tr := newTree(t, "demo/tools")
	tr.publish("echo_text", "1.0.0")
	data, err := tr.store.Read(context.Background(), ledger.CataloguePath, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := tr.head().Catalogue(data); err != nil || len(list) != 1 {
		t.Errorf("got %v, %v", list, err)
	}
	_, err = tr.head().Catalogue(flip(data))
	wantRefusal(t, err, verify.ReasonRecord)
}

// TestMain asks, when all tests have run, whether each reason was seen: one
// that no test provokes is either dead or untested.
func TestMain(m *testing.M) {
	code := m.Run()
	if run := flag.Lookup("test.run"); code == 0 && run.Value.String() == "" && flag.Lookup("test.list").Value.String() == "" {
		for _, r := range append(verify.Reasons(), verify.IdentityReasons()...) {
			if !refusals[r] {
				fmt.Fprintf(os.Stderr, "no test of this package provokes a refusal for %q\n", r)
				code = 1
			}
		}
	}
	os.Exit(code)
}

func BenchmarkStored(b *testing.B) {
	tr := newTree(b, "demo/tools")
	tr.publish("echo_text", "1.0.0")
	v, err := check(tr.policy, tr.fetch("echo_text@1.0.0"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := tr.policy.Stored(v.Ref(), v.Stored()); err != nil {
			b.Fatal(err)
		}
	}
}
