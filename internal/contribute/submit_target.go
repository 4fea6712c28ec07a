package contribute

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Target is the registry on GitHub that something is proposed to.
type Target struct {
	Registry spec.RegistryName
	Repo     github.Repo
	Branch   string // "" is the repository's own default
	ID       string // number of the repository, "" where nobody pinned it
	OwnerID  string // likewise of its owner
	Pinned   bool   // clients of this user verify what it publishes
}

// TargetOf chooses a registry: the one that is named, owner/name as its pin or
// its repository is called, else the only pinned one that a workflow signs.
func TargetOf(pins []toolbox.Pin, named string) (Target, error) {
	if named == "" {
		return onlyTarget(pins)
	}
	name, err := spec.ParseRepository(named)
	if err != nil {
		return Target{}, fault.New(fault.Usage, "repository", "--registry: %w", err).Hint("--registry owner/name, as GitHub spells the repository")
	}
	if i := slices.IndexFunc(pins, func(p toolbox.Pin) bool { return p.Name == name }); i >= 0 {
		return pinnedTarget(pins[i])
	}
	owner, repo, _ := strings.Cut(named, "/")
	return Target{Registry: name, Repo: github.Repo{Owner: owner, Name: repo}}, nil
}

func onlyTarget(pins []toolbox.Pin) (Target, error) {
	var found []toolbox.Pin
	for _, p := range pins {
		if p.Trust.Kind == ledger.TrustKeyless {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 1:
		return pinnedTarget(found[0])
	case 0:
		return Target{}, fault.New(fault.Usage, "no_registry", "no registry on GitHub is added, so it has to be named").
			Hint("--registry owner/name").Hint("a registry in a folder is published to with --to folder")
	}
	e := fault.New(fault.Usage, "ambiguous", "%d registries on GitHub are added", len(found))
	for _, p := range found {
		e = e.Hint("--registry %s", p.Name)
	}
	return Target{}, e
}

// pinnedTarget reads from a pin which repository it is, by the identity that
// every head was verified against: nobody else's word decides where to.
func pinnedTarget(p toolbox.Pin) (Target, error) {
	id := p.Trust.Identity
	if p.Trust.Kind != ledger.TrustKeyless || id == nil {
		return Target{}, fault.New(fault.Usage, "registry_kind", "%s is signed by a key and takes no pull requests", p.Name).
			Hint("publish into its folder: --to folder")
	}
	repository, ok := strings.CutPrefix(id.Repository, ledger.GitHub)
	name, err := spec.ParseRepository(repository)
	if !ok || err != nil || name != p.Name {
		return Target{}, fault.New(fault.NotVerified, "pin", "what is kept of registry %s is of the repository %s", p.Name, spec.Quote(id.Repository)).
			Hint("patch-git registry remove %s, then add it again", p.Name)
	}
	owner, repo, _ := strings.Cut(repository, "/")
	return Target{
		Registry: p.Name, Repo: github.Repo{Owner: owner, Name: repo}, Branch: strings.TrimPrefix(id.Ref, "refs/heads/"),
		ID: id.RepositoryID, OwnerID: id.OwnerID, Pinned: true,
	}, nil
}
