package quarantine_test

import (
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/quarantine"
)

func TestReadScript(t *testing.T) {
	const block = "# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\n#   \"requests==2.32.5\", # pinned\n#   'rich>=13',\n# ]\n# ///\n"
	s, found, err := quarantine.ReadScript([]byte("#!/usr/bin/env python3\n" + block + "import requests\n"))
	if err != nil || !found || !slices.Equal(s.Dependencies, []string{"requests==2.32.5", "rich>=13"}) {
		t.Errorf("%+v, %v, %v", s, found, err)
	}
	for minor, want := range map[string]bool{"3.10": false, "3.11": true, "3.14": true} {
		if ok, err := s.Allows(minor); ok != want || err != nil {
			t.Errorf("%s: %v, %v", minor, ok, err)
		}
	}
	if s, found, err := quarantine.ReadScript([]byte("x = 1\n")); found || err != nil || len(s.Dependencies) > 0 {
		t.Errorf("%+v, %v, %v", s, found, err)
	}
	for name, source := range map[string]string{
		"twice": block + "\n" + block, "not closed": "# /// script\n# dependencies = []\nx = 1\n", "no TOML": "# /// script\n# dependencies = oops\n# ///\n",
		"another key": "# /// script\n# index = \"x\"\n# ///\n",
	} {
		if _, _, err := quarantine.ReadScript([]byte(source)); fault.KindOf(err) != fault.Findings {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLacking(t *testing.T) {
	f := &quarantine.Facts{Imports: []quarantine.Import{
		{Module: "json", Stdlib: true},
		{Module: "urllib.request", Stdlib: true},
		{Module: "urllib", Name: "request", Stdlib: true},
		{Module: "requests"},
		{Module: "requests.adapters"},
		{Module: "numpy"},
		{Module: "yaml"},
		{Module: "typing_only", Typing: true},
		{Module: "maybe", Optional: true},
		{Module: "beside", Level: 1},
	}}
	if got := quarantine.Lacking(f, []string{"PyYAML==6.0.3"}); !slices.Equal(got, []string{"requests", "numpy"}) {
		t.Errorf("got %q", got)
	}
}

func FuzzScriptBlock(f *testing.F) {
	f.Add([]byte("# /// script\n# requires-python = \">=3.11\"\n# dependencies = ['a==1']\n# ///\n"))
	f.Add([]byte("# /// script\n# dependencies = [\"\\u0041\"]\n# [tool.x]\n# ///\n# /// script\n"))
	f.Fuzz(func(_ *testing.T, source []byte) {
		s, _, err := quarantine.ReadScript(source)
		if err == nil {
			_, _ = s.Allows("3.12")
		}
	})
}
