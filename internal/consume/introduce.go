package consume

import (
	"cmp"
	"errors"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// introduced finds out whom to trust for a registry.
func (c *Client) introduced(pin toolbox.Pin, doc *ledger.Registry, chain spec.Chain, o AddOptions) (ledger.Trust, error) {
	no := func(r verify.Reason, format string, args ...any) (ledger.Trust, error) {
		return ledger.Trust{}, fault.New(fault.NotVerified, string(r), format, args...)
	}
	if doc.Trust.Kind == ledger.TrustKey {
		switch got := doc.Trust.Digest(); {
		case o.Repository != "":
			return no(verify.ReasonTrust, "%s is signed by a key, not by the workflow of a repository", doc.Name)
		case o.Key != nil && *o.Key != got:
			return no(verify.ReasonKey, "%s is signed by the key %s, not by %s", doc.Name, got, *o.Key)
		case o.TrustedRoot != nil:
			return ledger.Trust{}, fault.New(fault.Usage, "trusted_root", "%s is signed by a key, and a trusted root is for registries that a workflow signs", doc.Name)
		case o.Workflow != "" || o.Branch != "":
			return ledger.Trust{}, fault.New(fault.Usage, "workflow", "%s is signed by a key, not by a workflow", doc.Name)
		}
		return doc.Trust, nil
	}
	if o.Key != nil {
		return no(verify.ReasonTrust, "%s is signed by a workflow, not by a key", doc.Name)
	}
	identity, name, err := expected(doc, o, pin.Location)
	if err != nil {
		return ledger.Trust{}, err
	}
	if name != doc.Name {
		return no(verify.ReasonRegistry, "the registry of the repository %s calls itself %s", name, doc.Name)
	}
	pin.Trust = ledger.Trust{Kind: ledger.TrustKeyless, Identity: &identity}
	if identity, err = c.Box.Arm(pin).Policy().Introduce(chain.HeadEvidence, chain.Head); err != nil {
		return ledger.Trust{}, err
	}
	return ledger.Trust{Kind: ledger.TrustKeyless, Identity: &identity}, nil
}

// expected is the identity that follows from what the person said, but for its
// numbers. Of the registry's own words only the spelling of its repository
// counts, where that differs in upper and lower case alone: those are one
// repository to GitHub.
func expected(doc *ledger.Registry, o AddOptions, location string) (ledger.Identity, spec.RegistryName, error) {
	repo := cmp.Or(o.Repository, repositoryOf(location))
	if repo == "" {
		return ledger.Identity{}, "", fault.New(fault.Usage, "repository", "%s is signed by a workflow, and its location does not say of which repository", doc.Name).
			Hint("name it: --repository owner/name").Hint("or add it by the address of its repository: https://github.com/owner/name")
	}
	name, err := spec.ParseRepository(repo)
	if err != nil {
		return ledger.Identity{}, "", fault.New(fault.Usage, "repository", "%w", err)
	}
	if doc.Trust.Identity != nil {
		spelled := strings.TrimPrefix(doc.Trust.Identity.Repository, ledger.GitHub)
		if same, err := spec.ParseRepository(spelled); err == nil && same == name {
			repo = spelled
		}
	}
	workflow := cmp.Or(o.Workflow, ledger.PublishWorkflow)
	if !strings.Contains(workflow, "/") {
		workflow = ".github/workflows/" + workflow
	}
	ref := ledger.PublishRef
	if o.Branch != "" {
		ref = "refs/heads/" + strings.TrimPrefix(o.Branch, "refs/heads/")
	}
	return ledger.GitHubWorkflow(repo, workflow, ref), name, nil
}

// repositoryOf derives owner/name of a GitHub repository from its own address
// or from that of its pages, "" from any other.
func repositoryOf(location string) string {
	scheme, rest, ok := strings.Cut(strings.TrimPrefix(location, "git+"), "://")
	if !ok || scheme != "https" && scheme != "ssh" {
		return "" // a folder, or a host that anybody on the way can be
	}
	host, path, _ := strings.Cut(strings.TrimPrefix(rest, "git@"), "/")
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	owner, pages := strings.CutSuffix(strings.ToLower(host), ".github.io")
	switch {
	case host == "github.com" && strings.Count(path, "/") == 1:
		return path
	case pages && path != "" && !strings.Contains(path, "/") && !strings.Contains(owner, "."):
		return owner + "/" + path
	}
	return ""
}

// advise adds to a refusal what may help: a registry that was added with a
// trusted root of its own needs that again, and one that says that another
// workflow of its repository signs it can be believed in that, by who knows.
func (c *Client) advise(doc *ledger.Registry, o AddOptions, location string, refused error) error {
	e, ok := errors.AsType[*fault.Error](refused)
	if !ok || e.Kind != fault.NotVerified {
		return refused
	}
	known, err := c.Box.Pin(doc.Name)
	added := err == nil
	if e.Reason == string(verify.ReasonRoot) && o.TrustedRoot == nil && added && known.TrustedRoot != nil {
		e.Hints = nil
		return e.Hint("it was added with a trusted root of its own: --trusted-root FILE")
	}
	says := doc.Trust.Identity
	want, _, err := expected(doc, o, location)
	if err != nil || says == nil || says.Repository != want.Repository || says.SAN == want.SAN || o.Command == "" || !strings.HasPrefix(e.Reason, "identity:") {
		return refused
	}
	path, ref, _ := strings.Cut(strings.TrimPrefix(says.SAN, says.Repository+"/"), "@refs/heads/")
	if !typable(path) || !typable(ref) || ledger.GitHubWorkflow(strings.TrimPrefix(says.Repository, ledger.GitHub), path, "refs/heads/"+ref).SAN != says.SAN {
		return refused
	}
	command := o.Command + " --workflow " + path + " --branch " + ref
	if added {
		command += " --accept-change"
	}
	return e.Hint("it says that another workflow signs it now; if its maintainers announced that: %s", command)
}

// typable tells whether a registry's word can be shown as part of a command: no
// shell does anything with it.
func typable(s string) bool {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._/-", r)
	}
	return s != "" && s[0] != '-' && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) })
}
