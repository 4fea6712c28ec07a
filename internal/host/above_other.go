//go:build !linux && !darwin && !windows

package host

import "errors"

// startedBy is not known on this system.
func startedBy() ([]Process, error) { return nil, errors.ErrUnsupported }
