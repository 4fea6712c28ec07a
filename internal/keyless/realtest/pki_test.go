package realtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	prototrustroot "github.com/sigstore/protobuf-specs/gen/pb-go/trustroot/v1"
	rekornote "github.com/sigstore/rekor-tiles/v2/pkg/note"
	"github.com/sigstore/sigstore-go/pkg/root"
)

// rekorOrigin names the log in its checkpoints, and is the host of the log's
// address in the trusted root: verifiers compare the two.
const rekorOrigin = "rekor.test"

// pki are the keys of an instance, as files for its services.
type pki struct {
	dir        string
	began      time.Time
	fulcio     []*x509.Certificate // from the issuing one up to the root
	tsa        []*x509.Certificate // from the one that stamps up to the root
	ct         *ecdsa.PrivateKey
	rekor      ed25519.PublicKey
	rekorLogID []byte
}

// newPKI makes all of them on P-384, as the public-good instance has them, but
// for the logs' keys.
func newPKI(t *testing.T) *pki {
	t.Helper()
	p := &pki{dir: t.TempDir(), began: time.Now().Add(-time.Hour).UTC().Truncate(time.Second)}

	root, rootKey := p.certify(t, "fulcio root", nil, nil, authority(1))
	issuer, issuerKey := p.certify(t, "fulcio", root, rootKey, authority(0, x509.ExtKeyUsageCodeSigning))
	p.fulcio = []*x509.Certificate{issuer, root}
	p.write(t, "fulcio-chain.pem", certBlocks(p.fulcio)...)
	p.write(t, "fulcio-key.pem", keyBlock(t, issuerKey))

	root, rootKey = p.certify(t, "tsa root", nil, nil, authority(1))
	between, betweenKey := p.certify(t, "tsa intermediate", root, rootKey, authority(0, x509.ExtKeyUsageTimeStamping))
	stamper, stamperKey := p.certify(t, "tsa", between, betweenKey, stamping)
	p.tsa = []*x509.Certificate{stamper, between, root}
	p.write(t, "tsa-chain.pem", certBlocks(p.tsa)...)
	p.write(t, "tsa-key.pem", keyBlock(t, stamperKey))

	var err error
	if p.ct, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	p.write(t, "ct-public.pem", &pem.Block{Type: "PUBLIC KEY", Bytes: publicDER(p.ct.Public())})

	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p.rekor = public
	p.write(t, "rekor-key.pem", keyBlock(t, private))
	// The log's id is the hash that a note states four bytes of.
	if _, p.rekorLogID, err = rekornote.KeyHash(rekorOrigin, public); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *pki) path(name string) string { return filepath.Join(p.dir, name) }

func (p *pki) write(t *testing.T, name string, blocks ...*pem.Block) {
	t.Helper()
	var text []byte
	for _, b := range blocks {
		text = append(text, pem.EncodeToMemory(b)...)
	}
	if err := os.WriteFile(p.path(name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// certify makes a key and a certificate for it, by itself where there is no parent.
func (p *pki) certify(t *testing.T, name string, parent *x509.Certificate, by *ecdsa.PrivateKey, kind func(*x509.Certificate)) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	number, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: number, Subject: pkix.Name{CommonName: name, Organization: []string{"patch-git test"}},
		NotBefore: p.began, NotAfter: p.began.AddDate(10, 0, 0), BasicConstraintsValid: true,
	}
	kind(c)
	if parent == nil {
		parent, by = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), by)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return c, key
}

func authority(below int, usage ...x509.ExtKeyUsage) func(*x509.Certificate) {
	return func(c *x509.Certificate) {
		c.IsCA, c.MaxPathLen, c.MaxPathLenZero = true, below, below == 0
		c.KeyUsage, c.ExtKeyUsage = x509.KeyUsageCertSign|x509.KeyUsageCRLSign, usage
	}
}

// stamping is critical in the certificate of who stamps (RFC 3161, section 2.3).
func stamping(c *x509.Certificate) {
	usage, err := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}})
	if err != nil {
		panic(err)
	}
	c.KeyUsage = x509.KeyUsageDigitalSignature
	c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: usage}}
}

func certBlocks(chain []*x509.Certificate) []*pem.Block {
	var all []*pem.Block
	for _, c := range chain {
		all = append(all, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
	}
	return all
}

func keyBlock(t *testing.T, key crypto.PrivateKey) *pem.Block {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return &pem.Block{Type: "PRIVATE KEY", Bytes: der}
}

func publicDER(key crypto.PublicKey) []byte {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		panic(err)
	}
	return der
}

// trustedRoot is the instance's trusted_root.json.
func (p *pki) trustedRoot(t *testing.T, fulcioURL, ctURL, tsaURL string) []byte {
	t.Helper()
	ctID := sha256.Sum256(publicDER(p.ct.Public()))
	log := func(url string, id []byte, key crypto.PublicKey, hash crypto.Hash) map[string]*root.TransparencyLog {
		return map[string]*root.TransparencyLog{hex.EncodeToString(id): {
			BaseURL: url, ID: id, HashFunc: crypto.SHA256, PublicKey: key, SignatureHashFunc: hash, ValidityPeriodStart: p.began,
		}}
	}
	r, err := root.NewTrustedRoot(root.TrustedRootMediaType01,
		[]root.CertificateAuthority{&root.FulcioCertificateAuthority{
			Root: p.fulcio[1], Intermediates: p.fulcio[:1], ValidityPeriodStart: p.began, URI: fulcioURL,
		}},
		log(ctURL, ctID[:], p.ct.Public(), crypto.SHA256),
		[]root.TimestampingAuthority{&root.SigstoreTimestampingAuthority{
			Root: p.tsa[2], Intermediates: p.tsa[1:2], Leaf: p.tsa[0], ValidityPeriodStart: p.began, URI: tsaURL,
		}},
		log("https://"+rekorOrigin, p.rekorLogID, p.rekor, 0))
	if err != nil {
		t.Fatal(err)
	}
	return marshal(t, r)
}

// signingConfig is the instance's signing_config.json.
func (p *pki) signingConfig(t *testing.T, fulcioURL, tsaURL, rekorURL string) []byte {
	t.Helper()
	service := func(url string, version uint32) []root.Service {
		return []root.Service{{URL: url, MajorAPIVersion: version, ValidityPeriodStart: p.began, Operator: "patch-git test"}}
	}
	one := root.ServiceConfiguration{Selector: prototrustroot.ServiceSelector_ANY}
	c, err := root.NewSigningConfig(root.SigningConfigMediaType02,
		service(fulcioURL, 1), nil, service(rekorURL, 2), one, service(tsaURL, 1), one)
	if err != nil {
		t.Fatal(err)
	}
	return marshal(t, c)
}

func marshal(t *testing.T, v interface{ MarshalJSON() ([]byte, error) }) []byte {
	t.Helper()
	b, err := v.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
