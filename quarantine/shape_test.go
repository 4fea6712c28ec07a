package quarantine

import (
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// TestCarries: the list of packages belongs to what has some, and to nothing else.
func TestCarries(t *testing.T) {
	for _, file := range []string{"closure.json", "pylock.toml"} {
		for format, want := range map[spec.Format]bool{
			spec.FormatPatch: true, spec.FormatInstall: true, spec.FormatSkill: false, spec.FormatArcade: false, "other": false,
		} {
			if carries(format, file) != want {
				t.Errorf("%s in a release of the format %s: %v", file, format, !want)
			}
		}
	}
	for _, format := range spec.Formats() {
		if !carries(format, format.MainFile()) || carries(format, "setup.py") && format != spec.FormatSkill {
			t.Errorf("the format %s", format)
		}
	}
}
