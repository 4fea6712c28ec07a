package keyring

import (
	"context"
	"errors"
	"time"

	zalando "github.com/zalando/go-keyring"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// system keeps values in the keyring of the operating system, and their names,
// which such a keyring does not list, in a file.
type system struct {
	names   drawer
	service string // what the values are filed under: one for each state directory
	within  time.Duration
	ring    ring
}

// ring is what is asked of a keyring.
type ring interface {
	Get(service, user string) (string, error)
	Set(service, user, password string) error
	Delete(service, user string) error
}

// library is the keyring as the library reaches it.
type library struct{}

func (library) Get(service, user string) (string, error) { return zalando.Get(service, user) }
func (library) Set(service, user, value string) error    { return zalando.Set(service, user, value) }
func (library) Delete(service, user string) error        { return zalando.Delete(service, user) }

func (s *system) Kind() Kind { return KindSystem }

// within asks the keyring, for so long: it may wait for a person to unlock it. What
// answers after that is forgotten, so a value that was to be kept may be there. The
// keyring's own words are not passed on: nobody knows what they quote.
func within[T any](ctx context.Context, s *system, what string, ask func() (T, error)) (T, error) {
	type answer struct {
		got T
		err error
	}
	done := make(chan answer, 1)
	go func() {
		got, err := ask()
		done <- answer{got, err}
	}()
	timer := time.NewTimer(s.within)
	defer timer.Stop()
	var none T
	select {
	case a := <-done:
		switch {
		case a.err == nil, errors.Is(a.err, zalando.ErrNotFound):
			return a.got, a.err
		case errors.Is(a.err, zalando.ErrSetDataTooBig):
			return none, fault.New(fault.Unavailable, "keyring", "the keyring of this system takes no value so long").Hint("PATCH_GIT_KEYRING=file keeps secrets in a file")
		}
		return none, fault.New(fault.Unavailable, "keyring", "%s the keyring of this system failed", what).
			Hint("unlock the keyring, or set PATCH_GIT_KEYRING=file to keep secrets in a file")
	case <-ctx.Done():
		return none, ctx.Err()
	case <-timer.C:
		return none, fault.New(fault.Unavailable, "keyring", "the keyring of this system did not answer within %s", s.within).
			Hint("unlock the keyring, or set PATCH_GIT_KEYRING=file to keep secrets in a file")
	}
}

func (s *system) Get(ctx context.Context, t Tool, name string) (Secret, error) {
	if err := checkKey(t, name); err != nil {
		return Secret{}, err
	}
	value, err := within(ctx, s, "reading", func() (string, error) { return s.ring.Get(s.service, t.String()+"/"+name) })
	if errors.Is(err, zalando.ErrNotFound) {
		return Secret{}, absent(t, name)
	}
	return NewSecret(value), err
}

func (s *system) Set(ctx context.Context, t Tool, name string, v Secret) error {
	if err := checkKey(t, name); err != nil {
		return err
	}
	if err := checkValue(name, v); err != nil {
		return err
	}
	// The name first: a value whose name nobody knows would never be deleted.
	if err := s.names.put(ctx, t, name, ""); err != nil {
		return err
	}
	_, err := within(ctx, s, "writing to", func() (bool, error) { return true, s.ring.Set(s.service, t.String()+"/"+name, v.Reveal()) })
	return err
}

func (s *system) Delete(ctx context.Context, t Tool, name string) error {
	if err := checkKey(t, name); err != nil {
		return err
	}
	_, err := within(ctx, s, "writing to", func() (bool, error) { return true, s.ring.Delete(s.service, t.String()+"/"+name) })
	if err != nil && !errors.Is(err, zalando.ErrNotFound) {
		return err
	}
	return s.names.take(ctx, t, name)
}

func (s *system) Names(_ context.Context, t Tool) ([]string, error) { return s.names.names(t) }

// answers tells whether the keyring of this system can be asked at all: it is asked
// for something that is not there.
func (s *system) answers(ctx context.Context) bool {
	probe := *s
	probe.within = limits.KeyringProbe
	_, err := within(ctx, &probe, "reading", func() (string, error) { return s.ring.Get(s.service, "probe") })
	return err == nil || errors.Is(err, zalando.ErrNotFound)
}
