package keyless_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyless"
	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// job is a job of GitHub's in a test: the services, and the signer as the
// product makes it.
type job struct {
	*instance
	server *sigtest.Server
	opts   keyless.WorkflowOptions
}

func newJob(t *testing.T, c sigtest.Claims) *job {
	t.Helper()
	j := &job{instance: newInstance(t, sigtest.Options{})}
	j.server = j.Serve(t, c)
	env := map[string]string{"ACTIONS_ID_TOKEN_REQUEST_URL": j.server.TokenURL, "ACTIONS_ID_TOKEN_REQUEST_TOKEN": j.server.RequestToken}
	client := &http.Client{}
	j.opts = keyless.WorkflowOptions{
		Token:  keyless.GitHubToken(func(k string) string { return env[k] }, client),
		Config: j.server.SigningConfig, HTTP: client, Now: time.Now,
		Check: func(bundle []byte, s *ledger.Statement) error {
			_, err := j.policy.Evidence(bundle, s.Subject[0].Name, s.PredicateType)
			return err
		},
		Pause: func(int) time.Duration { return time.Millisecond },
	}
	return j
}

func (j *job) workflow(t *testing.T) *keyless.Workflow {
	t.Helper()
	w, err := keyless.NewWorkflow(j.opts)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWorkflowSigns(t *testing.T) {
	j := newJob(t, sigtest.GitHub("acme", "tools"))
	b, err := j.workflow(t).Sign(t.Context(), statement())
	if err != nil {
		t.Fatal(err)
	}
	j.accepts(b)
	if n, err := j.workflow(t).SignCheckpoint(t.Context(), registryName, ledger.LogRoot{}); n != nil || err != nil {
		t.Errorf("a note without a key: %q, %v", n, err)
	}
}

// door counts the hosts that are asked through it.
type door struct {
	mu    sync.Mutex
	hosts map[string]int
}

func (d *door) RoundTrip(r *http.Request) (*http.Response, error) {
	d.mu.Lock()
	d.hosts[r.URL.Host]++
	d.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

// TestOneDoor: no service is asked but through the transport that was given,
// which knows the host's proxy.
func TestOneDoor(t *testing.T) {
	j := newJob(t, sigtest.GitHub("acme", "tools"))
	d := &door{hosts: map[string]int{}}
	j.opts.HTTP = &http.Client{Transport: d}
	if _, err := j.workflow(t).Sign(t.Context(), statement()); err != nil {
		t.Fatal(err)
	}
	if len(d.hosts) != 3 {
		t.Errorf("asked were %v, not a certificate authority, a timestamp authority and a log", d.hosts)
	}
}

// TestWorkflowOfAnother: a bundle that clients would refuse is not returned.
func TestWorkflowOfAnother(t *testing.T) {
	c := sigtest.GitHub("acme", "tools")
	c.EventName = "workflow_dispatch"
	j := newJob(t, c)
	b, err := j.workflow(t).Sign(t.Context(), statement())
	if b != nil || fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != "identity:trigger" {
		t.Errorf("got %d bytes, %v", len(b), err)
	}
	// Nor one that a service spoiled.
	j = newJob(t, sigtest.GitHub("acme", "tools"))
	j.server.Misbehave(sigtest.NoSCT)
	if b, err := j.workflow(t).Sign(t.Context(), statement()); b != nil || fault.KindOf(err) != fault.NotVerified {
		t.Errorf("without a log of certificates: %d bytes, %v", len(b), err)
	}
	j.server.Misbehave()
	if _, err := j.workflow(t).Sign(t.Context(), statement()); err != nil {
		t.Errorf("honest again: %v", err)
	}
}

// TestOutages: each service may be out of order for a while; each may say no
// for good, and then it is asked once.
func TestOutages(t *testing.T) {
	for _, service := range []string{sigtest.ServiceToken, sigtest.ServiceFulcio, sigtest.ServiceTSA, sigtest.ServiceRekor} {
		t.Run(service, func(t *testing.T) {
			j := newJob(t, sigtest.GitHub("acme", "tools"))
			for _, status := range []int{503, 429, 500} {
				j.server.FailNext(service, 2, status)
				b, err := j.workflow(t).Sign(t.Context(), statement())
				if err != nil {
					t.Fatalf("after two answers %d: %v", status, err)
				}
				j.accepts(b)
			}
			j.server.FailNext(service, 100, 503)
			if _, err := j.workflow(t).Sign(t.Context(), statement()); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("out of order: %v", err)
			}
			j = newJob(t, sigtest.GitHub("acme", "tools"))
			j.server.FailNext(service, 100, 403)
			_, err := j.workflow(t).Sign(t.Context(), statement())
			if fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != "signing_refused" {
				t.Errorf("refused: %v (%v)", err, fault.KindOf(err))
			}
			if n := j.server.Requests(service); n != 1 {
				t.Errorf("asked %d times after a no", n)
			}
		})
	}
}

// TestManyStatements: many at once, each with its own key and certificate.
func TestManyStatements(t *testing.T) {
	j := newJob(t, sigtest.GitHub("acme", "tools"))
	w := j.workflow(t)
	var group sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]bool{}
	for i := range 24 {
		group.Go(func() {
			s := ledger.NewStatement(subject, spec.DigestOf([]byte{byte(i)}), ledger.PredicateAcceptance, map[string]int{"n": i})
			b, err := w.Sign(t.Context(), s)
			if err != nil {
				t.Error(err)
				return
			}
			got, err := j.policy.Evidence(b, subject, ledger.PredicateAcceptance)
			if err != nil || got.Subject[0].Digest != s.Subject[0].Digest {
				t.Errorf("statement %d: %+v, %v", i, got, err)
			}
			mu.Lock()
			seen[string(b)] = true
			mu.Unlock()
		})
	}
	group.Wait()
	if len(seen) != 24 || j.server.Requests(sigtest.ServiceFulcio) != 24 {
		t.Errorf("%d bundles, %d certificates", len(seen), j.server.Requests(sigtest.ServiceFulcio))
	}
}

