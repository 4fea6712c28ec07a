package quarantine

import "testing"

// first measurement, to be replaced
func TestSecondEvasionProbes(t *testing.T) {
	all := readProbes(t, "evasion2.txt")
	var srcs []string
	for _, p := range all {
		srcs = append(srcs, p.Attack, p.Twin)
	}
	reports := judgeProbes(t, srcs, false)
	facts := ask(t, srcs...)
	for i, p := range all {
		in := Infer(&facts[2*i], nil)
		ok := false
		for _, w := range p.Words {
			ok = ok || in.Has(Capability(w))
		}
		if !refusedBy(reports[2*i], "CAP-") {
			t.Logf("MISS %s %v", p.ID, p.Words)
		} else if !ok {
			t.Logf("OTHER %s %v: has %v uncl %v", p.ID, p.Words, in.Uses, in.Unclassified)
		}
		in = Infer(&facts[2*i+1], nil)
		if refusedBy(reports[2*i+1], "CAP-") {
			t.Logf("TWIN %s: %v %v", p.ID, in.Uses, in.Unclassified)
		}
		if len(p.ID) > 9 && p.ID[:9] == "at-import" {
			if !refusedBy(reports[2*i], "PY-002", "PY-012") {
				t.Logf("IMPURE-MISS %s", p.ID)
			}
			if refusedBy(reports[2*i+1], "PY-002", "PY-012") {
				t.Logf("IMPURE-TWIN %s", p.ID)
			}
		}
	}
}
