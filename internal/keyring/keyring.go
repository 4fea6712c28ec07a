package keyring

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Placeholder is what stands for a secret wherever something is printed.
const Placeholder = "[secret]"

// Secret is a value that nobody but the person and the tool may know [TI-P12].
// However it is printed or encoded, it is [Placeholder]. The zero value is no
// secret: it is not set.
type Secret struct {
	// A pointer, because in a field that is not exported nothing that this type says of
	// itself is asked: fmt prints the address then, and not the value.
	text *string
}

// NewSecret takes a value in.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal gives the value out, to be handed to the tool and to nothing else.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero tells whether there is no value.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// String is the placeholder.
func (s Secret) String() string { return Placeholder }

// Format is the placeholder, whatever the verb: %#v and %x would show the field.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, Placeholder) }

// MarshalText is the placeholder, for JSON too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(Placeholder), nil }

// Tool is whose secrets they are. They belong to a tool of one registry and
// outlive a version: the next one is given them without asking.
type Tool struct {
	Registry spec.RegistryName
	Name     spec.Name
}

func (t Tool) String() string { return string(t.Registry) + "/" + string(t.Name) }

// Store keeps the secrets of one user. It is safe for several processes.
type Store interface {
	// Kind is where the values lie.
	Kind() Kind
	// Get returns a value. One that is not there is NotFound "no_secret".
	Get(ctx context.Context, t Tool, name string) (Secret, error)
	// Set keeps a value in the place of what was there.
	Set(ctx context.Context, t Tool, name string, s Secret) error
	// Delete forgets a value. One that is not there is no error.
	Delete(ctx context.Context, t Tool, name string) error
	// Names are those of a tool's values, sorted; none is no error.
	Names(ctx context.Context, t Tool) ([]string, error)
}

// Kind is where secrets lie.
type Kind string

// The places.
const (
	KindSystem Kind = "system" // the keyring of the operating system
	KindFile   Kind = "file"   // a file of mode 0600, not encrypted
	KindMemory Kind = "memory" // of tests
)

// Words say where the secrets are kept, for a person.
func (k Kind) Words() string {
	switch k {
	case KindSystem:
		return "the keyring of this system"
	case KindFile:
		return "a file that only you may read (not encrypted)"
	}
	return "memory, until this program ends"
}

// checkKey refuses what no manifest can name: names are part of what a keyring of
// the system files a value under.
func checkKey(t Tool, name string) error {
	if t.Registry == "" || t.Name == "" || name == "" || len(name) > limits.EnvName || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		return fault.New(fault.Internal, "bad_secret", "there is no secret %s of %s", spec.Quote(name), spec.Quote(t.String()))
	}
	return nil
}

// checkValue refuses what no environment can carry.
func checkValue(name string, s Secret) error {
	switch {
	case s.IsZero():
		return fault.New(fault.Usage, "bad_secret", "the value of %s is empty", name)
	case len(s.Reveal()) > limits.EnvValue:
		return fault.New(fault.Usage, "bad_secret", "the value of %s has more than %d bytes", name, limits.EnvValue)
	case strings.IndexByte(s.Reveal(), 0) >= 0:
		return fault.New(fault.Usage, "bad_secret", "the value of %s has a zero byte", name)
	}
	return nil
}

func absent(t Tool, name string) error {
	return fault.New(fault.NotFound, "no_secret", "no value of %s is kept for %s", name, t).Hint("patch-git configure %s %s", t.Name, name)
}
