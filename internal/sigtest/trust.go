package sigtest

import (
	"crypto"
	"crypto/x509"
	"encoding/hex"
	"fmt"

	prototrustroot "github.com/sigstore/protobuf-specs/gen/pb-go/trustroot/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
)

// The versions of the interfaces that the services have, as a signing
// configuration states them.
const (
	fulcioVersion = 1 // whose path says v2
	tsaVersion    = 1
	rekorVersion  = 2
	olderVersion  = 1
)

// TrustedRoot returns what a client pins to trust this instance: a
// trusted_root.json that is valid from a year before the instance was made.
func (s *Sigstore) TrustedRoot() ([]byte, error) {
	fulcio := &root.FulcioCertificateAuthority{
		Root:                s.fulcio.root.cert,
		Intermediates:       []*x509.Certificate{s.fulcio.intermediate.cert},
		ValidityPeriodStart: s.long.from,
		URI:                 "https://fulcio.test",
	}
	tsa := &root.SigstoreTimestampingAuthority{
		Root:                s.tsa.root.cert,
		Intermediates:       []*x509.Certificate{s.tsa.intermediate.cert},
		Leaf:                s.tsa.leaf.cert,
		ValidityPeriodStart: s.long.from,
		URI:                 "https://tsa.test",
	}
	promises := &root.TransparencyLog{
		BaseURL:             "https://ctlog.test",
		ID:                  s.fulcio.log.id[:],
		HashFunc:            crypto.SHA256,
		PublicKey:           s.fulcio.log.key.Public(),
		ValidityPeriodStart: s.long.from,
	}
	entries := &root.TransparencyLog{
		BaseURL:             "https://" + rekorOrigin,
		ID:                  s.rekor.id,
		HashFunc:            crypto.SHA256,
		PublicKey:           s.rekor.public,
		ValidityPeriodStart: s.long.from,
	}
	older := &root.TransparencyLog{
		BaseURL:             "https://" + rekorV1Origin,
		ID:                  s.older.id[:],
		HashFunc:            crypto.SHA256,
		PublicKey:           s.older.key.Public(),
		ValidityPeriodStart: s.long.from,
	}
	trust, err := root.NewTrustedRoot(root.TrustedRootMediaType01,
		[]root.CertificateAuthority{fulcio}, byID(promises), []root.TimestampingAuthority{tsa}, byID(entries, older))
	if err != nil {
		return nil, fmt.Errorf("make trusted root: %w", err)
	}
	return trust.MarshalJSON()
}

func byID(logs ...*root.TransparencyLog) map[string]*root.TransparencyLog {
	all := map[string]*root.TransparencyLog{}
	for _, l := range logs {
		all[hex.EncodeToString(l.ID)] = l
	}
	return all
}

// signingConfig returns a signing_config.json that names the services' addresses
// and the version of the log.
func (s *Sigstore) signingConfig(fulcio, tsa, rekor string, version uint32) ([]byte, error) {
	service := func(address string, version uint32) []root.Service {
		return []root.Service{{URL: address, MajorAPIVersion: version, ValidityPeriodStart: s.long.from, Operator: organization}}
	}
	one := root.ServiceConfiguration{Selector: prototrustroot.ServiceSelector_ANY}
	config, err := root.NewSigningConfig(root.SigningConfigMediaType02,
		service(fulcio, fulcioVersion), nil, service(rekor, version), one, service(tsa, tsaVersion), one)
	if err != nil {
		return nil, fmt.Errorf("make signing configuration: %w", err)
	}
	return config.MarshalJSON()
}
