package approval

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// sealedState is what a client carries from one round of a request to the next.
type sealedState struct {
	Nonce   string      `json:"nonce"`
	Action  ID          `json:"action"`
	Session string      `json:"session"`
	Call    spec.Digest `json:"call"` // of the method and its parameters
	Until   time.Time   `json:"until"`
}

// Seal writes the state of a request that goes on in a further round: which action
// it asked about, for which session and which call (a digest of the method and
// its canonical parameters). The client keeps it and can do nothing with it but
// give it back, once, within limits.SealedLife. It holds no secret.
func (s *Store) Seal(id ID, session string, call spec.Digest) (string, error) {
	key, err := s.key()
	if err != nil {
		return "", err
	}
	file, err := wrap(key, kindState, "", sealedState{
		Nonce: rand.Text(), Action: id, Session: session, Call: call, Until: s.now().UTC().Add(limits.SealedLife),
	})
	return base64.RawURLEncoding.EncodeToString(file), err
}

// Unseal reads what Seal wrote for the same session and the same call, once. All
// else is of kind Denied: reason "state_forged" where it is not ours, "state_other"
// where it was made for another session or call, "state_expired", or
// "approval_used" the second time.
func (s *Store) Unseal(ctx context.Context, text, session string, call spec.Digest) (ID, error) {
	key, err := s.key()
	if err != nil {
		return "", err
	}
	var state sealedState
	if len(text) > limits.SealedState {
		return "", fault.New(fault.Denied, "state_forged", "the state of the request has %d bytes, which none of ours has", len(text))
	}
	file, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err == nil {
		err = unwrap(key, kindState, "", file, &state)
	}
	switch {
	case err != nil:
		return "", fault.New(fault.Denied, "state_forged", "the state of the request is not ours")
	case session == "" || state.Session != session || state.Call != call:
		return "", fault.New(fault.Denied, "state_other", "the state was made for another request")
	case s.now().After(state.Until) || state.Until.After(s.now().Add(limits.SealedLife+limits.ClockSkew)):
		return "", fault.New(fault.Denied, "state_expired", "the state of the request is too old")
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := s.spend("state-" + state.Nonce); err != nil {
		return "", err
	}
	return state.Action, nil
}
