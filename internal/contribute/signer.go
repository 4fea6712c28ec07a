package contribute

import (
	"bytes"
	"context"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Signing names the files that a publication is signed with. The zero value is
// right for most: the user's own key of a registry that has one, and the public
// Sigstore for one that a workflow signs.
type Signing struct {
	Key string // the private key
	// Config and Root are the signing_config.json and the trusted_root.json of a
	// private Sigstore; both or none. They never come from the registry.
	Config, Root string
	// AcceptChange builds on a head that another workflow of the same repository
	// signed: registry.yaml names another one since.
	AcceptChange bool
}

// signer signs for a registry, and knows what clients hold against it.
type signer struct {
	registry.Signer

	policy verify.Policy
	stated ledger.Trust // as registry.json has it
	first  bool         // may refuse or fail, so it comes before the first write
	before *predecessor // nil where nobody else signed the head that is built on
}

// predecessor signed the head that a changed registry is built on, and no other.
type predecessor struct {
	policy   verify.Policy
	evidence []byte
}

// checkHead tells why a head is not the registry's own, or nil.
func (s *signer) checkHead(evidence, head []byte) error {
	p := s.policy
	if s.before != nil && bytes.Equal(evidence, s.before.evidence) {
		p = s.before.policy
	}
	_, err := p.HeadOnly(evidence, head)
	return err
}

// signer finds out who signs for a registry, or why nobody here can.
func (w *Workshop) signer(ctx context.Context, b *bench, with Signing) (*signer, error) {
	doc := b.doc
	switch {
	case (with.Config == "") != (with.Root == ""):
		return nil, fault.New(fault.Usage, "signing", "--signing-config and --trusted-root are of one Sigstore and go together")
	case doc.Trust.Kind == ledger.TrustKeyless && with.Key != "":
		return nil, fault.New(fault.Usage, "signing", "%s is signed by its workflow; there is no key to name", doc.Name)
	case doc.Trust.Kind == ledger.TrustKeyless:
		return w.workflowSigner(ctx, b, with)
	case with.AcceptChange:
		return nil, fault.New(fault.Usage, "signing", "%s is signed by a key; --accept-change is for another workflow", doc.Name)
	case with.Config != "":
		return nil, fault.New(fault.Usage, "signing", "%s is signed by a key and asks no Sigstore", doc.Name)
	}
	return w.keySigner(doc, with.Key)
}

// keySigner loads the key of a registry. file is "" for the user's own keys.
func (w *Workshop) keySigner(doc *ledger.Registry, file string) (*signer, error) {
	if file == "" {
		file = w.keyFile(doc.Name)
	}
	key, err := signing.LoadKey(file)
	if err != nil {
		return nil, err
	}
	if string(key.Trust().Key) != string(doc.Trust.Key) {
		return nil, fault.New(fault.Denied, "key", "the key %q is not the one that registry.yaml of %s names", file, doc.Name).
			Hint("name the right one with --key")
	}
	return newKeySigner(doc.Name, key), nil
}

func newKeySigner(name spec.RegistryName, key *signing.Key) *signer {
	return &signer{Signer: key, policy: verify.Policy{Registry: name, Trust: key.Trust()}, stated: key.Trust()}
}

// keyFile is where the key of a registry lies unless somebody said otherwise.
func (w *Workshop) keyFile(name spec.RegistryName) string {
	return filepath.Join(w.host.Paths.Keys(), filepath.FromSlash(string(name))+".pem")
}
