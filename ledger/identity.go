package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// GitHubIssuer is who vouches for what a GitHub workflow is.
const GitHubIssuer = "https://token.actions.githubusercontent.com"

// Identity is the workflow that signs a registry without a key: what Fulcio
// writes into a certificate from the claims of GitHub's token. The comment of
// each field has the arc of Fulcio's object identifier 1.3.6.1.4.1.57264.1.
//
// All are compulsory and compared exactly, but the last two, which are pinned
// where the certificate of the first head had them; then they are compulsory too.
type Identity struct {
	Issuer       string `json:"issuer"`                  // .8
	SAN          string `json:"san"`                     // the certificate's one subject alternative name, a URI
	Repository   string `json:"repository"`              // .12, whose workflow runs
	RepositoryID string `json:"repository_id"`           // .15, stays when a name changes hands
	OwnerID      string `json:"owner_id"`                // .17, likewise
	Ref          string `json:"ref"`                     // .14
	BuildSigner  string `json:"build_signer"`            // .9, the workflow file that runs
	BuildConfig  string `json:"build_config"`            // .18, the workflow file that was started
	Trigger      string `json:"trigger"`                 // .20, the event
	Runner       string `json:"runner"`                  // .11
	Environment  string `json:"environment,omitempty"`   // .23, a deployment environment with its protection rules
	TokenSubject string `json:"token_subject,omitempty"` // .24
}

// What a registry on GitHub is signed by, unless its pin says otherwise.
const (
	PublishWorkflow = ".github/workflows/publish.yml"
	PublishRef      = "refs/heads/main"
	PublishTrigger  = "push"
	HostedRunner    = "github-hosted"
)

// GitHubIdentity is the identity of the registry in a GitHub repository: its
// own publish workflow, run by a push to main on GitHub's machines. The
// numbers, which nobody can know beforehand, are left empty.
func GitHubIdentity(registry spec.RegistryName) Identity {
	return GitHubWorkflow(string(registry), PublishWorkflow, PublishRef)
}

// GitHub is where repositories are.
const GitHub = "https://github.com/"

// GitHubWorkflow is the same for the workflow file at a path of a repository,
// which is owner/name as GitHub spells it, run from another ref.
func GitHubWorkflow(repository, path, ref string) Identity {
	repo := GitHub + repository
	workflow := repo + "/" + path + "@" + ref
	return Identity{
		Issuer: GitHubIssuer, SAN: workflow, Repository: repo, Ref: ref,
		BuildSigner: workflow, BuildConfig: workflow, Trigger: PublishTrigger, Runner: HostedRunner,
	}
}

// IdentityField is one field of an identity by the name that it has in JSON.
type IdentityField struct{ Name, Value string }

// Fields lists all fields, in the order of the struct.
func (i *Identity) Fields() []IdentityField {
	return []IdentityField{
		{"issuer", i.Issuer},
		{"san", i.SAN},
		{"repository", i.Repository},
		{"repository_id", i.RepositoryID},
		{"owner_id", i.OwnerID},
		{"ref", i.Ref},
		{"build_signer", i.BuildSigner},
		{"build_config", i.BuildConfig},
		{"trigger", i.Trigger},
		{"runner", i.Runner},
		{"environment", i.Environment},
		{"token_subject", i.TokenSubject},
	}
}

// optional are the fields that a workflow need not have.
var optional = []string{"environment", "token_subject"}

// numbers are the fields that are pinned when a registry is first met.
var numbers = []string{"repository_id", "owner_id"}

// maxIdentityField is beyond what Fulcio writes.
const maxIdentityField = 1024

// Check tells what is missing of an identity that is to be compared with, or nil.
func (i *Identity) Check() error { return i.check(true) }

// CheckTemplate is Check for an identity whose numbers are still to be pinned.
func (i *Identity) CheckTemplate() error { return i.check(false) }

func (i *Identity) check(numbered bool) error {
	if i == nil {
		return errors.New("identity is missing")
	}
	for _, f := range i.Fields() {
		number := slices.Contains(numbers, f.Name)
		switch {
		case f.Value == "" && (slices.Contains(optional, f.Name) || number && !numbered):
		case f.Value == "":
			return fmt.Errorf("identity has no %s", f.Name)
		case len(f.Value) > maxIdentityField || strings.ContainsFunc(f.Value, func(r rune) bool { return r <= ' ' || r > '~' }):
			return fmt.Errorf("identity has the %s %s", f.Name, spec.Quote(f.Value))
		case number && !isNumber(f.Value):
			return fmt.Errorf("identity has the %s %s, not a number", f.Name, spec.Quote(f.Value))
		}
	}
	return nil
}

func isNumber(s string) bool {
	n, err := strconv.ParseUint(s, 10, 63)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == s
}
