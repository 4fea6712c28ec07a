package toolbox

import (
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/verify"
)

// Arm gives the pin of a keyless registry what its policy needs to judge.
func (t *Toolbox) Arm(p Pin) Pin {
	if p.Trust.Kind == ledger.TrustKeyless {
		p.sigstore = &instance{read: sync.OnceValues(func() (verify.Sigstore, error) { return t.open(p.TrustedRoot) })}
	}
	return p
}

func (t *Toolbox) open(trustedRoot []byte) (verify.Sigstore, error) {
	if t.Sigstore == nil {
		return nil, NoSigstore()
	}
	s, err := t.Sigstore(trustedRoot)
	if err != nil {
		return nil, fault.New(fault.NotVerified, string(verify.ReasonPolicy), "%w", err)
	}
	return s, nil
}

// NoSigstore is what a program says of a keyless registry that it cannot judge.
func NoSigstore() error {
	return fault.New(fault.Unavailable, "no_sigstore", "this patch-git cannot verify registries that are signed by a workflow").
		Hint("add a registry that is signed by a key, or use a patch-git that can: patch-git version")
}

// instance is a Sigstore that is read when it is first asked: most commands
// that meet a pin verify nothing by it.
type instance struct {
	read func() (verify.Sigstore, error)
}

func (i *instance) Open(bundle []byte, subject string) ([]byte, ledger.Identity, error) {
	s, err := i.read()
	if err != nil {
		return nil, ledger.Identity{}, err
	}
	return s.Open(bundle, subject)
}