func TestCancelledSigning(t *testing.T) {
	j := newJob(t, sigtest.GitHub("acme", "tools"))
	for _, service := range []string{sigtest.ServiceToken, sigtest.ServiceFulcio, sigtest.ServiceTSA, sigtest.ServiceRekor} {
		j.server.Delay(service, time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		began := time.Now()
		_, err := j.workflow(t).Sign(ctx, statement())
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 10*time.Second {
			t.Errorf("%s: %v after %v", service, err, time.Since(began))
		}
		j.server.Delay(service, 0)
	}
}

func TestNoIdentity(t *testing.T) {
	j := newJob(t, sigtest.GitHub("acme", "tools"))
	j.opts.Token = keyless.GitHubToken(func(string) string { return "" }, &http.Client{})
	_, err := j.workflow(t).Sign(t.Context(), statement())
	if fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != "no_identity" || !strings.Contains(strings.Join(fault.HintsOf(err), " "), "id-token: write") {
		t.Errorf("got %v, %q", err, fault.HintsOf(err))
	}
	if n := j.server.Requests(sigtest.ServiceFulcio); n != 0 {
		t.Errorf("Fulcio was asked %d times", n)
	}
}

func TestSigningConfig(t *testing.T) {
	j := newJob(t, sigtest.GitHub("acme", "tools"))
	for name, change := range map[string]func(*keyless.WorkflowOptions){
		"no configuration": func(o *keyless.WorkflowOptions) { o.Config = nil },
		"no JSON":          func(o *keyless.WorkflowOptions) { o.Config = []byte("\x1b[2J") },
		"too large":        func(o *keyless.WorkflowOptions) { o.Config = make([]byte, 2<<20) },
		"no check":         func(o *keyless.WorkflowOptions) { o.Check = nil },
		"no clock":         func(o *keyless.WorkflowOptions) { o.Now = nil },
		"another century": func(o *keyless.WorkflowOptions) {
			o.Now = func() time.Time { return time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC) }
		},
		"no timestamp authority": func(o *keyless.WorkflowOptions) {
			o.Config = []byte(strings.Replace(string(o.Config), "tsaUrls", "caUrls2", 1))
		},
	} {
		o := j.opts
		change(&o)
		if w, err := keyless.NewWorkflow(o); err == nil || w != nil {
			t.Errorf("%s: a signer", name)
		} else if strings.ContainsAny(err.Error(), "\x1b") {
			t.Errorf("%s: foreign text in %q", name, err)
		}
	}
}
