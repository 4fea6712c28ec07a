package trustroot

import (
	"errors"
	"fmt"
	"time"

	common "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	documents "github.com/sigstore/protobuf-specs/gen/pb-go/trustroot/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Authority is one of those that a trusted root has a person believe.
type Authority struct {
	Kind string `json:"kind"`
	URI  string `json:"uri"`
	From string `json:"from,omitempty"` // RFC 3339
	To   string `json:"to,omitempty"`   // "" where no end is set
	Key  string `json:"key"`            // the digest of its public key, or of its chain of certificates
}

// The kinds of authority, in the order in which they are listed.
const (
	Certificates    = "certificates"    // says who holds a key
	CertificateLog  = "certificate log" // says that a certificate was issued in public
	Timestamps      = "timestamps"      // says when
	TransparencyLog = "log"             // says that a signature was made in public
)

// Authorities lists whom a trusted_root.json names. It shows them to a person:
// whether each can be used is found out by who verifies with them.
func Authorities(root []byte) ([]Authority, error) {
	var doc documents.TrustedRoot
	if err := protojson.Unmarshal(root, &doc); err != nil {
		return nil, fmt.Errorf("trusted root is not readable: %s", spec.Quote(err.Error()))
	}
	var out []Authority
	chains := func(kind string, all []*documents.CertificateAuthority) {
		for _, a := range all {
			var der []byte
			for _, c := range a.GetCertChain().GetCertificates() {
				der = append(der, c.GetRawBytes()...)
			}
			out = append(out, authority(kind, a.GetUri(), a.GetValidFor(), der))
		}
	}
	logs := func(kind string, all []*documents.TransparencyLogInstance) {
		for _, l := range all {
			out = append(out, authority(kind, l.GetBaseUrl(), l.GetPublicKey().GetValidFor(), l.GetPublicKey().GetRawBytes()))
		}
	}
	chains(Certificates, doc.GetCertificateAuthorities())
	logs(CertificateLog, doc.GetCtlogs())
	chains(Timestamps, doc.GetTimestampAuthorities())
	logs(TransparencyLog, doc.GetTlogs())
	return out, nil
}

func authority(kind, uri string, valid *common.TimeRange, key []byte) Authority {
	a := Authority{Kind: kind, URI: uri, Key: spec.DigestOf(key).String()}
	if valid.GetStart() != nil {
		a.From = valid.GetStart().AsTime().Format(time.RFC3339)
	}
	if valid.GetEnd() != nil {
		a.To = valid.GetEnd().AsTime().Format(time.RFC3339)
	}
	return a
}

// configType is the one signing configuration that there is a reader for.
const configType = "application/vnd.dev.sigstore.signingconfig.v0.2+json"

// CheckConfig tells what keeps a signing_config.json from being read, or nil.
func CheckConfig(data []byte) error {
	if len(data) > limits.TrustedRoot {
		return fmt.Errorf("signing configuration has %d bytes, allowed are %d", len(data), limits.TrustedRoot)
	}
	var doc documents.SigningConfig
	if err := protojson.Unmarshal(data, &doc); err != nil {
		return fmt.Errorf("signing configuration is not readable: %s", spec.Quote(err.Error()))
	}
	if doc.GetMediaType() != configType {
		return fmt.Errorf("signing configuration has the media type %s", spec.Quote(doc.GetMediaType()))
	}
	if len(doc.GetCaUrls()) == 0 {
		return errors.New("signing configuration names no certificate authority")
	}
	return nil
}
