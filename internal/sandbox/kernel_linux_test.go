package sandbox

import "testing"

func TestKernelVersion(t *testing.T) {
	for release, want := range map[string][2]int{
		"6.14.0": {6, 14}, "6.1.0-28-amd64": {6, 1}, "5.15.167.4-microsoft-standard-WSL2": {5, 15}, "7.0-rc1": {7, 0},
		"10.2": {10, 2}, "": {}, "6": {}, "x.y": {}, "6.x": {}, "-1.2": {-1, 2},
	} {
		if major, minor := kernelVersion(release); major != want[0] || minor != want[1] {
			t.Errorf("%q is read as %d.%d, want %v", release, major, minor, want)
		}
	}
}
