package contribute

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Made is a new registry.
type Made struct {
	Dir       string
	Published string
	Trust     ledger.Trust
	KeyFile   string // of a registry with a key
}

// Init makes a registry in a folder: its source tree, a new key, and the first
// head of an empty published tree. keyFile is where the key goes, "" for the
// user's own keys.
func (w *Workshop) Init(ctx context.Context, dir string, name spec.RegistryName, keyFile string) (*Made, error) {
	if err := vacant(dir); err != nil {
		return nil, err
	}
	if keyFile == "" {
		keyFile = w.keyFile(name)
	}
	key, err := signing.NewKey()
	if err != nil {
		return nil, err
	}
	if err := key.Save(keyFile); err != nil {
		if fault.ReasonOf(err) == "immutable" {
			err = fault.New(fault.Usage, "key_exists", "there is a key at %q already", keyFile).
				Hint("choose another --name, or another file with --key")
		}
		return nil, err
	}
	doc := &ledger.Registry{Schema: ledger.RegistrySchema, Name: name, Trust: key.Trust()}
	if err := registry.InitTree(dir, doc); err != nil {
		// Nothing names the key yet, and in the way of the next attempt it is.
		_ = os.Remove(keyFile)
		return nil, err
	}
	b := &bench{dir: dir, doc: doc, signer: newKeySigner(doc.Name, key)}
	return &Made{Dir: dir, Published: filepath.Join(dir, publishedDir), Trust: doc.Trust, KeyFile: keyFile},
		w.seal(ctx, b, registry.Batch{}, &Published{})
}

// InitGitHub makes the source tree of a registry that the workflow of a GitHub
// repository signs. It has no head: nobody but the workflow can sign one, and
// its first publication does. The numbers of the repository and its owner are
// left to that too.
//
// repository is owner/name as GitHub spells it.
func (w *Workshop) InitGitHub(dir, repository string) (*Made, error) {
	name, err := spec.ParseRepository(repository)
	if err != nil {
		return nil, fault.New(fault.Usage, "repository", "%w", err)
	}
	if err := vacant(dir); err != nil {
		return nil, err
	}
	identity := ledger.GitHubWorkflow(repository, ledger.PublishWorkflow, ledger.PublishRef)
	doc := &ledger.Registry{
		Schema: ledger.RegistrySchema, Name: name, Source: identity.Repository, Mirrors: mirrors(repository),
		Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &identity},
	}
	return &Made{Dir: dir, Published: filepath.Join(dir, publishedDir), Trust: doc.Trust}, registry.InitTree(dir, doc)
}

// mirrors are the two places at which GitHub serves what a workflow publishes:
// Pages and the branch. Who added one of them asks the other where it is down.
func mirrors(repository string) []string {
	owner, name, _ := strings.Cut(repository, "/")
	pages := "https://" + strings.ToLower(owner) + ".github.io"
	if !strings.EqualFold(name, owner+".github.io") {
		pages += "/" + name
	}
	return []string{pages, "git+https://github.com/" + repository}
}

// vacant refuses a folder that has a registry.
func vacant(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, "registry.yaml")); err == nil {
		return fault.New(fault.Usage, "exists", "there is a registry in %s already", spec.Quote(dir))
	}
	return nil
}
