package mcpserver

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/patch-cat/patch-git/internal/limits"
)

// shortened gives each tool whose name hosts would not take another one: the begin
// of it and some digits of its digest. They depend on the set of names alone.
func shortened(tools []string) map[string]string {
	out := map[string]string{}
	var taken map[string]bool
	for _, n := range tools {
		if len(n) <= limits.MCPName {
			continue
		}
		if taken == nil {
			taken = make(map[string]bool, len(tools))
			for _, n := range tools {
				taken[n] = true
			}
		}
		sum := sha256.Sum256([]byte(n))
		digits := hex.EncodeToString(sum[:])
		for at := 0; ; at++ {
			short := n[:limits.MCPName-nameDigits-1] + "_" + digits[at:at+nameDigits]
			if !taken[short] {
				out[n], taken[short] = short, true
				break
			}
		}
	}
	return out
}

const nameDigits = 6
