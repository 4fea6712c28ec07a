package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) registryAdd() *cobra.Command {
	var key, trustedRoot, signingConfig string
	var o consume.AddOptions
	c := &cobra.Command{
		Use:   "add location",
		Short: "Trust a registry from now on",
		Long: `Trust the registry at a folder, a URL (https://…) or a git repository
(git+https://…, git+ssh://…, git+file://…).

A registry is signed by a key or by a workflow of a GitHub repository. A key is
pinned as it is met, or held against --key. Which workflow has to sign follows
from the repository, which the location or --repository names; the numbers of
the repository and of its owner are pinned as Sigstore certified them.

A registry that comes with another signer later is refused, unless
--accept-change says that the change is wanted. Even then its log has to
continue the one that was seen. What the signer of before accepted is refused
from then on, installed or not, until the registry accepts it anew.`,
		Example: `  patch-git registry add ./registry
  patch-git registry add https://patch-cat.github.io/patch-git
  patch-git registry add git+https://github.com/patch-cat/patch-git --key sha256:…
  patch-git registry add https://tools.example.org --repository acme/tools --trusted-root acme.json`,
		Args: exactly("location"),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			if key != "" {
				d, err := spec.ParseDigest(key)
				if err != nil {
					return usage("--key: %w", err)
				}
				o.Key = &d
			}
			if o.TrustedRoot, err = a.given(c, "trusted-root"); err != nil {
				return err
			}
			if o.SigningConfig, err = a.given(c, "signing-config"); err != nil {
				return err
			}
			o.Mirrors = a.locations(o.Mirrors)
			o.Command = again(c, args)
			added, err := client.AddRegistry(c.Context(), a.location(args[0]), o)
			if err != nil {
				return err
			}
			return a.printAdded(added, o)
		},
	}
	f := c.Flags()
	f.StringVar(&key, "key", "", "the SHA-256 that the registry's public key must have")
	f.StringVar(&o.Repository, "repository", "", "whose workflow signs, as owner/repo on GitHub")
	f.StringVar(&o.Workflow, "workflow", "", "which workflow of the repository signs (default: "+ledger.PublishWorkflow+")")
	f.StringVar(&o.Branch, "branch", "", "the branch that it is run from (default: main)")
	f.StringVar(&trustedRoot, "trusted-root", "", "the trusted_root.json of a private Sigstore instance")
	f.StringVar(&signingConfig, "signing-config", "", "the signing_config.json of that instance, for who publishes")
	f.BoolVar(&o.AcceptChange, "accept-change", false, "trust it although it is signed by somebody else than before")
	f.StringArrayVar(&o.Mirrors, "mirror", nil, "another location to ask when the first fails; can be repeated")
	return c
}

// given reads the file that a flag names; nil where the flag is not given.
func (a *app) given(c *cobra.Command, flag string) ([]byte, error) {
	f := c.Flags().Lookup(flag)
	if !f.Changed {
		return nil, nil
	}
	data, err := durable.ReadFile(a.path(f.Value.String()), limits.TrustedRoot)
	if err != nil {
		return nil, usage("--%s: %w", flag, err)
	}
	return data, nil
}

// again is the command as it was typed, but for the flags that every command
// has, to be typed once more with something added.
func again(c *cobra.Command, args []string) string {
	words := []string{c.CommandPath()}
	for _, arg := range args {
		words = append(words, word(arg))
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		if c.InheritedFlags().Lookup(f.Name) != nil || f.Value.Type() == "bool" {
			return
		}
		values := []string{f.Value.String()}
		if all, ok := f.Value.(pflag.SliceValue); ok {
			values = all.GetSlice()
		}
		for _, v := range values {
			words = append(words, "--"+f.Name, word(v))
		}
	})
	return strings.Join(words, " ")
}

// word is one that a shell reads as it is.
func word(s string) string {
	plain := func(r rune) bool {
		return r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/.:_-+@%,", r))
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// signer is how --json tells who signs a registry.
type signer struct {
	Trust          string           `json:"trust"`
	Key            string           `json:"key,omitempty"`
	IdentityDigest string           `json:"identity_digest,omitempty"`
	Identity       *ledger.Identity `json:"identity,omitempty"`
	TrustedRoot    string           `json:"trusted_root,omitempty"` // of a private Sigstore, its digest
}

func signerOf(t ledger.Trust, trustedRoot []byte) signer {
	if t.Kind == ledger.TrustKey {
		return signer{Trust: t.Kind, Key: t.Digest().String()}
	}
	s := signer{Trust: t.Kind, IdentityDigest: t.Digest().String(), Identity: t.Identity}
	if trustedRoot != nil {
		s.TrustedRoot = spec.DigestOf(trustedRoot).String()
	}
	return s
}

// short is the signer in a word or three.
func (s signer) short() string {
	if s.Identity == nil {
		return s.Key[:len("sha256:")+12] + "…"
	}
	return "workflow of " + ownerAndName(s.Identity)
}

func ownerAndName(id *ledger.Identity) string {
	return strings.TrimPrefix(id.Repository, "https://github.com/")
}

func (a *app) printAdded(added *consume.Added, o consume.AddOptions) error {
	s := signerOf(added.Pin.Trust, added.Pin.TrustedRoot)
	if a.json {
		return a.out.document(struct {
			Schema   int               `json:"schema"`
			Registry spec.RegistryName `json:"registry"`
			Location string            `json:"location"`
			signer
			Head any `json:"head"`
		}{1, added.Pin.Name, added.Pin.Location, s, added.Head})
	}
	a.out.printf("%s %s\n", a.out.green("trusted"), a.out.bold(string(added.Pin.Name)))
	rows := [][]string{{"at", safe(added.Pin.Location)}}
	if s.Identity == nil {
		rows = append(rows, []string{"signed by", s.Key})
	} else {
		rows = append(rows, identityRows(s)...)
	}
	rows = append(rows, []string{"head", fmt.Sprintf("%d of %s, %d log entries", added.Head.Seq, added.Head.Time, added.Head.Log.Size)})
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	for _, r := range rows {
		a.out.printf("  %-*s %s\n", width, r[0], r[1])
	}
	switch {
	case s.Identity != nil:
		a.out.say("compare the numbers with those that its maintainers publish; from now on nobody else can sign")
	case o.Key == nil:
		a.out.say("compare the key with the one that its maintainers publish; --key makes the comparison for you")
	}
	return nil
}

// identityRows show a person what is trusted, and what of it was learned.
func identityRows(s signer) [][]string {
	id := s.Identity
	file := strings.TrimPrefix(strings.TrimSuffix(id.BuildSigner, "@"+id.Ref), id.Repository+"/")
	rows := [][]string{
		{"signed by", "the workflow of " + ownerAndName(id)},
		{"repository", id.Repository + ", number " + id.RepositoryID},
		{"owner", "number " + id.OwnerID},
		{"workflow", file},
		{"branch", id.Ref},
		{"trigger", id.Trigger},
		{"runner", id.Runner},
		{"issuer", id.Issuer},
	}
	for _, r := range [][]string{{"environment", id.Environment}, {"token", id.TokenSubject}, {"sigstore", s.TrustedRoot}} {
		if r[1] != "" {
			rows = append(rows, r)
		}
	}
	for _, r := range rows {
		r[1] = safe(r[1])
	}
	return rows
}
