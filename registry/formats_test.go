package registry_test

import (
	"bytes"
	"testing"

	patchgit "github.com/patch-cat/patch-git"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
	"github.com/patch-cat/patch-git/spec"
)

// TestFetchFormats fetches a release of every format whole, and counts the requests
// that are for nothing: where the version is stated the main file is guessed to be
// that of a Patch tool, else the record says what it is.
func TestFetchFormats(t *testing.T) {
	for _, format := range spec.Formats() {
		t.Run(string(format), func(t *testing.T) {
			releases, err := registrytest.ReleasesIn(patchgit.Tools, format)
			if err != nil || len(releases) < 2 {
				t.Fatalf("%d releases, %v", len(releases), err)
			}
			want := releases[0]
			r := registrytest.New(t)
			r.Publish(t, want, registrytest.Release("some_other_tool", "1.0.0"))
			s := registrytest.NewServer(t, r.Files())
			for ask, most := range map[string]int{want.Ref.At(): 1, string(want.Ref.Name): 0} {
				c, err := registry.Fetch(t.Context(), mustOpen(t, s.URL, options(t, s)), ref(t, ask))
				if err != nil || len(c.Files) != len(want.Files) {
					t.Fatalf("%s: %d files, %v", ask, len(c.Files), err)
				}
				for _, f := range want.Files {
					if !bytes.Equal(c.Files[f.Path], f.Data) {
						t.Errorf("%s: %s differs", ask, f.Path)
					}
				}
				if format == spec.FormatPatch {
					most = 0
				}
				if got := s.Take(); got.Absent > most {
					t.Errorf("%s: %d of %d requests were for nothing, want %d at most", ask, got.Absent, got.Requests, most)
				}
			}
		})
	}
}
