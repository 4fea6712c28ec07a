package consume

import (
	"encoding/json"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Standing is what one pinned registry says now of what was verified earlier. The
// zero value refuses.
type Standing struct {
	// Trust names whom the registry is trusted with: what was verified under
	// another one was not verified.
	Trust spec.Digest
	head  verify.Head
	err   error
}

// Standings reads the pins and verifies the newest head that was kept of each. A
// registry that is not among them is not trusted.
func (c *Client) Standings() (map[spec.RegistryName]Standing, error) {
	pins, err := c.Box.Pins()
	if err != nil {
		return nil, err
	}
	out := map[spec.RegistryName]Standing{}
	for _, pin := range pins {
		out[pin.Name] = standingOf(pin)
	}
	return out, nil
}

func standingOf(pin toolbox.Pin) Standing {
	trust, err := json.Marshal(struct {
		Trust any    `json:"trust"`
		Root  []byte `json:"root"`
	}{pin.Trust, pin.TrustedRoot})
	if err != nil {
		return Standing{err: err}
	}
	head, err := lastHead(pin)()
	return Standing{Trust: spec.DigestOf(trust), head: head, err: err}
}

// Refuses tells why a release that was verified under this trust must not run now.
func (s Standing) Refuses(ref spec.Ref) error {
	if s.err != nil {
		return s.err
	}
	if s.Trust.IsZero() {
		return fault.New(fault.NotVerified, string(verify.ReasonPolicy), "%s was installed from a registry that is not trusted any more", ref.At())
	}
	if reason := s.head.RevokedReason(ref); reason != "" {
		return revoked(ref, reason)
	}
	return nil
}
