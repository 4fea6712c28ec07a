package mcpserver

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// names gives every tool the name by which hosts know it: its own, where that is
// short enough, else the begin of it and some digits of its digest. They depend on
// the set of names alone.
func names(tools []spec.Name) map[spec.Name]string {
	out, taken := map[spec.Name]string{}, map[string]bool{}
	for _, n := range tools {
		if len(n) <= limits.MCPName {
			out[n], taken[string(n)] = string(n), true
		}
	}
	for _, n := range tools {
		if len(n) <= limits.MCPName {
			continue
		}
		sum := sha256.Sum256([]byte(n))
		digits := hex.EncodeToString(sum[:])
		for at := 0; ; at++ {
			short := string(n[:limits.MCPName-nameDigits-1]) + "_" + digits[at:at+nameDigits]
			if !taken[short] {
				out[n], taken[short] = short, true
				break
			}
		}
	}
	return out
}

const nameDigits = 6
