package quarantine

import (
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/quarantine/probes"
)

// What is wrong about the second set. Purity asks for no work at import, harmless
// or not, so it refuses a twin that runs its own code there.
var (
	wrongSecond = []string{"yaml-loader"}
	ranAtImport = []string{
		"at-import-init-subclass", "at-import-set-name", "at-import-metaclass", "at-import-meta-call", "at-import-operator",
		"at-import-getitem", "at-import-format", "at-import-property", "at-import-unpack", "at-import-bool", "at-import-hash",
		"at-import-sorted", "at-import-enum", "at-import-post-init", "at-import-lambda", "at-import-type", "at-import-generator",
		"at-import-context", "at-import-missing", "at-import-match",
	}
)

// TestSecondEvasionProbes: each attack shows a capability that is the truth, or one
// that is more than all of them, or that nobody knows; and what works at import is
// impure whatever it does.
func TestSecondEvasionProbes(t *testing.T) {
	all := readProbes(t, "evasion2.txt")
	if !pythonHas(t, "match") {
		all = slices.DeleteFunc(all, func(p probes.Probe) bool { return strings.Contains(p.Attack, "match ") })
	}
	var codes, missed, wrong, pure, impure []string
	for _, p := range all {
		codes = append(codes, p.Attack, p.Twin)
	}
	reports, facts := judgeProbes(t, codes, false), ask(t, codes...)
	for i, p := range all {
		attack, twin := 2*i, 2*i+1
		in := Infer(&facts[attack], nil)
		known := slices.ContainsFunc(append(p.Words, "dynamic", "native"), func(w string) bool { return in.Has(Capability(w)) })
		if !refusedBy(reports[attack], "CAP-") || !known && len(in.Unclassified) == 0 {
			missed = append(missed, p.ID)
		}
		if refusedBy(reports[twin], "CAP-") {
			wrong = append(wrong, p.ID)
		}
		if !strings.HasPrefix(p.ID, "at-import-") {
			continue
		}
		if !refusedBy(reports[attack], "PY-002", "PY-012") {
			pure = append(pure, p.ID)
		}
		if refusedBy(reports[twin], "PY-002", "PY-012") {
			impure = append(impure, p.ID)
		}
	}
	held(t, "an attack is not refused", missed, nil)
	held(t, "a twin is refused", wrong, wrongSecond)
	held(t, "work at import is not refused", pure, nil)
	held(t, "a twin is refused for work at import", impure, ranAtImport)
}
