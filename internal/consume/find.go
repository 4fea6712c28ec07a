package consume

import (
	"context"
	"maps"
	"net/url"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// found is a release that was fetched and verified, and what surrounds it.
type found struct {
	pin     toolbox.Pin
	head    verify.Head
	record  verify.Record
	version ledger.RecordVersion
	release verify.Verified
}

// find fetches and verifies what a reference means. Of several registries
// exactly one may have the name: which one is meant is not ours to guess,
// because whoever adds a name to a second registry could take it over. A
// registry that has the name but not the version counts, for the same reason.
func (c *Client) find(ctx context.Context, ref spec.Ref, in spec.RegistryName) (*found, error) {
	pins, err := c.pins(in)
	if err != nil {
		return nil, err
	}
	var got *found
	var missing error
	var having []spec.RegistryName
	for _, pin := range pins {
		f, err := c.findIn(ctx, pin, ref)
		switch {
		case err == nil:
			got, having = f, append(having, pin.Name)
		case !verify.Absent(err):
			return nil, err
		case verify.AbsentVersion(err):
			missing, having = err, append(having, pin.Name)
		case missing == nil:
			missing = err
		}
	}
	switch {
	case len(having) > 1:
		return nil, fault.New(fault.Usage, "ambiguous", "%s is in %s and in %s", ref.Name, having[0], having[1]).
			Hint("add --registry %s or --registry %s", having[0], having[1])
	case got == nil:
		return nil, missing
	}
	return got, nil
}

func (c *Client) findIn(ctx context.Context, pin toolbox.Pin, ref spec.Ref) (*found, error) {
	f := &found{pin: pin}
	err := c.answer(ctx, pin, func(src registry.Source) error {
		ask := ref
		if ask.Version == "" {
			chain, err := registry.FetchRecord(ctx, src, ref.Name)
			if err != nil {
				return err
			}
			record, err := c.recordOf(ctx, pin, src, chain, ref.Name)
			if err != nil {
				return err
			}
			v, err := record.Resolve(ref)
			if err != nil {
				return err
			}
			ask.Version = v.Version
		}
		candidate, err := registry.Fetch(ctx, src, ask)
		if err != nil {
			return err
		}
		if f.record, err = c.recordOf(ctx, pin, src, candidate.Chain, ref.Name); err != nil {
			return err
		}
		f.head = f.record.Head()
		if f.version, err = f.record.Resolve(ask); err != nil {
			return err
		}
		f.release, err = f.record.Release(candidate)
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (c *Client) recordOf(ctx context.Context, pin toolbox.Pin, src registry.Source, chain spec.Chain, name spec.Name) (verify.Record, error) {
	head, err := c.follow(ctx, pin, src, chain)
	if err != nil {
		return verify.Record{}, err
	}
	return head.Record(chain, name)
}

// Info is all that is known of one tool.
type Info struct {
	Registry    spec.RegistryName    `json:"registry"`
	Head        verify.Seen          `json:"head"`
	Record      ledger.Record        `json:"record"`
	Tool        *spec.Tool           `json:"tool"`
	Release     spec.Digest          `json:"release"`
	Installed   []spec.Version       `json:"installed,omitempty"`
	Published   string               `json:"published"`
	LogIndex    int64                `json:"log_index"`
	Files       []ledger.ReleaseFile `json:"files"`
	Contributor ledger.Owner         `json:"contributor"`
	Packages    *Packages            `json:"packages,omitempty"` // nil where it needs none
	Waived      []spec.Finding       `json:"waived,omitempty"`   // what the registry let pass

	Pin        toolbox.Pin        `json:"-"` // whom the registry has to be signed by
	Acceptance *ledger.Acceptance `json:"-"` // what it signed of this release
}

// Packages is where a release with packages runs, and where they come from.
type Packages struct {
	Platforms      []string `json:"platforms"`
	Unsupported    []string `json:"unsupported"`
	Hosts          []string `json:"hosts"`
	UploadedBefore string   `json:"uploaded_before,omitempty"`
}

func packagesOf(c *ledger.Closure) *Packages {
	if c == nil {
		return nil
	}
	hosts := map[string]bool{}
	for _, wheels := range c.Targets {
		for _, w := range wheels {
			if u, err := url.Parse(w.URL); err == nil {
				hosts[u.Host] = true
			}
		}
	}
	return &Packages{slices.Sorted(maps.Keys(c.Targets)), pyenv.Unsupported(c), slices.Sorted(maps.Keys(hosts)), c.ExcludeNewer}
}

// Info fetches and verifies what a registry says of a tool, and the manifest
// of the version that the reference means.
func (c *Client) Info(ctx context.Context, ref spec.Ref, in spec.RegistryName) (*Info, error) {
	f, err := c.find(ctx, ref, in)
	if err != nil {
		return nil, err
	}
	versions, err := c.Box.Versions(ref.Name)
	if err != nil {
		return nil, err
	}
	closure, err := closureOf(f.release)
	if err != nil {
		return nil, err
	}
	published, index := f.release.Published()
	return &Info{
		Registry: f.pin.Name, Head: f.head.Seen(), Record: f.record.Document(), Tool: f.release.Tool(), Release: f.release.Ref().Digest,
		Installed: versions, Published: published, LogIndex: index, Files: f.release.Document().Files,
		Contributor: f.release.Acceptance().Contributor, Packages: packagesOf(closure),
		Waived: quarantine.WaivedIn(f.release.File(ledger.ReportFileName)), Pin: f.pin, Acceptance: f.release.Acceptance(),
	}, nil
}
