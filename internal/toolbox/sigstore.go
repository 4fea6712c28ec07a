package toolbox

import (
	"errors"
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

// open keeps "could not tell" apart: only what was read and is no trusted root
// is a refusal.
func (t *Toolbox) open(trustedRoot []byte) (verify.Sigstore, error) {
	if t.Sigstore == nil {
		return nil, fault.New(fault.Internal, string(verify.ReasonPolicy), "nothing was set to verify what workflows sign")
	}
	s, err := t.Sigstore(trustedRoot)
	if _, known := errors.AsType[*fault.Error](err); err != nil && !known {
		return nil, fault.New(fault.NotVerified, string(verify.ReasonPolicy), "%w", err)
	}
	return s, err
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
