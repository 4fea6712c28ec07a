package host

import "testing"

// FuzzParseStat: a process chooses its name, and must not choose its parent by it.
func FuzzParseStat(f *testing.F) {
	f.Add("bash")
	f.Add(") S 1 (")
	f.Add("a b) R 1 2")
	f.Fuzz(func(t *testing.T, name string) {
		got, parent, err := parseStat("7 (" + name + ") S 42 7 7 0 -1")
		if err != nil || got != name || parent != 42 {
			t.Errorf("%q: %q, %d, %v", name, got, parent, err)
		}
	})
}
