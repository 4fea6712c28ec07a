package keyless

import (
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"

	"github.com/patch-cat/patch-git/ledger"
)

// fulcioArc is the arc of Fulcio's certificate extensions. Those from 8 on are
// UTF-8 strings in DER; what the older ones say is not asked.
var fulcioArc = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57264, 1}

// nameID is the certificate extension of the subject's alternative names, and
// uriTag is what makes one of them a URI (RFC 5280 §4.2.1.6).
var nameID = asn1.ObjectIdentifier{2, 5, 29, 17}

const uriTag = 6

// nameOf reads the one name of a certificate, a URI, as it is spelled: in a
// parsed one upper and lower case and an empty fragment are lost, and names of
// other kinds are not listed at all.
func nameOf(leaf *x509.Certificate) (string, error) {
	for _, e := range leaf.Extensions {
		if !e.Id.Equal(nameID) {
			continue
		}
		var names []asn1.RawValue
		rest, err := asn1.Unmarshal(e.Value, &names)
		if err != nil || len(rest) != 0 || len(names) != 1 || names[0].Class != asn1.ClassContextSpecific || names[0].Tag != uriTag {
			return "", errors.New("certificate has not one URI as its name")
		}
		return string(names[0].Bytes), nil
	}
	return "", errors.New("certificate has no name")
}

// identityOf reads who a certificate was issued to.
func identityOf(leaf *x509.Certificate) (ledger.Identity, error) {
	var id ledger.Identity
	var err error
	if id.SAN, err = nameOf(leaf); err != nil {
		return id, err
	}
	fields := map[int]*string{
		8: &id.Issuer, 9: &id.BuildSigner, 11: &id.Runner, 12: &id.Repository, 14: &id.Ref, 15: &id.RepositoryID,
		17: &id.OwnerID, 18: &id.BuildConfig, 20: &id.Trigger, 23: &id.Environment, 24: &id.TokenSubject,
	}
	for _, e := range leaf.Extensions {
		if len(e.Id) != len(fulcioArc)+1 || !e.Id[:len(fulcioArc)].Equal(fulcioArc) {
			continue
		}
		n := e.Id[len(fulcioArc)]
		into := fields[n]
		if into == nil {
			continue
		}
		rest, err := asn1.UnmarshalWithParams(e.Value, into, "utf8")
		if err != nil || len(rest) != 0 {
			return id, fmt.Errorf("certificate extension %d is not a string", n)
		}
	}
	return id, nil
}
