//go:build !linux

package realtest

import (
	"errors"
	"os/exec"
)

// Elsewhere a service outlives tests that are killed.
func own(*exec.Cmd) {}

func end(c *exec.Cmd) error { return c.Process.Kill() }

func freeze(*exec.Cmd) error { return errors.ErrUnsupported }

func thaw(*exec.Cmd) error { return errors.ErrUnsupported }
