package consume

import (
	"context"
	"strings"

	"github.com/patch-cat/patch-git/internal/arcade"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyring"
)

// arcadeOwner is whose secret the key of Arcade is. It is no tool of a registry, whose
// names have a slash, so that no manifest can ask for it.
var arcadeOwner = keyring.Tool{Registry: "arcade", Name: "engine"}

// arcadeKey is the key of Arcade: of the environment, else what is kept; "" where
// there is none.
func (c *Client) arcadeKey(ctx context.Context) (string, error) {
	if key := strings.TrimSpace(c.Host.Getenv(arcade.EnvKey)); key != "" {
		return key, nil
	}
	store, err := c.secretStore(ctx)
	if err != nil {
		return "", err
	}
	s, err := store.Get(ctx, arcadeOwner, arcade.EnvKey)
	if fault.KindOf(err) == fault.NotFound {
		return "", nil
	}
	return s.Reveal(), err
}

// KeepArcadeKey keeps the key of Arcade, after it was held against what a key can be,
// and tells where. Nobody is asked whether Arcade takes it.
func (c *Client) KeepArcadeKey(ctx context.Context, key string) (keyring.Kind, error) {
	if err := arcade.CheckKey(key); err != nil {
		return "", err
	}
	store, err := c.secretStore(ctx)
	if err != nil {
		return "", err
	}
	return store.Kind(), store.Set(ctx, arcadeOwner, arcade.EnvKey, keyring.NewSecret(key))
}

// ForgetArcadeKey forgets the key of Arcade; none is no error.
func (c *Client) ForgetArcadeKey(ctx context.Context) error {
	store, err := c.secretStore(ctx)
	if err != nil {
		return err
	}
	return store.Delete(ctx, arcadeOwner, arcade.EnvKey)
}
