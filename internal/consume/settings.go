package consume

import (
	"sync"

	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/durable"
)

// settings is the user's configuration as it is now: of a process that lives on, it
// is read again when its file is another one.
func (c *Client) settings() (*config.Config, error) {
	if now := c.config.get(); now != nil {
		return now, nil
	}
	began := c.Host.Now()
	cfg, err := config.Load(c.Host.Paths)
	if err != nil {
		return nil, err
	}
	if stamp, err := durable.Stamped(c.Host.Paths.Config()); err == nil && stamp.Settled(began) {
		c.config.put(cfg, stamp)
	}
	return cfg, nil
}

// configured is what the file said when it was read. Nobody changes it.
type configured struct {
	mu    sync.Mutex
	value *config.Config
	stamp durable.Stamp
}

func (c *configured) get() *config.Config {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.value == nil || !c.stamp.Same() {
		return nil
	}
	return c.value
}

func (c *configured) put(v *config.Config, s durable.Stamp) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.value, c.stamp = v, s
}
