// Package realtest has the tests of signing and verifying without a key against
// the services of Sigstore themselves, on this machine: Fulcio, the timestamp
// authority and Rekor v2, built as they were released. What is not theirs is an
// issuer of identity tokens with GitHub's name and a log of certificates.
//
// TestCommands runs the program itself, as its users do. The other tests ask
// package keyless what no command shows, and how it stands up to what no
// command meets twice.
//
// They run by "make test-sigstore" and "make test-release" alone. What the services do is otherwise
// played by package sigtest, in the process and in milliseconds; here is proved
// that it plays them well.
package realtest

import (
	"bytes"
	"context"
	"encoding/asn1"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/sigstore/sigstore-go/pkg/bundle"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyless"
	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/verify"
)

// signTime is plenty for one signature: Rekor answers when its next checkpoint
// is there, after a second.
const signTime = 30 * time.Second

// TestStandIn: for the same claims Fulcio writes into a certificate what
// package sigtest does, on which all other tests rely.
func TestStandIn(t *testing.T) {
	in := newInstance(t)
	stand, err := sigtest.New(sigtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bare := sigtest.GitHub("acme", "tools") // without an environment
	for name, c := range map[string]sigtest.Claims{"environment": in.own, "no environment": bare} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), signTime)
			defer cancel()
			real, err := in.sign(ctx, t, c, statement(1))
			if real == nil {
				t.Fatal(err)
			}
			played, err := stand.Sign(ledger.Encode(statement(1)), c)
			if err != nil {
				t.Fatal(err)
			}
			got, want := extensions(t, played), extensions(t, real)
			for _, id := range slices.Sorted(maps.Keys(want)) {
				if got[id] != want[id] {
					t.Errorf("%s is %q, of Fulcio %q", id, got[id], want[id])
				}
			}
			if len(got) != len(want) || len(got) < 20 {
				t.Errorf("there are %d extensions, of Fulcio %d", len(got), len(want))
			}
		})
	}
}

// extensions are Fulcio's own in the certificate of a bundle, and the name.
func extensions(t *testing.T, data []byte) map[string]string {
	t.Helper()
	b := &bundle.Bundle{}
	if err := b.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	content, err := b.VerificationContent()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	arc := asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57264, 1}
	for _, e := range content.Certificate().Extensions {
		// The first two bytes of a name's extension are DER's.
		if name := (asn1.ObjectIdentifier{2, 5, 29, 17}); e.Id.Equal(name) || len(e.Id) > len(arc) && e.Id[:len(arc)].Equal(arc) {
			all[e.Id.String()] = fmt.Sprintf("%v %q", e.Critical, e.Value)
		}
	}
	return all
}

// TestImpostors: Fulcio rightly gives each of them a certificate. It is refused
// for the one thing in which it differs, beside its twin that does not.
func TestImpostors(t *testing.T) {
	in := newInstance(t)
	cosign := in.cosign(t)
	js, why := in.js(t)
	if js == nil {
		t.Log("no opinion of sigstore-js: " + why)
	}
	impostors := sigtest.Impostors(in.own)
	type signed struct {
		data []byte
		err  error
	}
	bundles, twins := make([]signed, len(impostors)), make([]signed, len(impostors))
	ctx, cancel := context.WithTimeout(t.Context(), 2*signTime)
	defer cancel()
	var all sync.WaitGroup
	for i, im := range impostors {
		all.Go(func() { bundles[i].data, bundles[i].err = in.sign(ctx, t, im.Claims, statement(i)) })
		all.Go(func() { twins[i].data, twins[i].err = in.sign(ctx, t, in.own, statement(i)) })
	}
	all.Wait()

	san, issuer := in.policy.Trust.Identity.SAN, in.policy.Trust.Identity.Issuer
	word := func(err error) string {
		if err != nil {
			return "refused"
		}
		return "ACCEPTED"
	}
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "signed by\tcosign: name and issuer\tsigstore-js: name and issuer\tpatch-git")
	for i, im := range impostors {
		t.Run(im.Name, func(t *testing.T) {
			if bundles[i].data == nil {
				t.Fatalf("not signed: %v", bundles[i].err)
			}
			_, ours := in.evidence(bundles[i].data)
			want := "identity:" + im.Field
			if fault.KindOf(ours) != fault.NotVerified || fault.ReasonOf(ours) != want {
				t.Errorf("got %v (%q), want a refusal for %q", ours, fault.ReasonOf(ours), want)
			}
			// Who signs would have noticed, and hands nothing out.
			if err := bundles[i].err; fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != want {
				t.Errorf("signing: got %v, want a refusal for %q", err, want)
			}
			if twins[i].err != nil {
				t.Errorf("its twin: %v", twins[i].err)
			} else if _, err := in.evidence(twins[i].data); err != nil {
				t.Errorf("its twin is refused: %v", err)
			}

			theirs := cosign(t, in.attestation(bundles[i].data), san, issuer)
			if same := im.Field != "san" && im.Field != "issuer"; (theirs == nil) != same {
				t.Errorf("cosign, asked for name and issuer alone: %v", theirs)
			}
			others := "-"
			if js != nil {
				err := js(t, in.attestation(bundles[i].data), san, issuer)
				if others = word(err); (err == nil) != (theirs == nil) {
					t.Errorf("sigstore-js says %v, cosign %v", err, theirs)
				}
			}
			fmt.Fprintf(columns, "%s\t%s\t%s\t%s %s\n", im.Name, word(theirs), others, word(ours), fault.ReasonOf(ours))
		})
	}
	fmt.Fprintf(columns, "the workflow itself\t%s\t\t%s\n", word(cosign(t, in.attestation(twins[0].data), san, issuer)), word(twins[0].err))
	columns.Flush()
	t.Logf("what others accept who are asked for the name and the issuer alone:\n%s", table.String())
}

