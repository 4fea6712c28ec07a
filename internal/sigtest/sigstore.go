package sigtest

import (
	"context"
	"crypto/elliptic"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	protorekor "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	rekorpb "github.com/sigstore/rekor-tiles/v2/pkg/generated/protobuf"
	"github.com/sigstore/sigstore-go/pkg/sign"
	"google.golang.org/protobuf/encoding/protojson"
)

// Sigstore is an instance. Its methods may be called from many goroutines.
type Sigstore struct {
	now    func() time.Time
	long   period // of the instance itself
	fulcio *fulcio
	tsa    *tsa
	rekor  *rekor
	older  *rekorV1 // beside it, as the public-good instance has it
}

// Options say what an instance is like.
type Options struct {
	// Now is the clock that certificates, their promises to be logged and
	// timestamps follow; time.Now by default. It is called from any goroutine.
	Now func() time.Time
	// P384 has the chains of certificates on P-384, as the public-good instance
	// has them, instead of P-256, which is several times as fast.
	P384 bool
}

// inTotoType is the payload type of a statement.
const inTotoType = "application/vnd.in-toto+json"

// New makes an instance with keys of its own.
func New(o Options) (*Sigstore, error) {
	s := &Sigstore{now: o.Now}
	if s.now == nil {
		s.now = time.Now
	}
	curve := elliptic.P256()
	if o.P384 {
		curve = elliptic.P384()
	}
	// Whole seconds are all that a certificate can state, and in UTC they read
	// back as they were.
	began := s.now().UTC().Truncate(time.Second)
	s.long = period{began.AddDate(-1, 0, 0), began.AddDate(10, 0, 0)}
	var err error
	if s.fulcio, err = newFulcio(curve, s.long); err != nil {
		return nil, fmt.Errorf("make certificate authority: %w", err)
	}
	if s.tsa, err = newTSA(curve, s.long); err != nil {
		return nil, fmt.Errorf("make timestamp authority: %w", err)
	}
	if s.rekor, err = newRekor(); err != nil {
		return nil, fmt.Errorf("make transparency log: %w", err)
	}
	if s.older, err = newRekorV1(); err != nil {
		return nil, fmt.Errorf("make older transparency log: %w", err)
	}
	return s, nil
}

// Sign returns a bundle over an in-toto statement that whoever has the claims
// signed, with an envelope.
func (s *Sigstore) Sign(payload []byte, c Claims, changes ...Change) ([]byte, error) {
	d := deviate(changes)
	content := &sign.DSSEData{Data: payload, PayloadType: inTotoType}
	if d.payloadType != "" {
		content.PayloadType = d.payloadType
	}
	return s.bundle(content, c, d)
}

// SignBlob returns a bundle over plain bytes: a signature without a statement.
func (s *Sigstore) SignBlob(data []byte, c Claims) ([]byte, error) {
	return s.bundle(&sign.PlainData{Data: data}, c, deviation{})
}

func (s *Sigstore) bundle(content sign.Content, c Claims, d deviation) ([]byte, error) {
	keys, err := sign.NewEphemeralKeypair(nil)
	if err != nil {
		return nil, err
	}
	v := &visit{s, c, d}
	options := sign.BundleOptions{CertificateProvider: v}
	if !d.noTimestamp {
		options.TimestampAuthorities = []*sign.TimestampAuthority{
			sign.NewTimestampAuthority(&sign.TimestampAuthorityOptions{URL: "http://tsa.test", Transport: v}),
		}
	}
	if !d.noEntry {
		options.TransparencyLogs = []sign.Transparency{sign.NewRekor(&sign.RekorOptions{Version: rekorVersion, ClientV2: v})}
	}
	b, err := sign.Bundle(content, keys, options)
	if err != nil {
		return nil, err
	}
	d.repeat(b)
	return protojson.Marshal(b)
}

// stampTime is what the timestamp authority says the time is.
func (s *Sigstore) stampTime(d deviation) time.Time {
	if !d.stampedAt.IsZero() {
		return d.stampedAt
	}
	return s.now()
}

// visit is one signing at an instance, in the places where sigstore-go's signing
// code would reach for the network.
type visit struct {
	s *Sigstore
	c Claims
	d deviation
}

// GetCertificate stands for Fulcio. The claims need no token to carry them here.
func (v *visit) GetCertificate(_ context.Context, keys sign.Keypair, _ *sign.CertificateProviderOptions) ([]byte, error) {
	return v.s.fulcio.certify(keys.GetPublicKey(), v.c, v.s.now(), v.d)
}

// RoundTrip stands for the way to the timestamp authority.
func (v *visit) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	v.s.tsa.serve(w, r, v.s.stampTime(v.d))
	return w.Result(), nil
}

// Add stands for Rekor.
func (v *visit) Add(_ context.Context, entry any) (*protorekor.TransparencyLogEntry, error) {
	request, ok := entry.(*rekorpb.HashedRekordRequestV002)
	if !ok {
		return nil, fmt.Errorf("log entry: unexpected %T", entry)
	}
	return v.s.rekor.enter(request, v.d)
}
