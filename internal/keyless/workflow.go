package keyless

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"time"

	protobundle "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	protocommon "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	protodsse "github.com/sigstore/protobuf-specs/gen/pb-go/dsse"
	protorekor "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// WorkflowOptions say with what a workflow signs. All but Pause are compulsory.
type WorkflowOptions struct {
	// Token gives the identity token of the job; see [GitHubToken].
	Token func(ctx context.Context) (string, error)
	// Config is the signing_config.json of the Sigstore instance: which
	// services there are, where, and which version of their interface they speak.
	Config []byte
	HTTP   *http.Client
	Now    func() time.Time
	// Check holds a fresh bundle against the registry's whole policy. What it
	// refuses is not returned: a client would refuse it too.
	Check func(bundle []byte, s *ledger.Statement) error
	// Pause is waited before attempt n, from 1; nil waits longer each time.
	Pause func(n int) time.Duration
}

// Workflow signs as the workflow that it runs in: each statement with a key of
// its own that never leaves memory, a certificate from Fulcio for the job's
// identity, a signed time, and an entry in a transparency log.
type Workflow struct {
	opts   WorkflowOptions
	fulcio string
	stamps []string
	logs   []root.Service
	limit  chan struct{} // how many signatures are under way
}

// Of the services of an instance.
const (
	serviceTime  = 30 * time.Second
	logTime      = 90 * time.Second // a log answers when its next checkpoint is there
	attempts     = 4
	signaturesUp = 8
)

// NewWorkflow reads the signing configuration and picks the services that are
// valid now and that this program can speak to.
func NewWorkflow(o WorkflowOptions) (*Workflow, error) {
	if o.Token == nil || o.HTTP == nil || o.Now == nil || o.Check == nil {
		return nil, fault.New(fault.Internal, "signing_options", "signing by a workflow needs a token, a client, a clock and a check")
	}
	if len(o.Config) > limits.TrustedRoot {
		return nil, fault.New(fault.Usage, "signing_config", "the signing configuration has %d bytes, allowed are %d", len(o.Config), limits.TrustedRoot)
	}
	c, err := root.NewSigningConfigFromJSON(o.Config)
	if err != nil {
		return nil, fault.New(fault.Usage, "signing_config", "the signing configuration is not readable: %s", spec.Quote(err.Error()))
	}
	w := &Workflow{opts: o, limit: make(chan struct{}, signaturesUp)}
	now := o.Now()
	ca, err := root.SelectService(c.FulcioCertificateAuthorityURLs(), fulcioVersions, now)
	if err != nil {
		return nil, noService("certificate authority", err)
	}
	w.fulcio = ca.URL
	stamps, err := root.SelectServices(c.TimestampAuthorityURLs(), c.TimestampAuthorityURLsConfig(), stampVersions, now)
	if err == nil && len(stamps) == 0 {
		// Always: an entry of Rekor v2 has no time, and a bundle must survive
		// the move to it.
		err = errors.New("none is listed")
	}
	if err != nil {
		return nil, noService("timestamp authority", err)
	}
	for _, s := range stamps {
		w.stamps = append(w.stamps, s.URL)
	}
	if w.logs, err = root.SelectServices(c.RekorLogURLs(), c.RekorLogURLsConfig(), logVersions, now); err != nil {
		return nil, noService("transparency log", err)
	}
	return w, nil
}

func noService(what string, err error) error {
	return fault.New(fault.Unavailable, "signing_config", "the signing configuration has no %s that can be used now: %s", what, spec.Quote(err.Error())).
		Hint("patch-git trust update")
}

// Sign returns a bundle over the statement that the check has passed. It tries
// again, with a fresh key, where a service is out of order for the moment.
func (w *Workflow) Sign(ctx context.Context, s *ledger.Statement) ([]byte, error) {
	select {
	case w.limit <- struct{}{}:
		defer func() { <-w.limit }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var bundle []byte
	err := w.retry(ctx, func() (err error) {
		bundle, err = w.sign(ctx, ledger.Encode(s))
		return err
	})
	if err != nil {
		return nil, fault.New(fault.KindOf(err), fault.ReasonOf(err), "sign %s: %w", s.Subject[0].Name, err)
	}
	if len(bundle) > limits.Bundle {
		return nil, fault.New(fault.Internal, "bundle", "the evidence for %s has %d bytes, allowed are %d", s.Subject[0].Name, len(bundle), limits.Bundle)
	}
	if err := w.opts.Check(bundle, s); err != nil {
		return nil, fault.New(fault.NotVerified, fault.ReasonOf(err), "what was just signed would be refused: %w", err).
			Hint("does the registry's trust name this workflow, branch and repository?")
	}
	return bundle, nil
}

// SignCheckpoint returns nil: there is no key for notes, and the head states
// the root of the log.
func (w *Workflow) SignCheckpoint(context.Context, spec.RegistryName, ledger.LogRoot) ([]byte, error) {
	return nil, nil
}

// sign is one attempt.
func (w *Workflow) sign(ctx context.Context, payload []byte) ([]byte, error) {
	token, err := w.opts.Token(ctx)
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	s := &signed{payload: payload}
	if s.sig, err = signature(key, ledger.PAE(ledger.PayloadType, payload)); err != nil {
		return nil, err
	}
	if s.leaf, err = w.certify(ctx, token, key); err != nil {
		return nil, err
	}
	stamps := &protobundle.TimestampVerificationData{}
	for _, address := range w.stamps {
		t, err := w.stamp(ctx, address, s.sig)
		if err != nil {
			return nil, err
		}
		stamps.Rfc3161Timestamps = append(stamps.Rfc3161Timestamps, &protocommon.RFC3161SignedTimestamp{SignedTimestamp: t})
	}
	var entries []*protorekor.TransparencyLogEntry
	for _, l := range w.logs {
		e, err := w.enter(ctx, l, s)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return protojson.Marshal(&protobundle.Bundle{
		MediaType: ledger.BundleType,
		VerificationMaterial: &protobundle.VerificationMaterial{
			Content:     &protobundle.VerificationMaterial_Certificate{Certificate: &protocommon.X509Certificate{RawBytes: s.leaf.Raw}},
			TlogEntries: entries, TimestampVerificationData: stamps,
		},
		Content: &protobundle.Bundle_DsseEnvelope{DsseEnvelope: &protodsse.Envelope{
			Payload: payload, PayloadType: ledger.PayloadType, Signatures: []*protodsse.Signature{{Sig: s.sig}},
		}},
	})
}

// signature is over the SHA-256 of the data, in ASN.1.
func signature(key *ecdsa.PrivateKey, data []byte) ([]byte, error) {
	digest := sha256.Sum256(data)
	return ecdsa.SignASN1(rand.Reader, key, digest[:])
}
