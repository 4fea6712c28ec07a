package contribute

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyless"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/internal/trustroot"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// workflowSigner signs as the GitHub job that this process runs in. What it
// makes is held against the whole identity, the numbers included, so that a job
// which clients would refuse is refused here and publishes nothing.
func (w *Workshop) workflowSigner(ctx context.Context, b *bench, with Signing) (*signer, error) {
	doc := b.doc
	token := keyless.GitHubToken(w.host.Getenv, w.host.HTTP())
	// Outside of a job nobody can sign, which must be known before anything
	// changes. A service that is out of order is asked again when it is needed.
	if _, err := token(ctx); fault.KindOf(err) == fault.Denied {
		return nil, err
	}
	identity, err := numbered(*doc.Trust.Identity, w.host.Getenv)
	if err != nil {
		return nil, err
	}
	sigstore, err := w.sigstore(doc.Name, with)
	if err != nil {
		return nil, err
	}
	root, err := keyless.ParseRoot(sigstore.Root)
	if err != nil {
		return nil, fault.New(fault.Usage, "trusted_root", "%w", err)
	}
	stated := ledger.Trust{Kind: ledger.TrustKeyless, Identity: identity}
	s := &signer{first: true, stated: stated, policy: verify.Policy{Registry: doc.Name, Trust: stated, Sigstore: root}}
	if err := s.succeed(ctx, b.store(), with.AcceptChange); err != nil {
		return nil, err
	}
	if s.Signer, err = keyless.NewWorkflow(keyless.WorkflowOptions{
		Token: token, Config: sigstore.Config, HTTP: w.host.HTTP(), Now: w.host.Now, Pause: w.pause,
		Check: func(bundle []byte, st *ledger.Statement) error {
			_, err := s.policy.Evidence(bundle, st.Subject[0].Name, st.PredicateType)
			return err
		},
	}); err != nil {
		return nil, err
	}
	return s, nil
}

// succeed looks at the head that is to be built on. Of its signer the identity
// takes the fields that a registry need not state and that clients pin all the
// same: without them a job would pass here that all clients refuse. One that
// somebody else signed stops the job, unless the maintainer has said that this
// is a change and it was a workflow of the same repository, by its number.
func (s *signer) succeed(ctx context.Context, tree registry.Source, change bool) error {
	chain, err := registry.FetchHead(ctx, tree)
	switch {
	case fault.ReasonOf(err) == "no_registry":
		return nil // this publication makes the first head
	case err != nil:
		return err
	}
	known, err := s.policy.Introduce(chain.HeadEvidence, chain.Head)
	if err == nil {
		s.policy.Trust.Identity = &known
		return nil
	}
	if !strings.HasPrefix(fault.ReasonOf(err), "identity:") {
		return err
	}
	if !change {
		return fault.New(fault.NotVerified, fault.ReasonOf(err), "the published head is not by the workflow that registry.yaml names: %w", err).
			Hint("if registry.yaml was changed on purpose: patch-git registry publish . --accept-change")
	}
	_, who, err := s.policy.Sigstore.Open(chain.HeadEvidence, s.policy.Registry.HeadSubject())
	if err != nil {
		return err
	}
	if own := s.policy.Trust.Identity; who.Issuer != own.Issuer || who.RepositoryID != own.RepositoryID {
		return fault.New(fault.NotVerified, "identity:repository_id", "the published head is by a workflow of the repository %s, not of %s",
			spec.Quote(who.RepositoryID), own.RepositoryID)
	}
	before := s.policy
	before.Trust.Identity = &who
	s.before = &predecessor{before, chain.HeadEvidence}
	return nil
}

// numbered completes the identity of registry.yaml with the numbers of the
// repository and its owner, as the job's environment states them. That is only
// a claim: Sigstore certifies the numbers, and the certificate is compared.
func numbered(id ledger.Identity, getenv func(string) string) (*ledger.Identity, error) {
	for _, n := range []struct {
		field, variable string
		number          *string
	}{
		{"repository_id", "GITHUB_REPOSITORY_ID", &id.RepositoryID},
		{"owner_id", "GITHUB_REPOSITORY_OWNER_ID", &id.OwnerID},
	} {
		here := getenv(n.variable)
		if *n.number != "" && here != "" && here != *n.number {
			return nil, fault.New(fault.Denied, "identity", "this job runs with the %s %s, and registry.yaml names %s", n.field, spec.Quote(here), *n.number).
				Hint("a repository that was made anew under its name is another one; its registry is signed by another identity")
		}
		*n.number = cmp.Or(*n.number, here)
	}
	if err := id.Check(); err != nil {
		return nil, fault.New(fault.Denied, "identity", "this job does not say which repository it runs in: %w", err).
			Hint("GitHub sets GITHUB_REPOSITORY_ID and GITHUB_REPOSITORY_OWNER_ID for every job; pass them on")
	}
	return &id, nil
}

// sigstore is the instance to sign with: the files that were named, else those
// that the maintainer added the registry with, else the public one.
func (w *Workshop) sigstore(name spec.RegistryName, with Signing) (m trustroot.Material, err error) {
	if with.Root == "" {
		box, err := toolbox.Open(w.host.Paths, w.host.Now)
		if err != nil {
			return m, err
		}
		pin, err := box.Pin(name)
		switch {
		case err == nil && pin.TrustedRoot != nil && pin.SigningConfig != nil:
			return trustroot.Material{Root: pin.TrustedRoot, Config: pin.SigningConfig}, nil
		case err != nil && fault.KindOf(err) != fault.NotFound:
			return m, err
		}
		return trustroot.Load(w.host.Paths.Trust())
	}
	if m.Config, err = named(with.Config); err == nil {
		m.Root, err = named(with.Root)
	}
	return m, err
}

// named reads a file of the command line.
func named(path string) ([]byte, error) {
	data, err := durable.ReadFile(path, limits.TrustedRoot)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "no_file", "there is no file %s", spec.Quote(path))
	}
	return data, err
}
