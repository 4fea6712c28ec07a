package config

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

// The reasons for refusing the file.
const (
	ReasonShared  = "config_shared"  // others can read or write it
	ReasonDamaged = "config_damaged" // it is not what this program writes
)

// Load reads the user's file; one that is not there gives nothing. Whatever is
// wrong with it is of kind Denied, so that no run goes on without it.
func Load(p paths.Paths) (*Config, error) {
	file := p.Config()
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Parse([]byte(`{"schema":1}`))
	}
	if err != nil {
		return nil, durable.Classify("read", file, err)
	}
	if !info.Mode().IsRegular() {
		return nil, damaged(file, errors.New("it is not a regular file"))
	}
	if shared(info) {
		return nil, fault.New(fault.Denied, ReasonShared, "%s can be read or written by others, or belongs to somebody else", spec.Quote(file)).
			Hint("look whether somebody changed it, then: chmod 600 %q", file)
	}
	data, err := durable.ReadFileNoFollow(file, limits.Config)
	if fault.KindOf(err) == fault.Findings {
		return nil, damaged(file, err)
	}
	if err != nil {
		return nil, err
	}
	c, err := Parse(data)
	if err != nil {
		return nil, damaged(file, err)
	}
	return c, nil
}

func damaged(file string, err error) error {
	return fault.New(fault.Denied, ReasonDamaged, "%s cannot be used: %w", spec.Quote(file), err).
		Hint("mend or remove %q", file)
}

// Change changes the user's file, while no other process does.
func Change(ctx context.Context, p paths.Paths, change func(*Config) error) error {
	unlock, err := durable.Lock(ctx, p.Lock(), limits.LockWait)
	if err != nil {
		return err
	}
	defer unlock()
	c, err := Load(p)
	if err != nil {
		return err
	}
	if err := change(c); err != nil {
		return err
	}
	data, err := c.Encode()
	if err != nil {
		return fault.New(fault.Usage, "config", "that cannot be kept: %w", err)
	}
	return durable.WriteFile(p.Config(), data, 0o600)
}
