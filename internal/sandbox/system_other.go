//go:build !linux && !darwin

package sandbox

import "runtime"

// drivers is empty, so that Open refuses.
func drivers(Options) []driver { return nil }

func advice(string, error) []string { return nil }

// elsewhere is where tools run when this system has no driver.
func elsewhere() []string {
	if runtime.GOOS == "windows" {
		return []string{"run patch-git in WSL 2: wsl --install"}
	}
	return []string{"run patch-git on Linux"}
}
