package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/sigtest"
)

// notary is the Sigstore of a transcript, and the GitHub job that its commands
// run in. Its keys stay the same through the transcript, whatever the job is.
type notary struct {
	*sigtest.Sigstore

	tb     testing.TB
	server *sigtest.Server // of the present job
	job    sigtest.Claims
}

// notaryKey is where a transcript keeps its notary.
type notaryKey struct{}

// sigstore makes the following commands those of a GitHub job:
//
//	sigstore OWNER/REPO [CLAIM=VALUE]…
//
// The job is a push to main of the repository, but for the claims that are
// named as GitHub's token names them; an empty value takes one away. It writes
// $WORK/trusted_root.json and signing_config.json and sets what GitHub sets.
// Typed again, the job is another one before the same Sigstore. "sigstore -none"
// ends the job and leaves the files.
func sigstore(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: sigstore owner/repo [claim=value]… | sigstore -none")
	}
	n := ts.Value(notaryKey{}).(*notary)
	if args[0] == "-none" {
		ts.Setenv("ACTIONS_ID_TOKEN_REQUEST_URL", "")
		ts.Setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "")
		return
	}
	var err error
	n.job, err = claims(args[0], args[1:])
	ts.Check(err)
	if n.Sigstore == nil {
		n.Sigstore, err = sigtest.New(sigtest.Options{})
		ts.Check(err)
	}
	n.server = n.Serve(n.tb, n.job)
	for name, data := range map[string][]byte{"trusted_root.json": n.server.TrustedRoot, "signing_config.json": n.server.SigningConfig} {
		ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), name), data, 0o644))
	}
	ts.Setenv("ACTIONS_ID_TOKEN_REQUEST_URL", n.server.TokenURL)
	ts.Setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", n.server.RequestToken)
	ts.Setenv("GITHUB_REPOSITORY_ID", n.job.RepositoryID)
	ts.Setenv("GITHUB_REPOSITORY_OWNER_ID", n.job.RepositoryOwnerID)
}

// claims are those of a push to main of a repository, but for the changes.
func claims(repository string, changes []string) (sigtest.Claims, error) {
	owner, repo, ok := strings.Cut(repository, "/")
	if !ok {
		return sigtest.Claims{}, fmt.Errorf("%q is not owner/repo", repository)
	}
	c := sigtest.GitHub(owner, repo)
	changed := map[string]string{}
	for _, change := range changes {
		claim, value, ok := strings.Cut(change, "=")
		if !ok {
			return c, fmt.Errorf("%q is not claim=value", change)
		}
		changed[claim] = value
	}
	data, err := json.Marshal(changed)
	if err != nil {
		return c, err
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	return c, d.Decode(&c)
}
