package quarantine

import (
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// TestTamperingIsNotDeclared: x-needs answers for gadgets, and for nothing that
// switches a recorder off; the same interfaces used otherwise need it only.
func TestTamperingIsNotDeclared(t *testing.T) {
	cases := []struct {
		code string
		want bool
	}{
		{"import sys\ndef helper(): sys.addaudithook(lambda e, a: None)", true},
		{"import sys\ndef helper(): return sys._getframe().f_lineno", false},
		{"import sys\ndef helper(): sys.settrace(None)", true},
		{"import sys\ndef helper(): return sys.gettrace() is None", false},
		{"import ctypes\ndef helper(): ctypes.pythonapi.PySys_AddAuditHook(0, 0)", true},
		{"import ctypes\ndef helper(): return ctypes.pythonapi.Py_GetVersion", false},
		{"import ctypes, sys\ndef helper(): ctypes.memset(id(sys.stdout), 0, 16)", true},
		{"import ctypes\ndef helper(b): ctypes.memset(b, 0, 16)", false},
		{"import sys\ndef helper(f): sys.meta_path.insert(0, f)", true},
		{"import sys\ndef helper(): return len(sys.meta_path)", false},
	}
	var sources []string
	for _, c := range cases {
		sources = append(sources, atHead(c.code))
	}
	for i, f := range ask(t, sources...) {
		s := valid(t)
		s.Facts, s.Release.Tool.Needs = &f, spec.Needs()
		if got := refusedBy(Check(t.Context(), s), "PY-014"); got != cases[i].want {
			t.Errorf("%s: refused %v, want %v", cases[i].code, got, cases[i].want)
		}
	}
}
