package keyring

import (
	"context"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Variable says which store to use, "system" or "file"; unset takes the keyring
// of the system where one answers.
const Variable = "PATCH_GIT_KEYRING"

// Open chooses where new secrets are kept. A system that is asked for by name and
// does not answer is an error; else the file takes its place.
func Open(ctx context.Context, h *host.Host) (Store, error) {
	switch want := h.Getenv(Variable); want {
	case string(KindFile):
		return File(h.Paths.Secrets()), nil
	case string(KindSystem):
		s := newSystem(h)
		if !s.answers(ctx) {
			return nil, fault.New(fault.Unavailable, "keyring", "%s is system, and the keyring of this system does not answer", Variable).
				Hint("unset %s, or set it to file", Variable)
		}
		return s, nil
	case "":
	default:
		return nil, fault.New(fault.Usage, "usage", "%s is %s; it can be system or file", Variable, spec.Quote(want))
	}
	if s := newSystem(h); listens(h) && s.answers(ctx) {
		return s, nil
	}
	return File(h.Paths.Secrets()), nil
}

// OpenKind opens the store in which something was kept before, without asking
// whether it answers: a caller that knows where a value is needs no choice.
func OpenKind(h *host.Host, k Kind) (Store, error) {
	switch k {
	case KindFile:
		return File(h.Paths.Secrets()), nil
	case KindSystem:
		return newSystem(h), nil
	}
	return nil, fault.New(fault.NotVerified, "secrets_damaged", "secrets are said to be kept in %s, which this program does not know", spec.Quote(string(k)))
}

// listens tells whether there may be a keyring at all, without asking it. On Linux
// the library would start a bus of its own where none is told of; nobody wants that.
func listens(h *host.Host) bool {
	switch h.GOOS {
	case "darwin", "windows":
		return true
	}
	return strings.HasPrefix(h.Getenv("DBUS_SESSION_BUS_ADDRESS"), "unix:")
}

func newSystem(h *host.Host) *system {
	return &system{
		names:   drawer{h.Paths.Secrets(), namesFile},
		service: "patch-git " + spec.DigestOf([]byte(h.Paths.Root)).Hex()[:16],
		within:  limits.KeyringWait,
		ring:    library{},
	}
}
