package pyenv

import (
	"testing"
)

func TestKnown(t *testing.T) {
	p := real(t)
	good, refused, err := p.Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range good {
		t.Logf("%s %s %s %s %v %q", in.Path, in.Version, in.Target, in.Cache, in.Missing, in.Library)
		for _, m := range in.Mounts {
			t.Log("   ", m.Source, m.Target)
		}
	}
	for _, r := range refused {
		t.Log("refused", r)
	}
}
