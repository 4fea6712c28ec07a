//go:build linux

package realtest

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

const (
	ownRepository = "patch-cat/patch-git"
	// slsaProvenance is the type of what actions/attest has signed, and what gh looks for.
	slsaProvenance = "https://slsa.dev/provenance/v1"
)

// source is this repository's own, at the tag of a release.
type source struct {
	dir, version, commit string
}

// tagged copies the files of this repository, as they are now, has them released
// and tags that.
func tagged(t *testing.T) source {
	t.Helper()
	for _, p := range []string{"bash", "git", "curl", "sha256sum", "sed"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("there is no %s", p)
		}
	}
	s := source{dir: filepath.Join(t.TempDir(), "patch-git")}
	const root = "../../.."
	for name := range strings.SplitSeq(s.runs(t, root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00") {
		from := filepath.Join(root, name)
		info, err := os.Stat(from)
		if name == "" || err != nil || !info.Mode().IsRegular() {
			continue // deleted, and not yet committed
		}
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(s.dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	s.runs(t, s.dir, "git", "init", "-q", "-b", "main")
	s.runs(t, s.dir, "git", "add", "-A", "-f")
	s.runs(t, s.dir, "git", "commit", "-qm", "all of it")
	s.runs(t, s.dir, ".ci/release", "write")
	s.runs(t, s.dir, "git", "commit", "-qam", "a release")
	for line := range strings.Lines(s.runs(t, s.dir, "cat", "action/release.env")) {
		if v, ok := strings.CutPrefix(line, "VERSION="); ok {
			s.version = strings.TrimSpace(v)
		}
	}
	s.runs(t, s.dir, "git", "tag", "v"+s.version)
	s.commit = strings.TrimSpace(s.runs(t, s.dir, "git", "rev-parse", "HEAD"))
	return s
}

// tries runs a program that has to come from a clean shell.
func (s source) tries(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), args[0], args[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "TAG=v"+s.version, "TARGETS=linux/"+runtime.GOARCH,
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.org", "GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.org")
	return output(c)
}

func (s source) runs(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := s.tries(t, dir, args...)
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return out
}

// claims are those of the job that has a release of the source attested.
func (s source) claims() sigtest.Claims {
	c := sigtest.GitHub("patch-cat", "patch-git")
	c.Ref = "refs/tags/v" + s.version
	c.WorkflowRef = ownRepository + "/.github/workflows/release.yml@" + c.Ref
	c.JobWorkflowRef, c.Environment = c.WorkflowRef, "release"
	c.SHA, c.WorkflowSHA, c.JobWorkflowSHA = s.commit, s.commit, s.commit
	return c
}

// provenance is what actions/attest says of a file.
func provenance(name string, digest spec.Digest, predicateType string) *ledger.Statement {
	return ledger.NewStatement(name, digest, predicateType, map[string]any{
		"buildDefinition": map[string]any{"buildType": "https://actions.github.io/buildtypes/workflow/v1", "externalParameters": map[string]any{}},
		"runDetails":      map[string]any{"builder": map[string]string{"id": "https://github.com/actions/runner/github-hosted"}},
	})
}

// TestRelease: the programs that `.ci/release` makes, attested by the real
// Sigstore, served on loopback, and installed by the script that action.yml
// runs, which asks the real gh. In front of that gh stand only the addresses of
// this machine and the trusted root of this Sigstore, because it believes
// GitHub's own. Whatever differs in one point is not installed, and with the right
// attestation beside it, which takes nothing away, it is.
func TestRelease(t *testing.T) {
	in := newInstance(t)
	program := gh.built(t)
	src := tagged(t)
	out := filepath.Join(t.TempDir(), "release")
	src.runs(t, src.dir, ".ci/release", "make", out)
	t.Run("is refused where it is not what was said", func(t *testing.T) { notMade(t, src) })

	name := "patch-git-action_linux_" + runtime.GOARCH
	data, err := os.ReadFile(filepath.Join(out, name))
	if err != nil {
		t.Fatal(err)
	}
	digest := spec.DigestOf(data)
	if sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS")); err != nil || !strings.Contains(string(sums), digest.Hex()+"  "+name+"\n") {
		t.Fatalf("SHA256SUMS has no %s: %v\n%s", digest, err, sums)
	}
	// The one for people knows what a registry has to pin.
	if info := src.runs(t, out, "go", "version", "-m", "patch-git_linux_"+runtime.GOARCH); !strings.Contains(info, "vcs.revision="+src.commit) || !strings.Contains(info, "vcs.modified=false") {
		t.Errorf("the program for people does not know its commit:\n%s", info)
	}

	foreign, err := sigtest.New(sigtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	right := provenance(name, digest, slsaProvenance)
	changed := func(change func(*sigtest.Claims)) sigtest.Claims {
		c := src.claims()
		change(&c)
		return c
	}
	workflow := func(ref string) func(*sigtest.Claims) {
		return func(c *sigtest.Claims) { c.WorkflowRef, c.JobWorkflowRef = ref, ref }
	}
	cases := []struct {
		name      string
		claims    sigtest.Claims
		statement *ledger.Statement
		bundle    []byte
	}{
		{name: "right", claims: src.claims(), statement: right},
		{name: "another repository", statement: right, claims: changed(func(c *sigtest.Claims) {
			*c = sigtest.GitHub("evil", "patch-git")
			c.Ref = "refs/tags/v" + src.version
			c.WorkflowRef = "evil/patch-git/.github/workflows/release.yml@" + c.Ref
			c.JobWorkflowRef = c.WorkflowRef
		})},
		{name: "a repository that calls our workflow", statement: right, claims: changed(func(c *sigtest.Claims) {
			c.Repository, c.RepositoryOwner = "evil/patch-git", "evil"
			c.WorkflowRef = "evil/patch-git/.github/workflows/call.yml@" + c.Ref
		})},
		{name: "another workflow of ours", statement: right, claims: changed(workflow(ownRepository + "/.github/workflows/publish.yml@refs/tags/v" + src.version))},
		{name: "a workflow whose name goes on", statement: right, claims: changed(workflow(ownRepository + "/.github/workflows/release.yml.yml@refs/tags/v" + src.version))},
		{name: "another tag", statement: right, claims: changed(func(c *sigtest.Claims) {
			c.Ref = "refs/tags/v0.0.1"
			workflow(ownRepository + "/.github/workflows/release.yml@" + c.Ref)(c)
		})},
		{name: "a branch of the tag's name", statement: right, claims: changed(func(c *sigtest.Claims) {
			c.Ref = "refs/heads/v" + src.version
			workflow(ownRepository + "/.github/workflows/release.yml@" + c.Ref)(c)
		})},
		{name: "a self-hosted runner", statement: right, claims: changed(func(c *sigtest.Claims) { c.RunnerEnvironment = "self-hosted" })},
		{name: "another file", claims: src.claims(), statement: provenance(name, spec.DigestOf(artifact), slsaProvenance)},
		{name: "another kind of statement", claims: src.claims(), statement: provenance(name, digest, ledger.PredicateAcceptance)},
		{name: "another Sigstore", claims: src.claims(), statement: right},
	}
	var all sync.WaitGroup
	for i := range cases {
		c := &cases[i]
		all.Go(func() {
			var err error
			if c.name == "another Sigstore" {
				c.bundle, err = foreign.Sign(ledger.Encode(c.statement), c.claims)
			} else {
				ctx, cancel := context.WithTimeout(t.Context(), 2*signTime)
				defer cancel()
				c.bundle, err = in.sign(ctx, t, c.claims, c.statement) // the policy of acme refuses it; that is not asked here
			}
			if c.bundle == nil {
				t.Errorf("%s was not signed: %v", c.name, err)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}

	place := in.downloads(t, src, program, name, data)
	good := cases[0].bundle
	for _, c := range cases {
		place.serves(c.bundle)
		if c.name == "right" {
			place.installs(t, c.name)
			continue
		}
		place.refuses(t, c.name, "is not attested")
		// The twin: what differs takes nothing from what is right.
		place.serves(c.bundle, good)
		place.installs(t, c.name+", and the right one")
	}
	place.serves()
	place.refuses(t, "no attestation", "is not attested")
	place.serves(altered(t, good))
	place.refuses(t, "an attestation that was changed", "is not attested")
	place.breaks(http.StatusInternalServerError)
	place.refuses(t, "GitHub is out of order", "is not attested")
	place.serves(good)
	place.data = append(slices.Clip(data), 0)
	place.refuses(t, "one byte more", "is not the one that release.env names")
	place.data = data
	place.installs(t, "as it was")
}

// notMade: what is tagged is what is made, or nothing is.
func notMade(t *testing.T, src source) {
	refused := func(src source, says string) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "refused")
		if text, err := src.tries(t, src.dir, ".ci/release", "make", out); err == nil || !strings.Contains(text, says) {
			t.Errorf("%v\n%s\nshould say %q", err, text, says)
		}
		if _, err := os.Stat(filepath.Join(out, "SHA256SUMS")); err == nil {
			t.Error("it has sums")
		}
	}
	other := src
	other.version = "9.9.9"
	refused(other, "the tag v9.9.9 is not v"+src.version)

	// Elsewhere, so that what it is made of alone decides.
	other = source{dir: filepath.Join(t.TempDir(), "elsewhere"), version: src.version}
	other.runs(t, src.dir, "git", "clone", "-q", src.dir, other.dir)
	keep := func(path, from, to string) {
		t.Helper()
		path = filepath.Join(other.dir, path)
		data, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(data), from) {
			t.Fatalf("%s has no %q: %v", path, from, err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(data), from, to, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	keep("internal/cli/version.go", `"Print the version"`, `"Print a version"`)
	refused(other, "not in the commit")
	other.runs(t, other.dir, "git", "commit", "-qam", "after the release")
	refused(other, "is not the program that action/release.env names")
	// The twin: the same folder, at the tag.
	other.runs(t, other.dir, "git", "checkout", "-q", "v"+src.version)
	other.runs(t, other.dir, ".ci/release", "make", filepath.Join(t.TempDir(), "made"))
}

// altered is a bundle with another statement in the place of what was signed.
func altered(t *testing.T, bundle []byte) []byte {
	t.Helper()
	return attestation{bundle: bundle}.altered(t).bundle
}
