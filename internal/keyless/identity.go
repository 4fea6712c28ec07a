package keyless

import (
	"crypto/x509"
	"encoding/asn1"
	"fmt"

	"github.com/patch-cat/patch-git/ledger"
)

// fulcioArc is the arc of Fulcio's certificate extensions. Those from 8 on are
// UTF-8 strings in DER; what the older ones say is not asked.
var fulcioArc = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57264, 1}

// identityOf reads who a certificate was issued to.
func identityOf(leaf *x509.Certificate) (ledger.Identity, error) {
	var id ledger.Identity
	if len(leaf.URIs) != 1 || len(leaf.EmailAddresses)+len(leaf.DNSNames)+len(leaf.IPAddresses) != 0 {
		return id, fmt.Errorf("certificate has not one URI as its name but %d", len(leaf.URIs))
	}
	id.SAN = leaf.URIs[0].String()
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
