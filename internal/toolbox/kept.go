package toolbox

import (
	"errors"
	"io/fs"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// LoadKept is Load from the store alone: the main file too is read by its digest,
// whatever a person made of the one in tools/. It is for runs that are run again.
func (t *Toolbox) LoadKept(r Receipt, policy verify.Policy) (verify.Verified, error) {
	if policy.Registry != r.Registry {
		return verify.Verified{}, fault.New(fault.NotVerified, "policy", "%s was installed from %s", r.Ref().At(), r.Registry)
	}
	s, err := t.stored(r, false)
	if err != nil {
		return verify.Verified{}, err
	}
	return policy.Stored(r.Ref(), s)
}

// Visible is the digest of a tool's main file in tools/ as it is now; zero where there
// is none, or something that is no file of ours.
func (t *Toolbox) Visible(n spec.Name) (spec.Digest, error) {
	format := spec.FormatPatch
	if r, err := t.Find(spec.Ref{Name: n}); err == nil {
		format = t.formatOf(n, r.Version)
	}
	data, err := durable.ReadFileNoFollow(t.paths.Main(n, format), limits.ReleaseBytes)
	switch {
	case err == nil:
		return spec.DigestOf(data), nil
	case errors.Is(err, fs.ErrNotExist), fault.KindOf(err) == fault.Findings:
		return spec.Digest{}, nil // neither is a file that a digest can be of
	}
	return spec.Digest{}, err
}