// TestParallel: a registry that publishes many versions at once.
func TestParallel(t *testing.T) {
	in := newInstance(t)
	const n = 20
	ctx, cancel := context.WithTimeout(t.Context(), 2*signTime)
	defer cancel()
	w, err := keyless.NewWorkflow(in.options(in.own))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			data, err := w.Sign(ctx, statement(i))
			if err != nil {
				t.Error(err)
				return
			}
			if got, err := in.evidence(data); err != nil || !bytes.Equal(ledger.Encode(got), ledger.Encode(statement(i))) {
				t.Errorf("statement %d: %+v, %v", i, got, err)
			}
		})
	}
	all.Wait()
	t.Logf("%d signatures in %.2f s", n, time.Since(began).Seconds())
}

// TestOutOfOrder: a service that is gone makes no bundle and no one wait for
// long, and neither does one that takes requests and answers none.
func TestOutOfOrder(t *testing.T) {
	in := newInstance(t)
	sign := func(within time.Duration) error {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		began := time.Now()
		_, err := in.sign(ctx, t, in.own, statement(1))
		if took := time.Since(began); took > within+5*time.Second {
			t.Errorf("it took %v", took)
		}
		return err
	}
	if err := sign(signTime); err != nil {
		t.Fatalf("before: %v", err)
	}
	for _, s := range []*service{in.fulcio, in.tsa, in.rekor} {
		t.Run(s.name+" frozen", func(t *testing.T) {
			if err := freeze(s.cmd); err != nil {
				t.Skip(err)
			}
			err := sign(2 * time.Second)
			if err2 := thaw(s.cmd); err2 != nil {
				t.Fatal(err2)
			}
			if fault.KindOf(err) != fault.Unavailable {
				t.Errorf("got %v (%v)", err, fault.KindOf(err))
			}
			if err := sign(signTime); err != nil {
				t.Errorf("thawed: %v", err)
			}
		})
	}
	// The last one that is asked goes first, so that each is the one to fail.
	for _, c := range []struct {
		name string
		stop func()
	}{
		{in.rekor.name, in.rekor.stop},
		{in.tsa.name, in.tsa.stop},
		{in.fulcio.name, in.fulcio.stop},
		{"GitHub's token", in.gitHub.tokens.Close},
	} {
		t.Run(c.name+" gone", func(t *testing.T) {
			c.stop()
			err := sign(signTime)
			if fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != "signing_service" {
				t.Errorf("got %v (%v, %q)", err, fault.KindOf(err), fault.ReasonOf(err))
			}
			t.Log(err)
		})
	}
}

// TestRefused: Fulcio says no for good to whoever has no good token, and that is
// told from being out of order.
func TestRefused(t *testing.T) {
	in := newInstance(t)
	good, err := in.gitHub.mint(in.own, "sigstore")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(good, ".")
	_, sig, _ := strings.Cut(rest, ".")
	claims := func(c sigtest.Claims, audience string) string {
		token, err := in.gitHub.mint(c, audience)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	forged, foreign := sigtest.GitHub("evil", "tools"), in.own
	foreign.Issuer = "https://gitlab.com"
	_, forgedRest, _ := strings.Cut(claims(forged, "sigstore"), ".")
	forgedBody, _, _ := strings.Cut(forgedRest, ".")
	for name, token := range map[string]string{
		"of another audience":       claims(in.own, "pypi"),
		"of an issuer not believed": claims(foreign, "sigstore"),
		"with other claims":         head + "." + forgedBody + "." + sig,
	} {
		t.Run(name, func(t *testing.T) {
			o := in.options(in.own)
			o.Token = func(context.Context) (string, error) { return token, nil }
			w, err := keyless.NewWorkflow(o)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), signTime)
			defer cancel()
			data, err := w.Sign(ctx, statement(1))
			if data != nil || fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != "signing_refused" {
				t.Errorf("%d bytes, %v (%v, %q)", len(data), err, fault.KindOf(err), fault.ReasonOf(err))
			}
			t.Log(err)
		})
	}
}

// TestOtherInstance: the services of one instance sign nothing for another.
func TestOtherInstance(t *testing.T) {
	var data []byte
	t.Run("one", func(t *testing.T) {
		in := newInstance(t)
		ctx, cancel := context.WithTimeout(t.Context(), signTime)
		defer cancel()
		var err error
		if data, err = in.sign(ctx, t, in.own, statement(1)); err != nil {
			t.Error(err)
		}
	})
	t.Run("other", func(t *testing.T) {
		if _, err := newInstance(t).evidence(data); fault.ReasonOf(err) != string(verify.ReasonRoot) {
			t.Errorf("got %v", err)
		}
	})
}
