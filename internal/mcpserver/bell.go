package mcpserver

import (
	"log/slog"
	"sync"

	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/person"
)

// bell tells the person at the desktop that a call waits, where the configuration
// has it so. The host's answer does not depend on it, and it stops nothing.
type bell struct {
	client *consume.Client
	log    *slog.Logger

	mu   sync.Mutex
	bell *person.Bell // made for the first call that waits
}

func newBell(c *consume.Client, log *slog.Logger) *bell { return &bell{client: c, log: log} }

func (b *bell) ring(h *consume.Held) {
	cfg, err := config.Load(b.client.Host.Paths)
	if err != nil || cfg.MCP.Notifications != config.NotificationsOn {
		return
	}
	store, err := b.client.Approvals()
	if err != nil {
		return // the call that was held said so
	}
	e, err := store.Get(h.Action)
	if err != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bell == nil {
		b.bell = person.NewBell(b.client.Host, store)
	}
	b.bell.Ring(e, func(err error) {
		if err != nil {
			b.log.Warn("nobody was told that a call waits", "error", err.Error())
		}
	})
}

func (b *bell) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bell != nil {
		b.bell.Close()
	}
}
